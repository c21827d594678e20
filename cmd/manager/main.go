// Command manager runs Assay's operator.
package main

import (
	"crypto/tls"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"
	_ "time/tzdata" // policies name time zones, and the image has no files of them

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/controllers/devicerules"
	policies "github.com/assay-dev/assay/controllers/policy"
	runs "github.com/assay-dev/assay/controllers/run"
	"github.com/assay-dev/assay/controllers/webhook"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/metrics"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// version is set by the linker.
var version = "unknown"

type options struct {
	manager     ctrl.Options
	perNode     bool
	concurrency int
	settings    workload.Settings
	policy      taint.Policy
	gateKeys    []string
	knownMaxAge time.Duration
	slices      bool
	webhook     webhook.Options
}

func main() {
	o := options{manager: ctrl.Options{LeaderElectionID: "manager.assay.dev", LeaderElectionReleaseOnCancel: true}}
	flag.StringVar(&o.manager.Metrics.BindAddress, "metrics-bind-address", ":8080", "Address of the metrics endpoint; 0 for none.")
	flag.BoolVar(&o.manager.Metrics.SecureServing, "metrics-secure", true, "Serve metrics by HTTPS, to those who the API server says may read them; false: by HTTP, to everybody.")
	flag.StringVar(&o.manager.HealthProbeBindAddress, "health-probe-bind-address", ":8081", "Address of the health probes.")
	flag.StringVar(&o.manager.PprofBindAddress, "pprof-bind-address", "", "Address of Go's profiler, for example 127.0.0.1:6060. Default: none.")
	flag.BoolVar(&o.manager.LeaderElection, "leader-elect", false, "Take part in leader election; only the leader acts.")
	flag.StringVar(&o.manager.LeaderElectionNamespace, "leader-election-namespace", "", "Namespace of the leader's lease. Default: the pod's own.")
	flag.BoolVar(&o.perNode, "per-node-metrics", false, "Expose one series per node and headline metric.")
	flag.IntVar(&o.concurrency, "max-concurrent-runs", 4, "Runs worked on at the same time.")
	flag.StringVar(&o.settings.Namespace, "benchmark-namespace", "assay-benchmarks", "Namespace of the benchmark pods.")
	flag.StringVar(&o.settings.RunnerImage, "runner-image", "localhost/assay/runner:dev", "Image that holds the runner.")
	flag.StringVar(&o.settings.PriorityClass, "priority-class", "assay-benchmark", "PriorityClass of the benchmark pods; empty for none.")
	flag.IntVar(&o.policy.MaxPercent, "max-quarantined-percent", 10, "How many nodes may be quarantined or convicted at any moment, in percent of all, of those that offer the devices a benchmark needs, and of those of one instance type; at least one node. 0: none.")
	flag.IntVar(&o.policy.MaxNodes, "max-quarantined-nodes", 0, "How many nodes may be quarantined or convicted at any moment. 0: no limit beside the percentage.")
	flag.BoolVar(&o.policy.AllowNoExecute, "allow-no-execute", false, "Let runs taint nodes with NoExecute, which evicts what runs there.")
	flag.DurationVar(&o.knownMaxAge, "known-max-age", 30*24*time.Hour,
		"For how long what a node reached when it last passed counts as what healthy nodes reach. 0: runs are compared with their own nodes only.")
	flag.BoolVar(&o.slices, "resource-slices", true, "Read what DRA drivers publish of nodes' devices, and claim these; false: only what device plugins offer counts.")
	flag.StringVar(&o.webhook.URL, "webhook-url", "", "URL that is told by HTTP POST of runs that ended, and of nodes that were tainted or freed. Default: none.")
	flag.StringVar(&o.webhook.SecretFile, "webhook-secret-file", "", "File with the key that signs what the webhook is told.")
	flag.StringVar(&o.webhook.Cluster, "webhook-cluster", "", "Name of this cluster, for the webhook.")
	flag.Func("allowed-taint-keys", "Taint keys, separated by commas, that runs may use beside those in the domain assay.dev.", separated(&o.policy.AllowedKeys))
	flag.Func("allowed-gate-keys", "Taint keys, separated by commas, of gates that policies may have beside those in the domain assay.dev.", separated(&o.gateKeys))
	flag.BoolFunc("version", "Print the version and exit.", func(string) error {
		fmt.Fprintln(os.Stdout, version)
		os.Exit(0)
		return nil
	})
	logging := zap.Options{}
	logging.BindFlags(flag.CommandLine)
	flag.Parse()
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&logging)))
	ctrl.Log.Info("starting", "version", version)
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "manager:", err)
		os.Exit(1)
	}
}

func separated(into *[]string) func(string) error {
	return func(keys string) error {
		*into = strings.FieldsFunc(keys, func(r rune) bool { return r == ',' })
		return nil
	}
}

