package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/assay-dev/assay/hack/localcluster/internal/binaries"
	"github.com/assay-dev/assay/hack/localcluster/internal/daemon"
	"github.com/assay-dev/assay/hack/localcluster/internal/gpus"
	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
)

// draPatience is how long the devices may take to appear.
const draPatience = 2 * time.Minute

// Driver is a node's DRA driver.
type Driver struct {
	// CDIKind of devices that the node's containerd knows already, by UUID; empty: there are none.
	CDIKind string `json:"cdiKind,omitempty"`
	// Slow are the devices that simulated programs find slow.
	Slow []string `json:"slow,omitempty"`
}

// StartDRA lets a DRA driver publish these devices as those of a node, instead of what it published before, and returns when they can be
// claimed. A node without one publishes none.
func (m *Manager) StartDRA(ctx context.Context, name string, devices []resourceapi.Device, driver Driver) error {
	node, err := m.Node(name)
	if err != nil {
		return err
	}
	if !m.programs.Has(binaries.DRADriver) {
		return errors.New("the DRA driver is not built: run clusterctl build --dra, or make cluster-dra")
	}
	content, err := json.MarshalIndent(devices, "", "  ")
	if err != nil {
		return err
	}
	if err := daemon.Stop(m.PIDFile(node.DRADriver()), stopPatience); err != nil {
		return err
	}
	if err := os.WriteFile(node.Devices(), append(content, '\n'), 0o644); err != nil {
		return err
	}
	if m.State.Drivers == nil {
		m.State.Drivers = map[string]Driver{}
	}
	m.State.Drivers[name] = driver
	if err := m.State.save(m.Name); err != nil {
		return err
	}
	if err := m.makeRoom(node.DRADriver()); err != nil {
		return err
	}
	api, err := m.connect()
	if err != nil {
		return err
	}
	if err := api.createDeviceClass(ctx); err != nil {
		return err
	}
	if err := m.startDriver(node); err != nil {
		return err
	}
	if err := m.waitFor(ctx, draPatience, []string{apiServer, node.DRADriver()}, func(ctx context.Context) error {
		if _, err := os.Stat(node.DRAReady()); err != nil {
			return fmt.Errorf("the kubelet has not registered the driver: %w", err)
		}
		return api.published(ctx, name, devices)
	}); err != nil {
		return fmt.Errorf("waiting for the devices of %s: %w; the driver's log is in %s", name, err, m.Logs())
	}
	m.step("%s offers %d devices of driver %s", name, len(devices), gpus.Driver)
	return nil
}

// startDriver of a node that has one, unless it runs.
func (m *Manager) startDriver(node layout.Node) error {
	driver, driven := m.State.Drivers[node.Name()]
	if !driven {
		return nil
	}
	if _, alive := daemon.Load(m.PIDFile(node.DRADriver())); alive {
		return nil
	}
	if err := os.Remove(node.DRAReady()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return m.ensureIn(node.MountNS(), node.DRADriver(), string(binaries.DRADriver),
		"--name="+gpus.Driver, "--node="+node.Name(), "--devices="+node.Devices(), "--ready="+node.DRAReady(), "--cdi-kind="+driver.CDIKind, "--slow="+strings.Join(driver.Slow, ","),
		"--kubeconfig="+node.Cluster.PKI(node.Kubelet()+".kubeconfig"))
}

// StopDRA takes the driver away, and what it published. What runs with a device keeps it.
func (m *Manager) StopDRA(ctx context.Context, name string) error {
	node, err := m.Node(name)
	if err != nil {
		return err
	}
	if _, driven := m.State.Drivers[name]; !driven {
		return fmt.Errorf("%s has no DRA driver", name)
	}
	if err := daemon.Stop(m.PIDFile(node.DRADriver()), stopPatience); err != nil {
		return err
	}
	api, err := m.connect()
	if err != nil {
		return err
	}
	// The kubelet would do it half a minute later.
	err = api.client.ResourceV1().ResourceSlices().DeleteCollection(ctx, metav1.DeleteOptions{}, slicesOf(name))
	if err != nil {
		return fmt.Errorf("deleting the ResourceSlices of %s: %w", name, err)
	}
	if err := os.Remove(node.Devices()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	delete(m.State.Drivers, name)
	m.step("%s offers no devices", name)
	return m.State.save(m.Name)
}

func slicesOf(node string) metav1.ListOptions {
	return metav1.ListOptions{FieldSelector: fields.Set{
		resourceapi.ResourceSliceSelectorNodeName: node, resourceapi.ResourceSliceSelectorDriver: gpus.Driver,
	}.String()}
}

// published returns an error while the devices of the node are not exactly these.
func (a *api) published(ctx context.Context, node string, devices []resourceapi.Device) error {
	list, err := a.client.ResourceV1().ResourceSlices().List(ctx, slicesOf(node))
	if err != nil {
		return err
	}
	var got []resourceapi.Device
	for _, s := range list.Items {
		got = append(got, s.Spec.Devices...)
	}
	if !slices.Equal(gpus.Names(got), gpus.Names(devices)) {
		return fmt.Errorf("the ResourceSlices of %s have %d devices, not these %d", node, len(got), len(devices))
	}
	return nil
}

func (a *api) createDeviceClass(ctx context.Context) error {
	_, err := a.client.ResourceV1().DeviceClasses().Create(ctx, gpus.Class(), metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating device class %s: %w", gpus.Driver, err)
	}
	return nil
}
