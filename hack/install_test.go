package hack

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A cluster as the stubs below answer for it.
func lab(other ...string) map[string]string {
	answers := map[string]string{
		"CONTEXT": "kind-lab", "SERVER": "Server Version: v1.35.0", "NODES": "node/a node/b", "RIGHTS": "yes", "GPUS": "", "IMAGES": "kind",
	}
	for i := 0; i < len(other); i += 2 {
		answers[other[i]] = other[i+1]
	}
	return answers
}

const kubectlStub = `case "$*" in
	"config current-context") [[ -n $CONTEXT ]] && echo "$CONTEXT" ;;
	*" config view "*) echo https://127.0.0.1:6443 ;;
	*" version") echo "$SERVER" ;;
	*" auth can-i "*) echo "$RIGHTS" ;;
	*" get nodes -o name") printf '%s\n' $NODES ;;
	*" get nodes -o jsonpath={.items[*].status.allocatable.nvidia"*) echo "$GPUS" ;;
	*" get nodes -o jsonpath="*"|"*) echo 'a||node.kubernetes.io/unreachable=:NoExecute '
	  echo 'b|{"id":"1","key":"example.com/bad","effect":"NoSchedule"}|assay.dev/unvalidated=pending:NoSchedule example.com/bad=:NoSchedule ' ;;
	*" get "*) ;;
	`

// installing runs install.sh in a repository of its own, on a cluster of stubs, and returns what it said and which programs it called to
// build or change something.
func installing(t *testing.T, command string, answers map[string]string) (said, called string, err error) {
	t.Helper()
	root, stubs := t.TempDir(), t.TempDir()
	log := filepath.Join(stubs, "called")
	for _, path := range []string{"install.sh", "step.sh", "images/push.sh"} {
		script, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(root, "hack", path), string(script))
	}
	for _, program := range []string{"cpu", "cuda"} {
		write(t, filepath.Join(root, "images/bench-"+program, "Dockerfile"), "")
	}
	write(t, filepath.Join(root, "bin/kubectl-assay"), "#!/usr/bin/env bash\necho \"kubectl-assay $*\" >>"+log+"\n")
	for _, name := range []string{"kind", "k3s", "helm", "crane"} {
		stub(t, stubs, name, `echo "`+name+` $*" >>`+log)
	}
	stub(t, stubs, "make", `echo "make $*" >>`+log+`
		case "$*" in *image-*) cd `+stubs+`; touch index.json; archive="${@: -1}-0123456789abcdef.tar"; tar -cf "$archive" index.json; echo "$PWD/$archive" ;; esac`)
	stub(t, stubs, "kubectl", kubectlStub+`*) echo "kubectl $*" >>`+log+` ;; esac`)
	cmd := exec.Command("bash", filepath.Join(root, "hack/install.sh"), command)
	cmd.Env = append(os.Environ(), "PATH="+stubs+":"+os.Getenv("PATH"), "ASSAY_HELM="+filepath.Join(stubs, "helm"), "ASSAY_CRANE="+filepath.Join(stubs, "crane"))
	for _, name := range slices.Sorted(maps.Keys(answers)) {
		cmd.Env = append(cmd.Env, name+"="+answers[name])
	}
	out, err := cmd.CombinedOutput()
	calls, _ := os.ReadFile(log)
	return string(out), strings.NewReplacer(stubs+"/", "", filepath.Dir(root)+"/", "").Replace(string(calls)), err
}

