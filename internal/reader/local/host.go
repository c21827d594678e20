package local

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// Host is what is known of this machine before anything is measured.
type Host struct {
	Name, MachineID, BootID, Kernel string
	CPUs                            int
	MemoryBytes                     int64
	// GPUs as nvidia-smi names them, and their driver.
	GPUs   []string
	Driver string
	// Trouble says why nothing is known of GPUs although there should be; nil: all is known.
	Trouble error
}

// Product of the GPUs, as GPU feature discovery labels it; empty: none, or of several kinds.
func (h *Host) Product() string {
	kinds := slices.Compact(slices.Clone(h.GPUs))
	if len(kinds) != 1 {
		return ""
	}
	return strings.Join(strings.Fields(kinds[0]), "-")
}

// node is the host as Kubernetes would show it. uid is another one where the host is known by that.
func (h *Host) node(uid types.UID, began time.Time) *corev1.Node {
	gpus := *resource.NewQuantity(int64(len(h.GPUs)), resource.DecimalSI)
	resources := corev1.ResourceList{
		corev1.ResourceCPU:    *resource.NewQuantity(int64(h.CPUs), resource.DecimalSI),
		corev1.ResourceMemory: *resource.NewQuantity(h.MemoryBytes, resource.BinarySI),
	}
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: h.Name, UID: cmp.Or(uid, h.uid()), CreationTimestamp: metav1.NewTime(began),
		Labels: map[string]string{corev1.LabelHostname: h.Name}}}
	if len(h.GPUs) > 0 {
		resources[workload.GPUResource] = gpus
		n.Labels[v1alpha1.LabelGPUCount] = strconv.Itoa(len(h.GPUs))
		n.Labels["nvidia.com/cuda.driver-version.full"] = h.Driver
	}
	if product := h.Product(); product != "" {
		n.Labels[v1alpha1.LabelGPUProduct] = product
	}
	n.Status.Capacity, n.Status.Allocatable = resources, resources
	n.Status.NodeInfo = corev1.NodeSystemInfo{MachineID: h.MachineID, BootID: h.BootID, KernelVersion: h.Kernel}
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(began)}}
	return n
}

// uid of the host: the same for as long as its system is not installed anew. A machine-id is not to be told to others.
func (h *Host) uid() types.UID { return hashed("host", cmp.Or(h.MachineID, h.Name)) }

// wear the labels of the nodes that a profile is for.
func wear(n *corev1.Node, p *v1alpha1.HardwareProfile) {
	for key, value := range p.Spec.Selector.MatchLabels {
		n.Labels[key] = value
	}
	for _, e := range p.Spec.Selector.MatchExpressions {
		switch e.Operator {
		case metav1.LabelSelectorOpIn:
			n.Labels[e.Key] = e.Values[0]
		case metav1.LabelSelectorOpExists:
			n.Labels[e.Key] = cmp.Or(n.Labels[e.Key], "true")
		case metav1.LabelSelectorOpNotIn, metav1.LabelSelectorOpDoesNotExist:
			delete(n.Labels, e.Key)
		}
	}
}

// smiTimeout is the time that nvidia-smi may take: it hangs when a GPU does.
const smiTimeout = 30 * time.Second

// Discover looks at this host. What cannot be read stays empty.
func Discover(ctx context.Context) (Host, error) {
	name, err := os.Hostname()
	if err != nil {
		return Host{}, fmt.Errorf("reading the host's name: %w", err)
	}
	h := Host{Name: strings.ToLower(name), CPUs: runtime.NumCPU(), MachineID: line("/etc/machine-id"),
		BootID: line("/proc/sys/kernel/random/boot_id"), Kernel: line("/proc/sys/kernel/osrelease")}
	if fields := strings.Fields(line("/proc/meminfo")); len(fields) == 3 && fields[0] == "MemTotal:" {
		kib, _ := strconv.ParseInt(fields[1], 10, 64)
		h.MemoryBytes = kib << 10
	}
	h.Trouble = h.discoverGPUs(ctx)
	return h, nil
}

// discoverGPUs asks nvidia-smi. Where there is none, the host has no GPU that could be measured.
func (h *Host) discoverGPUs(ctx context.Context) error {
	program, err := exec.LookPath("nvidia-smi")
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, smiTimeout)
	defer cancel()
	output, err := exec.CommandContext(ctx, program, "--query-gpu=name,driver_version", "--format=csv,noheader,nounits").Output()
	if err != nil {
		return fmt.Errorf("asking nvidia-smi for GPUs: %w", err)
	}
	reader := csv.NewReader(strings.NewReader(string(output)))
	reader.TrimLeadingSpace, reader.FieldsPerRecord = true, 2
	rows, err := reader.ReadAll()
	if err != nil {
		return fmt.Errorf("reading the answer of nvidia-smi: %w", err)
	}
	for _, row := range rows {
		h.GPUs, h.Driver = append(h.GPUs, row[0]), row[1]
	}
	return nil
}

// line is the first one of a file; empty where there is none.
func line(path string) string {
	data, _ := os.ReadFile(path)
	first, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimSpace(first)
}
