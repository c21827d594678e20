// Package local measures the host that it runs on, without Kubernetes. It is a cluster of one node in memory: internal/operate/assess decides what to
// start, judges and confirms, as it does for the operator, internal/measure/workload names the commands, and internal/measure/runner runs them. So a verdict
// is by construction the operator's. It never taints, and changes nothing on the host.
package local

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/internal/reader/history"
)

// Options say what to measure, and by what to judge it.
type Options struct {
	// Name of the run.
	Name string
	// Spec of the run; its nodes are this host, whatever it says.
	Spec      v1alpha1.ValidationRunSpec
	Catalogue Catalogue
	// Profile that the host is judged by, whatever its GPUs are; nil: by those that match it.
	Profile *v1alpha1.HardwareProfile
	Host    Host
	// Past are earlier runs: what the host reached in them is what it is compared with.
	Past []export.Run
	// Execute runs the program of a benchmark to its end, or until ctx is over. It returns what the program left, and a hash of its file: only
	// measurements of the same program are compared over time. Empty: it is not there.
	Execute func(ctx context.Context, b *v1alpha1.Benchmark, argv []string) (left result.Envelope, file string)
	// Has a program, by the name in its command; nil: it is not asked before it is started.
	Has func(program string) bool
	// Begins is told what is about to be measured, what is left out, as it measures several nodes at once, and about how long it takes where nothing
	// is suspect. Started and Ended are told of each attempt.
	Begins  func(benchmarks, leftOut []string, cost time.Duration)
	Started func(b *v1alpha1.Benchmark, attempt int32)
	Ended   func(b *v1alpha1.Benchmark, a v1alpha1.Attempt)
	// Now is the time.
	Now func() time.Time
}

// Run measures the host until nothing is left to measure, or ctx is over: then the run ends with what was measured by then.
func Run(ctx context.Context, o Options) (export.Run, error) {
	s, err := newSession(o)
	if err != nil {
		return export.Run{}, err
	}
	if err := s.lacking(); err != nil {
		return export.Run{}, err
	}
	s.Begins(list.Map(s.tasks, observe.Task.Name), s.leftOut, list.Sum(s.tasks, func(t *observe.Task) time.Duration { return catalogue.Cost(t.Benchmark) }))
	for !s.over {
		if ctx.Err() != nil {
			s.interrupt()
		}
		if err := s.pass(); err != nil {
			return export.Run{}, err
		}
		if s.over {
			break
		}
		if err := s.goOn(ctx); err != nil {
			return export.Run{}, err
		}
	}
	return s.export(), nil
}

// newSession is a run that has not started.
func newSession(o Options) (*session, error) {
	began := o.Now()
	d, err := newDefaults()
	if err != nil {
		return nil, err
	}
	run := &v1alpha1.ValidationRun{TypeMeta: metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "ValidationRun"}, Spec: o.Spec}
	run.Name, run.Generation, run.CreationTimestamp = o.Name, 1, metav1.NewTime(began.Truncate(time.Second))
	run.UID = hashed(o.Name, o.Host.Name, began.Format(time.RFC3339Nano))
	run.Spec.NodeNames = []string{o.Host.Name}
	data, err := json.Marshal(run)
	if err == nil {
		run, err = read[v1alpha1.ValidationRun](d, data, run.Kind) // as the API server would store it
	}
	if err != nil {
		return nil, err
	}
	s := &session{Options: o, run: run, cutShort: map[observe.Attempted]string{}, startedAnew: observe.StartedAnew{}}
	var known types.UID
	if s.validation, s.history = history.Newest(o.Host.Name, o.Past); s.validation != nil {
		known = s.validation.Fingerprint.NodeUID
		s.validation = s.validation.DeepCopy()
		s.validation.Quarantine = nil // nothing here carries a taint
	}
	s.node = o.Host.node(known, began.Add(-time.Hour))
	if o.Profile != nil {
		wear(s.node, o.Profile)
	}
	return s, s.choose()
}

// choose what the run measures: benchmarks of one node, the cheapest first.
func (s *session) choose() error {
	chosen, err := resolve(&s.run.Spec, s.Catalogue.Benchmarks)
	if err != nil {
		return err
	}
	chosen = slices.DeleteFunc(chosen, func(b v1alpha1.Benchmark) bool {
		if b.Spec.Scope != v1alpha1.ScopeGroup {
			return false
		}
		s.leftOut = append(s.leftOut, b.Name)
		return true
	})
	if len(chosen) == 0 {
		return errors.New("every benchmark of this suite measures several nodes at once, which takes a cluster: choose another suite")
	}
	for i := range chosen {
		chosen[i].Spec.SiteImage = "" // on a host, programs come from its folders, whatever image has them elsewhere
	}
	profiles := s.Catalogue.Profiles
	if s.Profile != nil {
		profiles = []v1alpha1.HardwareProfile{*s.Profile}
	}
	s.snapshot = catalogue.Take(chosen, profiles)
	if s.tasks, err = observe.Tasks(s.run, s.snapshot); err != nil {
		return err
	}
	s.profiles, err = peak.ReadProfiles(s.snapshot.HardwareProfiles())
	return err
}

// resolve the benchmarks that a run asks for, the cheapest first, as the operator does.
func resolve(spec *v1alpha1.ValidationRunSpec, all []v1alpha1.Benchmark) ([]v1alpha1.Benchmark, error) {
	var chosen []v1alpha1.Benchmark
	if spec.Suite != "" {
		if chosen = catalogue.OfSuite(all, spec.Suite); len(chosen) == 0 {
			return nil, fmt.Errorf("no benchmark belongs to suite %q: choose one of %s", spec.Suite, strings.Join(catalogue.Suites(all), ", "))
		}
		if err := catalogue.Overridden(chosen, spec.Suite, spec.Overrides); err != nil {
			return nil, err
		}
	}
	for _, ref := range spec.Benchmarks {
		i := slices.IndexFunc(all, func(b v1alpha1.Benchmark) bool { return b.Name == ref.Name })
		if i < 0 {
			return nil, fmt.Errorf("the catalogue has no benchmark %q: kubectl assay local --list shows all of them", ref.Name)
		}
		chosen = append(chosen, all[i])
	}
	slices.SortStableFunc(chosen, func(a, b v1alpha1.Benchmark) int {
		return v1alpha1.CompareOrder(&a, &b)
	})
	return chosen, nil
}

// hashed is a UID that follows from these words.
func hashed(words ...string) types.UID {
	sum := sha256.Sum256(fmt.Appendf(nil, "assay-local%q", words))
	h := hex.EncodeToString(sum[:16])
	return types.UID(h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:])
}
