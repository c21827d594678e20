package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/completion"
	"github.com/assay-dev/assay/internal/reader/doctor"
)

const (
	// pullsAtOnce bounds how many test pods there are.
	pullsAtOnce = 4
	// pullPoll is how often a test pod is looked at.
	pullPoll = time.Second
	// nothing is the program of test pods, which no image has: that it cannot be started shows that the image is there.
	nothing = "/assay-doctor-starts-nothing"
)

// pullFlags say which nodes are to fetch the images of the catalogue.
type pullFlags struct {
	images    bool
	nodes     []string
	namespace string
	timeout   time.Duration
}

func (p *pullFlags) bind(cmd *cobra.Command, connect cluster.Connect) {
	flags := cmd.Flags()
	flags.BoolVar(&p.images, "pull", false, "Have nodes fetch the images of the catalogue, by pods that run nothing")
	flags.StringSliceVar(&p.nodes, "nodes", nil, "Nodes that fetch them (default: one that is Ready)")
	flags.StringVar(&p.namespace, "pull-namespace", "default", "Namespace of these pods")
	flags.DurationVar(&p.timeout, "pull-timeout", 5*time.Minute, "How long to wait for each image")
	completion.Flag(cmd, "nodes", completion.Nodes(connect))
}

// try to have every image fetched by every node. The pods go, whatever happens.
func (p *pullFlags) try(ctx context.Context, c client.Client, f *doctor.Facts) ([]doctor.Pull, error) {
	nodes, err := p.choose(f)
	if err != nil {
		return nil, err
	}
	pulls := []doctor.Pull{}
	for _, node := range slices.Sorted(slices.Values(nodes)) {
		for _, image := range imagesOf(f) {
			pulls = append(pulls, doctor.Pull{Image: image, Node: node})
		}
	}
	group := errgroup.Group{}
	group.SetLimit(pullsAtOnce)
	for one := range list.Each(pulls) {
		group.Go(func() error {
			began := time.Now()
			one.Problem = p.pull(ctx, c, one.Image, one.Node)
			one.Took = time.Since(began)
			return nil
		})
	}
	_ = group.Wait() // what failed is in the pulls
	return pulls, ctx.Err()
}

// choose the nodes that the user names, or the first that is Ready.
func (p *pullFlags) choose(f *doctor.Facts) ([]string, error) {
	ready := list.Map(list.Where(f.Nodes.Value, func(n doctor.Node) bool { return n.Ready }), func(n doctor.Node) string { return n.Name })
	chosen := p.nodes
	if len(chosen) == 0 {
		chosen = []string{cmp.Or(ready...)}
	}
	for _, name := range chosen {
		if !slices.Contains(ready, name) {
			return nil, fmt.Errorf("there is no Ready node %q to pull images on: kubectl get nodes lists them", name)
		}
	}
	return chosen, nil
}

// imagesOf the catalogue, and the runner's.
func imagesOf(f *doctor.Facts) []string {
	all := list.Map(f.Benchmarks.Value, func(b v1alpha1.Benchmark) string { return b.Spec.Image })
	all = append(all, doctor.InstallationOf(f.Deployments.Value).RunnerImage)
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(image string) bool { return image == "" })
}

// pull an image on a node, and say why it did not come; empty: it did.
func (p *pullFlags) pull(ctx context.Context, c client.Client, image, node string) string {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	pod := p.pod(image, node)
	if err := c.Create(ctx, pod); err != nil {
		return why(err)
	}
	defer remove(ctx, c, pod)
	return p.wait(ctx, c, pod)
}

// wait until the image is there, or has failed to come for as long as the operator would wait.
func (p *pullFlags) wait(ctx context.Context, c client.Client, pod *corev1.Pod) string {
	waits, failsSince := "", time.Time{}
	err := wait.PollUntilContextCancel(ctx, pullPoll, true, func(ctx context.Context) (done bool, err error) {
		if err := c.Get(ctx, client.ObjectKeyFromObject(pod), pod); err != nil {
			return false, err
		}
		switch done, waits = pulled(pod); {
		case waits == "":
			failsSince = time.Time{}
		case failsSince.IsZero():
			failsSince = time.Now()
		case time.Since(failsSince) > workload.StartGrace:
			return false, errors.New(waits)
		}
		return done, nil
	})
	if err == nil || ctx.Err() == nil {
		return why(err)
	}
	return cmp.Or(waits, fmt.Sprintf("not there after %s: raise --pull-timeout, or see the pod's events", message.Duration(p.timeout)))
}

// remove a test pod, although the user has had enough. One that stays ends by its own deadline.
func remove(ctx context.Context, c client.Client, pod *corev1.Pod) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	_ = c.Delete(ctx, pod, client.GracePeriodSeconds(0))
}

// pulled says whether the image is there, or what is wrong with it so far.
func pulled(pod *corev1.Pod) (done bool, problem string) {
	if pod.Status.Phase == corev1.PodFailed && len(pod.Status.ContainerStatuses) == 0 {
		return false, fmt.Sprintf("%s: %s", pod.Status.Reason, pod.Status.Message)
	}
	for _, s := range pod.Status.ContainerStatuses {
		if s.ImageID != "" || s.State.Terminated != nil || s.State.Running != nil {
			return true, ""
		}
		switch w := s.State.Waiting; {
		case w == nil || w.Reason == "ContainerCreating" || w.Reason == "PodInitializing":
			return false, ""
		case w.Reason == "CreateContainerError" || w.Reason == "RunContainerError" || w.Reason == "CrashLoopBackOff":
			return true, ""
		default:
			return false, fmt.Sprintf("%s: %s", w.Reason, w.Message)
		}
	}
	return false, ""
}

// pod that is bound to a node, may do nothing, and starts nothing.
func (p *pullFlags) pod(image, node string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "assay-doctor-", Namespace: p.namespace, Labels: map[string]string{"app.kubernetes.io/name": "assay-doctor"}},
		Spec: corev1.PodSpec{
			NodeName: node, RestartPolicy: corev1.RestartPolicyNever, ActiveDeadlineSeconds: new(int64(p.timeout/time.Second) + 30),
			AutomountServiceAccountToken: new(false), EnableServiceLinks: new(false),
			Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: new(true), RunAsUser: new(int64(65532)),
				SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
			Containers: []corev1.Container{{Name: "image", Image: image, ImagePullPolicy: corev1.PullIfNotPresent, Command: []string{nothing},
				SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true),
					Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}}}},
		},
	}
}
