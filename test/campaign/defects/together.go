package main

// Defects that only nodes which are measured together, writers in parallel, and what others have a say in at the API server bring to light.
func init() {
	table = append(table, []defect{
		{"sets-convict", "P6", "a set that is slow convicts all its nodes", "internal/operate/tournament/sets.go",
			`		d.Verdict, d.Reason, d.Findings = v1alpha1.VerdictError, v1alpha1.ReasonSuspect, nil
		d.Message = slowWithOthers(others, d.Message)`, `		d.Message = slowWithOthers(others, d.Message)`},
		{"second-set-passes", "P9", "a node that is in two sets passes by the second while the first is still open", "internal/operate/tournament/sets.go",
			`before.Verdict == v1alpha1.VerdictPending || verdict`, `before.Verdict != "" && verdict`},
		{"jobs-before-results", "P10", "the job of a group is deleted before what it found is stored", "controllers/run/write.go",
			`	grouped := controllers.Each(w.out.Groups`, `	early := controllers.Each(w.out.DeleteJobs, func(d assess.JobDeletion) error { return w.deleteJob(ctx, d) })
	if early != nil {
		return early
	}
	grouped := controllers.Each(w.out.Groups`},
		{"late-jobs", "P10", "what the job of a group measures once it is given up is not looked at", "internal/operate/assess/collect/groups.go",
			`		s.lateJob(g, j, stored)
`, ``},
		{"jobs-unseen", "P10", "the job of a group that is given up is deleted, whatever its launcher has done since", "controllers/run/write_jobs.go",
			`if d.AsSeen != "" {`, `if d.AsSeen == "never" {`},
		{"forbidden-label", "P4", "the operator writes a label that its own admission policy forbids", "controllers/quarantine/bind.go",
			`	mark := taint.MarkOn(next)
	return k.telling(`, `	mark := taint.MarkOn(next)
	if next.Labels != nil {
		next.Labels["assay.dev/unfit"] = "true"
	}
	return k.telling(`},
		{"uncounted-in-parallel", "P5", "nodes of one pass are counted side by side, and each as if it were the only one", "controllers/quarantine/batch.go",
			`			counted.take(n)
`, `			_ = counted.take
`},
	}...)
}