func run(o options) error {
	scheme := runtime.NewScheme()
	kinds := runtime.NewSchemeBuilder(clientgoscheme.AddToScheme, v1alpha1.AddToScheme, mpi.AddToScheme)
	if err := kinds.AddToScheme(scheme); err != nil {
		return fmt.Errorf("registering the API: %w", err)
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("finding the cluster: %w", err)
	}
	serverClock := controllers.NewServerClock(clock.RealClock{})
	config.Wrap(serverClock.Transport)
	o.manager.Scheme, o.manager.Cache = scheme, controllers.CacheOptions(o.settings.Namespace)
	if m := &o.manager.Metrics; m.SecureServing {
		m.FilterProvider = filters.WithAuthenticationAndAuthorization
		m.TLSOpts = []func(*tls.Config){func(c *tls.Config) { c.MinVersion = tls.VersionTLS12 }}
	}
	mgr, err := ctrl.NewManager(config, o.manager)
	if err != nil {
		return fmt.Errorf("making the manager: %w", err)
	}
	ctrlmetrics.Registry.MustRegister(&metrics.State{Reader: mgr.GetClient(), PerNode: o.perNode, Clock: serverClock})
	if err := setUpControllers(mgr, o, serverClock); err != nil {
		return err
	}
	if err := mgr.AddHealthzCheck("healthz", healthz.Ping); err != nil {
		return fmt.Errorf("adding the health probe: %w", err)
	}
	if err := mgr.AddReadyzCheck("readyz", healthz.Ping); err != nil {
		return fmt.Errorf("adding the readiness probe: %w", err)
	}
	ctx := ctrl.SetupSignalHandler()
	go saveMemory(ctx)
	return mgr.Start(ctx)
}

func setUpControllers(mgr ctrl.Manager, o options, serverClock clock.PassiveClock) error {
	recorder := metrics.New(ctrlmetrics.Registry)
	hook, err := setUpWebhook(mgr, o, serverClock, recorder)
	if err != nil {
		return err
	}
	devices, err := devicesOf(mgr, o)
	if err != nil {
		return err
	}
	r := &runs.Reconciler{
		Client:   mgr.GetClient(),
		Live:     mgr.GetAPIReader(),
		Recorder: mgr.GetEventRecorder("assay"),
		Clock:    serverClock,
		Settings: o.settings,
		Policy:   o.policy,
		Metrics:  recorder,
		Webhook:  hook,
		Devices:  devices,

		KnownFleet:  controllers.NewKnownFleet(o.knownMaxAge),
		KnownMaxAge: o.knownMaxAge,
	}
	if err := r.SetupWithManager(mgr, o.concurrency); err != nil {
		return fmt.Errorf("setting up the ValidationRun controller: %w", err)
	}
	p := &policies.Reconciler{
		Client:   mgr.GetClient(),
		Live:     mgr.GetAPIReader(),
		Recorder: mgr.GetEventRecorder("assay"),
		Clock:    serverClock,
		GateKeys: o.gateKeys,
		Devices:  devices,
		Metrics:  recorder,
	}
	if err := p.SetupWithManager(mgr); err != nil {
		return fmt.Errorf("setting up the ValidationPolicy controller: %w", err)
	}
	return setUpRules(mgr, o, devices, serverClock)
}

// setUpRules for devices that are tainted one by one, where that is possible.
func setUpRules(mgr ctrl.Manager, o options, devices *controllers.Devices, serverClock clock.PassiveClock) error {
	if !devices.CanTaint() {
		return nil
	}
	r := &devicerules.Reconciler{
		Client:   mgr.GetClient(),
		Live:     mgr.GetAPIReader(),
		Devices:  devices,
		Recorder: controllers.NewFewEvents(mgr.GetEventRecorder("assay"), serverClock),
		Policy:   o.policy,
	}
	if err := r.SetupWithManager(mgr); err != nil {
		return fmt.Errorf("setting up the controller of DeviceTaintRules: %w", err)
	}
	return nil
}

// devicesOf DRA drivers; nil where nobody is to ask for them, or the API server does not know of them.
func devicesOf(mgr ctrl.Manager, o options) (*controllers.Devices, error) {
	if !o.slices {
		return nil, nil
	}
	served, err := controllers.ServesSlices(mgr.GetRESTMapper())
	if err != nil {
		return nil, err
	}
	if !served {
		ctrl.Log.Info(controllers.NoSlices)
		return nil, nil
	}
	rules, err := controllers.ServesRules(mgr.GetRESTMapper())
	if err != nil {
		return nil, err
	}
	if !rules {
		ctrl.Log.Info(controllers.NoRules)
	}
	return &controllers.Devices{Reader: mgr.GetClient(), Live: mgr.GetAPIReader(), Rules: rules}, nil
}

// setUpWebhook returns nil where nobody is to be told.
func setUpWebhook(mgr ctrl.Manager, o options, serverClock clock.PassiveClock, recorder *metrics.Recorder) (*webhook.Sender, error) {
	hook, err := webhook.New(o.webhook)
	if hook == nil || err != nil {
		return nil, err
	}
	hook.Reader, hook.Live, hook.Clock, hook.Metrics = mgr.GetClient(), mgr.GetAPIReader(), serverClock, recorder
	hook.Recorder = controllers.NewFewEvents(mgr.GetEventRecorder("assay"), serverClock)
	if err := mgr.Add(hook); err != nil {
		return nil, fmt.Errorf("adding the webhook: %w", err)
	}
	return hook, nil
}
