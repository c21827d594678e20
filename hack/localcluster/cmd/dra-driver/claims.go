package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	cdi "tags.cncf.io/container-device-interface/specs-go"
)

const (
	// specDir is where containerd looks for CDI devices.
	specDir = "/var/run/cdi"
	// kind of the CDI devices that the driver makes, one for each device of a claim.
	kind = "localcluster.assay.dev/claim"
	// filePrefix of their files, one for each claim. They are all that is remembered of a claim, also when the driver starts again.
	filePrefix = "localcluster-claim-"
)

type driver struct {
	name string
	// uuids of the devices, by name.
	uuids map[string]string
	// slow are the names of those that simulated programs find slow.
	slow []string
	// alias is the kind of CDI devices that are there already; empty: there are none.
	alias string
	// specs is the folder of CDI files.
	specs string

	stop  func()
	fatal atomic.Pointer[error]
}

// PrepareResourceClaims makes a CDI device of each device of the claims.
func (d *driver) PrepareResourceClaims(_ context.Context, claims []*resourceapi.ResourceClaim) (map[types.UID]kubeletplugin.PrepareResult, error) {
	results := map[types.UID]kubeletplugin.PrepareResult{}
	for _, claim := range claims {
		devices, err := d.prepare(claim)
		results[claim.UID] = kubeletplugin.PrepareResult{Devices: devices, Err: err}
	}
	return results, nil
}

// UnprepareResourceClaims forgets the CDI devices.
func (d *driver) UnprepareResourceClaims(_ context.Context, claims []kubeletplugin.NamespacedObject) (map[types.UID]error, error) {
	results := map[types.UID]error{}
	for _, claim := range claims {
		err := os.Remove(d.file(claim.UID))
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		results[claim.UID] = err
	}
	return results, nil
}

func (d *driver) prepare(claim *resourceapi.ResourceClaim) ([]kubeletplugin.Device, error) {
	held, err := d.held(claim.UID)
	if err != nil {
		return nil, err
	}
	spec := cdi.Spec{Version: "0.5.0", Kind: kind}
	var devices []kubeletplugin.Device
	for _, r := range claim.Status.Allocation.Devices.Results {
		if r.Driver != d.name {
			continue
		}
		uuid, known := d.uuids[r.Device]
		if !known {
			return nil, fmt.Errorf("device %s of claim %s/%s is not one of this node", r.Device, claim.Namespace, claim.Name)
		}
		if file, taken := held[r.Device]; taken {
			return nil, fmt.Errorf("device %s of claim %s/%s is held by another claim: %s", r.Device, claim.Namespace, claim.Name, file)
		}
		name := cdiName(claim.UID, r.Device)
		ids := []string{kind + "=" + name}
		if d.alias != "" {
			ids = append(ids, d.alias+"="+uuid)
		}
		spec.Devices = append(spec.Devices, cdi.Device{Name: name, ContainerEdits: cdi.ContainerEdits{Env: d.environment(r.Device)}})
		devices = append(devices, kubeletplugin.Device{Requests: []string{r.Request}, PoolName: r.Pool, DeviceName: r.Device, CDIDeviceIDs: ids})
	}
	return devices, write(d.file(claim.UID), spec)
}

// held are the devices that are prepared for other claims, with the files that say so. The scheduler hands no device out twice; a driver is
// asked to see to it too.
func (d *driver) held(by types.UID) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(d.specs, filePrefix+"*.json"))
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, file := range files {
		if file == d.file(by) {
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var spec cdi.Spec
		if err := json.Unmarshal(content, &spec); err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		owner := types.UID(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), filePrefix), ".json"))
		for _, device := range spec.Devices {
			all[strings.TrimPrefix(device.Name, cdiName(owner, ""))] = file
		}
	}
	return all, nil
}

func (d *driver) file(claim types.UID) string {
	return filepath.Join(d.specs, filePrefix+string(claim)+".json")
}

// cdiName is never used twice, because containerd may remember what one meant.
func cdiName(claim types.UID, device string) string { return string(claim) + "_" + device }

// environment of a container that gets the device.
func (d *driver) environment(device string) []string {
	env := []string{variable(device) + "=" + d.uuids[device]}
	if slices.Contains(d.slow, device) {
		env = append(env, variable(device)+"_SLOW=1")
	}
	return env
}

// variable of a device: DRA_GPU_0 for gpu-0, so that several in one container are told apart.
func variable(device string) string {
	return "DRA_" + strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(device))
}

// write replaces the file as a whole: containerd reads every file as it changes.
func write(path string, spec cdi.Spec) error {
	content, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", content, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
