package network

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"

	"github.com/assay-dev/assay/hack/localcluster/internal/layout"
)

const (
	forwardSysctl = "/proc/sys/net/ipv4/ip_forward"
	// forwardMarker says that a cluster switched forwarding on. A reboot
	// removes it, and switches forwarding off.
	forwardMarker = "/run/assay-cluster/.ip-forward-was-off"
)

// tables are where a cluster has rules on the machine itself.
var tables = []string{"nat", "filter"}

// AllowOutbound lets pods, and containerd when it pulls, reach what the
// machine reaches. A cluster works without it.
func AllowOutbound(c layout.Cluster) error {
	if err := removeRules(c); err != nil {
		return err
	}
	comment := []string{"-m", "comment", "--comment", ruleComment(c)}
	for _, rule := range [][]string{
		{"-t", "nat", "-A", "POSTROUTING", "-s", c.CIDR(), "!", "-d", c.CIDR(), "-j", "MASQUERADE"},
		// First, because Docker's policy for what it does not know is DROP.
		{"-t", "filter", "-I", "FORWARD", "-i", c.HostLink(), "-j", "ACCEPT"},
		{"-t", "filter", "-I", "FORWARD", "-o", c.HostLink(), "-j", "ACCEPT"},
	} {
		if _, err := iptables(append(rule, comment...)...); err != nil {
			return err
		}
	}
	return switchForwardingOn()
}

func switchForwardingOn() error {
	value, err := os.ReadFile(forwardSysctl)
	if err != nil || strings.TrimSpace(string(value)) != "0" {
		return err
	}
	if err := os.WriteFile(forwardMarker, nil, 0o644); err != nil {
		return err
	}
	return os.WriteFile(forwardSysctl, []byte("1"), 0o644)
}

// RestoreForwarding switches forwarding off again if a cluster switched it on.
// It is for the last cluster of the machine.
func RestoreForwarding() error {
	if err := os.Remove(forwardMarker); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	return os.WriteFile(forwardSysctl, []byte("0"), 0o644)
}

// removeRules removes the machine's rules with the cluster's comment.
func removeRules(c layout.Cluster) error {
	for _, table := range tables {
		for _, rule := range rulesOf(c, table) {
			if _, err := iptables(append([]string{"-t", table}, rule...)...); err != nil {
				return err
			}
		}
	}
	return nil
}

// rulesOf returns the arguments that delete each of the cluster's rules.
func rulesOf(c layout.Cluster, table string) [][]string {
	listed, err := iptables("-t", table, "-S")
	if err != nil {
		return nil // no iptables, no rules
	}
	return deletions(listed, ruleComment(c))
}

func deletions(listed, comment string) [][]string {
	var all [][]string
	for line := range strings.Lines(listed) {
		fields := strings.Fields(line)
		for i, field := range fields {
			if field == "--comment" && i+1 < len(fields) && strings.Trim(fields[i+1], `"`) == comment && fields[0] == "-A" {
				rule := append([]string{"-D"}, fields[1:]...)
				rule[i+1] = comment
				all = append(all, rule)
			}
		}
	}
	return all
}

func ruleComment(c layout.Cluster) string { return "assay-cluster:" + c.Name }

func iptables(args ...string) (string, error) {
	out, err := exec.Command("iptables", append([]string{"-w", "10"}, args...)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("iptables %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return string(out), nil
}
