package taint

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestPolicyRefuses(t *testing.T) {
	tests := map[string]struct {
		policy Policy
		key    string
		effect corev1.TaintEffect
		says   string
	}{
		"the default key":                       {Policy{}, "assay.dev/unfit", corev1.TaintEffectNoSchedule, ""},
		"a key of a domain below":               {Policy{}, "site.assay.dev/x", corev1.TaintEffectNoSchedule, "--allowed-taint-keys"},
		"a domain that only ends alike":         {Policy{}, "notassay.dev/x", corev1.TaintEffectNoSchedule, "--allowed-taint-keys"},
		"a key of somebody else":                {Policy{}, "nvidia.com/gpu", corev1.TaintEffectNoSchedule, "spec.onFailure.taint.key nvidia.com/gpu is not in the domain assay.dev"},
		"a key without a domain":                {Policy{}, "unfit", corev1.TaintEffectNoSchedule, "--allowed-taint-keys"},
		"one that is allowed":                   {Policy{AllowedKeys: []string{"example.com/unfit"}}, "example.com/unfit", corev1.TaintEffectNoSchedule, ""},
		"evicting what runs":                    {Policy{}, "assay.dev/unfit", corev1.TaintEffectNoExecute, "NoExecute evicts what runs on a node"},
		"evicting, where that is allowed":       {Policy{AllowNoExecute: true}, "assay.dev/unfit", corev1.TaintEffectNoExecute, ""},
		"an allowed key allows no other effect": {Policy{AllowedKeys: []string{"example.com/unfit"}}, "example.com/unfit", corev1.TaintEffectNoExecute, "--allow-no-execute"},
		"a preference":                          {Policy{}, "assay.dev/unfit", corev1.TaintEffectPreferNoSchedule, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := tt.policy.Refuses(corev1.Taint{Key: tt.key, Effect: tt.effect})
			if !strings.Contains(got, tt.says) || (tt.says == "") != (got == "") {
				t.Errorf("got %q, want %q in it", got, tt.says)
			}
		})
	}
}

func TestPolicyCap(t *testing.T) {
	for name, tt := range map[string]struct {
		policy Policy
		nodes  int
		want   int
	}{
		"a share, rounded down":          {Policy{MaxPercent: 10}, 119, 11},
		"at least one":                   {Policy{MaxPercent: 10}, 4, 1},
		"but none where none is allowed": {Policy{MaxPercent: 0}, 400, 0},
		"the number is less":             {Policy{MaxPercent: 10, MaxNodes: 5}, 400, 5},
		"the share is less":              {Policy{MaxPercent: 10, MaxNodes: 50}, 400, 40},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.policy.Cap(tt.nodes); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}
