// Command dra-driver is the DRA driver of one node of a local cluster. It
// publishes the devices of a file, a list of Devices of resource.k8s.io/v1, as
// they are, so that a test may publish whatever a driver could. A container
// that gets one of them gets an environment variable with its UUID.
//
// It runs where the kubelet runs and with the kubelet's certificate: the API
// server lets it publish devices of this node only.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/dynamic-resource-allocation/resourceslice"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, stop); err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, stop func()) error {
	name := flag.String("name", "gpu.nvidia.com", "name of the driver")
	node := flag.String("node", "", "the node, and the name of its pool")
	kubeconfig := flag.String("kubeconfig", "", "how to reach the API server")
	file := flag.String("devices", "", "JSON file with the list of devices")
	alias := flag.String("cdi-kind", "", "kind of CDI devices that exist already, named by UUID, which a container gets too, such as nvidia.com/gpu")
	ready := flag.String("ready", "", "file to make when the kubelet has registered the driver")
	slow := flag.String("slow", "", "comma-separated devices that are slow: simulated programs are told")
	flag.Parse()
	devices, err := read(*file)
	if err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return fmt.Errorf("reading %s: %w", *kubeconfig, err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(kubeletplugin.KubeletPluginsDir, *name), 0o750); err != nil {
		return err
	}
	d := &driver{name: *name, uuids: uuidsOf(devices), slow: strings.Split(*slow, ","), alias: *alias, specs: specDir, stop: stop}
	helper, err := kubeletplugin.Start(ctx, d, kubeletplugin.DriverName(*name), kubeletplugin.NodeName(*node),
		kubeletplugin.KubeClient(client), kubeletplugin.HealthService(false))
	if err != nil {
		return fmt.Errorf("offering the driver to the kubelet: %w", err)
	}
	defer helper.Stop()
	pool := resourceslice.Pool{Slices: []resourceslice.Slice{{Devices: devices}}}
	if err := helper.PublishResources(ctx, resourceslice.DriverResources{Pools: map[string]resourceslice.Pool{*node: pool}}); err != nil {
		return fmt.Errorf("publishing the devices: %w", err)
	}
	if registered(ctx, helper) {
		if err := os.WriteFile(*ready, nil, 0o644); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return d.failed()
}

// registered returns when the kubelet has registered the driver. Until then it prepares nothing, and tries a pod again a minute later.
func registered(ctx context.Context, helper *kubeletplugin.Helper) bool {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		if status := helper.RegistrationStatus(); status != nil && status.PluginRegistered {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-ticker.C:
		}
	}
}

func read(path string) ([]resourceapi.Device, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var devices []resourceapi.Device
	if err := json.Unmarshal(content, &devices); err != nil {
		return nil, fmt.Errorf("reading the devices of %s: %w", path, err)
	}
	return devices, nil
}

// uuidsOf devices, by name; empty where one has no such attribute.
func uuidsOf(devices []resourceapi.Device) map[string]string {
	all := map[string]string{}
	for _, d := range devices {
		all[d.Name] = ""
		if uuid := d.Attributes["uuid"].StringValue; uuid != nil {
			all[d.Name] = *uuid
		}
	}
	return all
}

// HandleError is told what goes wrong in the background. What will be tried again is only logged.
func (d *driver) HandleError(_ context.Context, err error, doing string) {
	fmt.Fprintf(os.Stderr, "error: %s: %v\n", doing, err)
	if !errors.Is(err, kubeletplugin.ErrRecoverable) {
		d.fatal.CompareAndSwap(nil, &err)
		d.stop()
	}
}

// failed is why the driver ended by itself; nil: it was told to.
func (d *driver) failed() error {
	if err := d.fatal.Load(); err != nil {
		return *err
	}
	return nil
}

// WatchHealthStatus is never called: the service is off.
func (d *driver) WatchHealthStatus(context.Context, chan<- kubeletplugin.DeviceHealthReport) error {
	return kubeletplugin.ErrHealthNotSupported
}