func TestNothingIsBuiltForAClusterThatCannotBeInstalledOn(t *testing.T) {
	for name, c := range map[string]struct {
		answers map[string]string
		says    string
	}{
		"no context":                  {lab("CONTEXT", ""), "kubectl has no current context"},
		"no answer":                   {lab("SERVER", "Client Version: v1.35.0"), "the API server of context kind-lab does not answer"},
		"not all rights":              {lab("RIGHTS", "no"), "context kind-lab has not all rights"},
		"no way for images":           {lab("IMAGES", ""), "IMAGES is '', want how the nodes get the images: kind, k3s, or a registry"},
		"a URL":                       {lab("IMAGES", "https://registry.example.com"), "IMAGES is 'https://registry.example.com', want"},
		"a word":                      {lab("IMAGES", "minikube"), "IMAGES is 'minikube', want"},
		"kind, and another one":       {lab("CONTEXT", "prod"), "IMAGES=kind, and context prod is of no cluster of kind"},
		"k3s of several nodes":        {lab("IMAGES", "k3s"), "the cluster has 2 nodes: set IMAGES to a registry"},
		"programs that are not there": {lab("PROGRAMS", "cpu gpu"), "PROGRAMS has 'gpu', and there is no images/bench-gpu"},
	} {
		t.Run(name, func(t *testing.T) {
			said, called, err := installing(t, "install", c.answers)
			if err == nil || !strings.Contains(said, c.says) || called != "" {
				t.Errorf("error %v, said %q, called %q; want it to fail, say %q, and call nothing", err, said, called, c.says)
			}
		})
	}
}

func TestImagesGetToTheNodesBeforeTheChartNamesThem(t *testing.T) {
	for name, c := range map[string]struct {
		answers map[string]string
		calls   []string
	}{
		"kind": {lab(), []string{
			"make --no-print-directory image-manager", "kind load image-archive image-manager-0123456789abcdef.tar --name lab",
			"kind load image-archive image-bench-cpu-0123456789abcdef.tar --name lab",
			"helm --kube-context kind-lab --namespace assay-system upgrade --install assay charts/assay", "global.imageRegistry=,", "image.tag=dev", "catalogue.images.cpu.tag=dev", "kubectl-assay --context kind-lab doctor",
		}},
		"k3s of one node": {lab("IMAGES", "k3s", "CONTEXT", "default", "NODES", "node/a"), []string{
			"k3s ctr images import image-runner-0123456789abcdef.tar", "helm --kube-context default",
		}},
		"a registry, and GPUs": {lab("IMAGES", "registry.example.com:5000/team/", "GPUS", "8 8"), []string{
			"registry.example.com:5000/team/assay/bench-cuda:0123456789abcdef", "helm --kube-context kind-lab",
			"global.imageRegistry=registry.example.com:5000/team,", "runner.image.tag=0123456789abcdef", "catalogue.images.cuda.tag=0123456789abcdef",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			said, called, err := installing(t, "install", c.answers)
			if err != nil {
				t.Fatalf("%v: %s", err, said)
			}
			if !strings.Contains(said, "Context "+c.answers["CONTEXT"]+": ") || !strings.Contains(said, "Kubernetes v1.35.0, ") {
				t.Errorf("it does not name the cluster: %q", said)
			}
			after := 0
			for _, call := range c.calls {
				at := strings.Index(called, call)
				if at < 0 || strings.HasPrefix(call, "helm ") && at < after {
					t.Errorf("not called, or too early: %q in\n%s", call, called)
				}
				after = max(after, at)
			}
		})
	}
}

func TestUninstallNamesTaintsThatStayAndLiftsOnlyAssays(t *testing.T) {
	said, called, err := installing(t, "uninstall", lab())
	if err != nil || strings.Contains(called, "kubectl ") || !strings.Contains(called, "helm --kube-context kind-lab --namespace assay-system uninstall assay") {
		t.Errorf("error %v, said %q, called %q", err, said, called)
	}
	for _, want := range []string{"kubectl taint node b example.com/bad:NoSchedule-", "kubectl taint node b assay.dev/unvalidated:NoSchedule-"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q: %s", want, said)
		}
	}
	said, called, err = installing(t, "uninstall", lab("EVERYTHING", "1"))
	lifted := strings.Count(called, " taint node b ")
	if err != nil || lifted != 2 || strings.Contains(called, "unreachable") || !strings.Contains(called, "delete --ignore-not-found -f charts/assay/files/crds") {
		t.Errorf("error %v, lifted %d, said %q, called %q", err, lifted, said, called)
	}
}
