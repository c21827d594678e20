// Package gitops reads objects as GitOps tools do: Argo CD by the Lua of our sample, Flux by the expressions of ours.
package gitops

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	lua "github.com/yuin/gopher-lua"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	luajson "layeh.com/gopher-json"
	"sigs.k8s.io/yaml"
)

// ArgoCD has the scripts of a ConfigMap argocd-cm.
type ArgoCD map[string]string

// Health of an object, as Argo CD shows it.
type Health struct{ Status, Message string }

// ReadArgoCD reads a ConfigMap.
func ReadArgoCD(file string) (ArgoCD, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var cm corev1.ConfigMap
	if err := yaml.UnmarshalStrict(content, &cm); err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	return cm.Data, nil
}

func key(what string, o *unstructured.Unstructured) string {
	return "resource.customizations." + what + "." + o.GroupVersionKind().Group + "_" + o.GetKind()
}

// Health runs the script for the object's kind.
func (a ArgoCD) Health(o *unstructured.Unstructured) (Health, error) {
	var h Health
	if err := run(a[key("health", o)], o, &h); err != nil {
		return Health{}, fmt.Errorf("asking for the health of %s %s: %w", o.GetKind(), o.GetName(), err)
	}
	return h, nil
}

// actions is the value of a key that describes the actions on a kind.
type actions struct {
	Discovery   string `json:"discovery.lua"`
	Definitions []struct {
		Name   string `json:"name"`
		Action string `json:"action.lua"`
	} `json:"definitions"`
}

func (a ArgoCD) actions(o *unstructured.Unstructured) (actions, error) {
	var found actions
	err := yaml.UnmarshalStrict([]byte(a[key("actions", o)]), &found)
	return found, err
}

// Actions on the object that are on offer; false: they are shown, and disabled.
func (a ArgoCD) Actions(o *unstructured.Unstructured) (map[string]bool, error) {
	known, err := a.actions(o)
	if err != nil {
		return nil, err
	}
	var offered map[string]struct{ Disabled bool }
	if err := run(known.Discovery, o, &offered); err != nil {
		return nil, fmt.Errorf("asking what can be done with %s: %w", o.GetKind(), err)
	}
	enabled := map[string]bool{}
	for name, action := range offered {
		enabled[name] = !action.Disabled
	}
	return enabled, nil
}

// Act returns the object as an action would have it, with empty lists where Lua cannot tell them from empty maps.
func (a ArgoCD) Act(o *unstructured.Unstructured, name string) (*unstructured.Unstructured, error) {
	known, err := a.actions(o)
	if err != nil {
		return nil, err
	}
	for _, d := range known.Definitions {
		if d.Name == name {
			after := &unstructured.Unstructured{}
			if err := run(d.Action, o, &after.Object); err != nil {
				return nil, fmt.Errorf("action %s on %s: %w", name, o.GetKind(), err)
			}
			return after, nil
		}
	}
	return nil, fmt.Errorf("no action %s on %s", name, o.GetKind())
}

// run a script as Argo CD does: by the same interpreter, for a second at most, and with few libraries, of which os has to be required.
func run(script string, o *unstructured.Unstructured, out any) error {
	if script == "" {
		return fmt.Errorf("argocd-cm has no script for %s", o.GetKind())
	}
	l := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer l.Close()
	load(l, lua.LoadLibName, lua.OpenPackage)
	load(l, lua.BaseLibName, lua.OpenBase)
	load(l, lua.TabLibName, lua.OpenTable)
	l.PreloadModule(lua.OsLibName, func(l *lua.LState) int {
		l.Push(l.SetFuncs(l.NewTable(), map[string]lua.LGFunction{"date": date}))
		return 1
	})
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	l.SetContext(ctx)
	content, err := o.MarshalJSON()
	if err != nil {
		return err
	}
	object, err := luajson.Decode(l, content)
	if err != nil {
		return err
	}
	l.SetGlobal("obj", object)
	if err := l.DoString(script); err != nil {
		return err
	}
	said, err := luajson.Encode(l.Get(-1))
	if err != nil {
		return err
	}
	return json.Unmarshal(said, out)
}

func load(l *lua.LState, name string, open lua.LGFunction) {
	l.Push(l.NewFunction(open))
	l.Push(lua.LString(name))
	l.Call(1, 0)
}

// date is os.date for the one format that our scripts use.
func date(l *lua.LState) int {
	if format := l.CheckString(1); format != "!%Y-%m-%dT%XZ" {
		l.RaiseError("os.date(%q) is not known here", format)
	}
	l.Push(lua.LString(time.Now().UTC().Format(time.RFC3339)))
	return 1
}
