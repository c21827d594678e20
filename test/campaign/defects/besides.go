package main

// Defects that only profiles that change, policies' own terms, kubelets that lie alike, and webhooks that strip marks or hide ends bring to light.
func init() {
	table = append(table, []defect{
		{"profiles-unpinned", "P7", "a run judges by what HardwareProfiles say now, and not by what they said when it started", "controllers/run/read.go",
			`	p.in.Profiles, p.badProfiles = peak.ReadProfiles(p.pin.snapshot.HardwareProfiles())
`, `	var now v1alpha1.HardwareProfileList
	if err := r.List(ctx, &now); err != nil {
		return nil, err
	}
	p.in.Profiles, p.badProfiles = peak.ReadProfiles(now.Items)
`},
		{"policy-terms-unasked", "P11", "a policy with terms of its own takes a pass as the Benchmark asks for one of these", "internal/operate/policy/validity/record.go",
			`	if b.Own {
		return`, `	if b.Own && e.OwnTerms {
		return`},
		{"fleet-third", "P6", "a node is compared with what only the best third of the others reach, which a minority may be", "internal/judge/fleet/levels.go",
			`	return at((n - 1) / 2)`, `	return at(min(n-1, 2*n/3))`},
		{"unplaced-by-annotation", "P8", "whom an unplaced pod is for only its annotations tell", "internal/operate/assess/observe/pods.go",
			`workload.MadeFor(pod), `, ``},
		{"ends-by-phase", "P10", "a program has ended only when its pod has", "internal/measure/workload/observe.go",
			`		return programEnded(pod)
	}`, `		return programEnded(pod) && len(pod.Status.ContainerStatuses) < 2
	}`},
	}...)
}
