package main

// table of the defects that the campaign has to find.
var table = []defect{
	{"forced", "P1", "a pod is removed by force, whether its program has ended or not", "controllers/run/owned/pods.go",
		`append(options, as)...`, `append(options, as, client.GracePeriodSeconds(0))...`},
	{"together", "P1", "a pod without devices keeps no other off its node", "internal/measure/workload/pod.go",
		`a.PodAntiAffinity = apart()`, `_ = apart`},
	{"one-device", "P1", "a pod asks for one device, and not for all of its node", "internal/measure/workload/container.go",
		`with(r.Limits, name, all), with(r.Requests, name, all)`, `with(r.Limits, name, *resource.NewQuantity(min(all.Value(), 1), resource.DecimalSI)), with(r.Requests, name, *resource.NewQuantity(min(all.Value(), 1), resource.DecimalSI))`},
	{"workers-together", "P1", "a worker keeps no other benchmark off its node", "internal/measure/workload/job.go",
		`spec.Affinity.PodAntiAffinity = apart()`, `_ = apart`},
	{"claims-together", "P1", "a pod that claims its devices keeps no other benchmark off its node", "internal/measure/workload/claim.go",
		`	spec.Affinity.PodAntiAffinity = apart()
`, ``},
	{"launched-unseen", "P1", "two runs start a pod each on a node, as neither has seen the other's", "controllers/run/write_pods.go",
		`Launching(node, w.run.UID, w.turn)`, `Launching(node, w.run.UID, ^uint64(0))`},
	{"next-look", "P2", "the time of the next look at a run is dropped where its status stays as it is", "controllers/run/report.go",
		`	if equality.Semantic.DeepEqual(p.run.Status, next) {
		return reconcile.Result{RequeueAfter: wait}, nil`, `	if equality.Semantic.DeepEqual(p.run.Status, next) {
		return reconcile.Result{}, nil`},
	{"no-grace", "P2", "a run waits for pods that hang for as long as they do", "internal/operate/assess/observe/deadline.go",
		`return !s.Now.Before(s.Deadline.Add(CleanupGrace)) }`, `return false }`},
	{"no-deadline", "P2", "pods go on after the deadline of their run", "internal/operate/plan/plan.go",
		`case !now.Before(s.Deadline):`, `case s.Deadline.IsZero():`},
	{"raw-node", "P2", "a node of which the API server says more than the cache keeps is taken for one that has changed", "controllers/run/saw_old.go",
		`!controllers.NodeChanged(controllers.AsCached(p.in.Nodes[seen]), controllers.AsCached(shown))`, `!controllers.NodeChanged(p.in.Nodes[seen], shown)`},
	{"never-placed", "P2", "a pod waits for more devices than its node still has", "internal/operate/assess/collect/collect.go",
		`case asksTooMuch(s.Tasks[p.Task], n, p):`, `case false:`},
	{"stalled-forever", "P2", "a run that cannot be started is not looked at when its time is over", "controllers/run/invalid.go",
		`return max(toDeadline, 0)`, `return 0`},
	{"pods-left", "P3", "the pods of a run are left when it ends", "controllers/run/cleanup.go",
		`	r.leave(run)
	left, err := r.own.DeleteAll(ctx, run)
	if err != nil {`, `	r.leave(run)
	left, err := 0, error(nil)
	if err != nil {`},
	{"finalizer-early", "P3", "a deleted run goes before its pods are gone", "controllers/run/cleanup.go",
		`	case left > 0:
		return`, `	case left < 0:
		return`},
	{"jobs-left", "P3", "the MPIJobs of a run are left when it is stopped", "controllers/run/owned/delete.go",
		`deleted := o.deleteJobs(ctx, jobs)`, `deleted := error(nil)`},
	{"templates-left", "P3", "the templates of a run's claims are left when it ends", "controllers/run/owned/templates.go",
		`	if !o.HasClaims {`, `	if o.HasClaims {`},
	{"others-taints", "P4", "with our taint all others of the node are removed", "internal/operate/taint/mark.go",
		`func(o corev1.Taint) bool { return same(o, m.taint()) })
	}
	return next, true`, `func(o corev1.Taint) bool { return o.Key != "" })
	}
	return next, true`},
	{"taint-without-version", "P4", "a taint is written whatever was written to the node since it was read", "controllers/quarantine/bind.go",
		`client.MergeFromWithOptions(read, client.MergeFromWithOptimisticLock{})`, `client.MergeFrom(read)`},
	{"gate-from-cache", "P4", "a gate is opened on the node as the cache has it, under no version", "controllers/policy/node.go",
		`controllers.LiveNode(ctx, w.Live, name)
`, `controllers.LiveNode(ctx, w, name)
		if node != nil {
			node.ResourceVersion = ""
		}
`},
	{"forged-mark", "P4", "a mark that names the gate's taint has it removed", "controllers/quarantine/bind.go",
		`	if !known || t.Key == v1alpha1.DefaultTaintKey {`, `	if !known || t.Key != "" {`},
	{"no-budget", "P5", "the operator's budget is not asked", "controllers/quarantine/room.go",
		`why = b.Refuses(n.current.Node, n.judgement.Resources())`, `_ = b.Refuses`},
	{"budget-one-more", "P5", "the operator's budget is one node too large", "internal/operate/taint/budget.go",
		`if unfit >= limit {`, `if unfit > limit {`},
	{"run-limit-one-more", "P5", "a run taints one node more than it may", "internal/operate/taint/breaker.go",
		`	if in.Limit <= carry {`, `	if in.Limit < carry {`},
	{"pools-unasked", "P5", "the operator's budget is a share of all nodes, and not of each pool", "internal/operate/taint/budget.go",
		`	for _, r := range resources {
		all = append`, `	for _, r := range resources[:0] {
		all = append`},
	{"announced-uncounted", "P5", "a taint that another leader has announced is not counted", "controllers/quarantine/budget.go",
		`	case lately && !carried:
		return true, nil
`, ``},
	{"taken-back-unfenced", "P5", "who takes back what another leader announced does not write the node", "controllers/quarantine/node.go",
		`if mark == "" || mark == next`, `if mark != "" || mark == next`},
	{"given-up-unfenced", "P5", "who gives up what another leader announced does not write the node", "controllers/quarantine/budget.go",
		`case !lately && p.announcements`, `case mark == "" && p.announcements`},
	{"place-lost", "P5", "a node that is unfit already loses its place to a worse one", "controllers/quarantine/budget.go",
		`own[n.name()] = !n.counts`, `own[n.name()] = true`},
	{"garbled-fails", "P6", "output that cannot be read counts as a failure", "internal/operate/assess/collect/collect.go",
		`a := v1alpha1.Attempt{Number: number, Verdict: v1alpha1.VerdictError, Reason: o.Reason`, `a := v1alpha1.Attempt{Number: number, Verdict: v1alpha1.VerdictFail, Reason: o.Reason`},
	{"forged-owner", "P6", "a pod is an attempt by its annotations, whatever its name", "internal/operate/assess/observe/pods.go",
		`return !s.Tasks[task].IsGroup() && pod.Name ==`, `return !s.Tasks[task].IsGroup() && attempt > 0 || pod.Name ==`},
	{"parts-measured", "P6", "a part of a GPU is measured as if it were a whole one", "internal/measure/workload/devices.go",
		`func Shared(resource string, node *corev1.Node) string {
	if resource != GPUResource {`, `func Shared(resource string, node *corev1.Node) string {
	if resource != GPUResource || node != nil {`},
	{"own-terms-convict", "P6", "what breaks only a run's own terms convicts", "internal/judge/term/catalogued.go",
		`	case asStrict(t.Rule, limit, t.Limit):`, `	case isFixed:`},
	{"easy-terms-clear", "P6", "a run whose own terms everybody meets clears a node", "internal/judge/term/refute.go",
		`if asStrict(c.Rule, h.Limit, c.Limit) || meets {`, `if h.Limit != "" || meets {`},
	{"taint-unproven", "P6", "a node is tainted before its result is stored", "controllers/run/write.go",
		`	stored := controllers.Each(w.out.Nodes, func(n assess.ResultWrite) error { return w.storeNodeResult(ctx, n) })
`, `	early := w.actOnNodes(ctx)
	stored := errors.Join(early, controllers.Each(w.out.Nodes, func(n assess.ResultWrite) error { return w.storeNodeResult(ctx, n) }))
`},
	{"missing-unseen", "P10", "a leader that has stalled stores that devices are missing which it saw missing before", "controllers/run/saw_old.go",
		`		if made == nil || len(`, `		if made == nil || name != "" || len(`},
	{"renounced-again", "P6", "with an announcement goes what another run convicted the node of before", "internal/operate/taint/next.go",
		`return c.Run.UID == j.Run.UID && !c.Again }`, `return c.Run.UID == j.Run.UID }`},
	{"one-attempt", "P6", "one bad attempt fails a node, whatever those say that are to confirm it", "internal/judge/verdict/judge.go",
		`	case len(t.fails) > 0:
		return b.weigh(t.measured, facts, by).decide(&t)`, `	case len(t.fails) > 0:
		return alone(t.fails[0])`},
	{"earlier-refutes", "P6", "a measurement of before a conviction refutes it", "internal/operate/nodevalidation/conviction.go",
		`		if !later(held.Time, held.RunUID, c.MeasuredAt, c.Run.UID) {
			continue
		}
`, ``},
	{"another-benchmark-refutes", "P6", "what one benchmark convicted of, another one refutes", "internal/operate/nodevalidation/conviction.go",
		`if h.Name != c.Benchmark && c.Rule != term.Devices {`, `if h.Name == "" {`},
	{"lift-any", "P6", "a lift removes the taint of whatever quarantine the node has by then", "internal/operate/taint/mark.go",
		`	if mark == "" || MarkOn(node) != mark {
		return node, false
	}
	next = node.DeepCopy()`, `	if mark == "" || MarkOn(node) == "" {
		return node, false
	}
	mark = MarkOn(node)
	next = node.DeepCopy()`},
	{"record-without-version", "P6", "what is known of a node is written over what another run has just written", "controllers/quarantine/node.go",
		`	if err := controllers.Put(ctx, n, before != nil, next); err != nil {`, `	next.ResourceVersion = ""
	if err := controllers.Put(ctx, n, before != nil, next); err != nil {`},
	{"own-clock", "P7", "the conditions of a run have the time of the operator's own clock", "internal/operate/assess/conditions.go",
		`LastTransitionTime: metav1.NewTime(c.now.Truncate(time.Second))`, `LastTransitionTime: metav1.NewTime(time.Now().Truncate(time.Second))`},
	{"unpinned", "P7", "a run measures what the catalogue has now, and not what it was started with", "controllers/run/catalogue.go",
		`	if p != nil || err != nil {
		return p, err
	}
	if p, err = r.current`, `	if p != nil {
		if now, err := r.current(ctx, run); err == nil {
			return &pin{snapshot: now.snapshot, hash: p.hash, stored: true}, nil
		}
	}
	if p != nil || err != nil {
		return p, err
	}
	if p, err = r.current`},
	{"some-slices", "P7", "of a pool that is not all there those devices are measured that are", "internal/measure/dra/offer.go",
		`	if o.Broken != "" {
		o.Offers = 0`, `	if o.Broken != "" {
		o.Offers = min(o.Offers, o.Has)`},
	{"former-slices", "P7", "the slices of a node that had the name before are believed", "internal/measure/dra/pools.go",
		`o.Kind == "Node" && o.UID != node.UID`, `o.Kind == "Node" && o.UID == ""`},
	{"always-writes", "P8", "the status of a policy is written in every pass, and each write makes another pass", "controllers/policy/report.go",
		`	if !w.policy.DeletionTimestamp.IsZero() || equality.Semantic.DeepEqual(w.policy.Status, *next) {
		return nil
	}
	return w.patchStatus(ctx, *next)`, `	if !w.policy.DeletionTimestamp.IsZero() {
		return nil
	}
	_ = equality.Semantic
	next.ObservedGeneration = w.policy.Status.ObservedGeneration ^ 64
	return w.patchStatus(ctx, *next)`},
	{"strays-left", "P9", "marks and taints that no record explains are left where no run is active", "controllers/quarantine/mend.go",
		`	_, err = k.mend(ctx, req.Name)`, ``},
	{"announced-forever", "P9", "an announcement of a leader that stopped keeps its place for ever", "controllers/quarantine/budget.go",
		`	announced = 2 * time.Minute`, `	announced = 200 * time.Hour`},
	{"carried-uncounted", "P5", "after the taints the nodes of others are not counted again", "controllers/quarantine/batch.go",
		`b.settle(ctx, true, func(n *nodeWriter) error { return n.renounce(ctx) })`, `_ = (*batch).settle`},
	{"not-overtaken", "P9", "a leader goes on to taint although another one has taken its record back", "controllers/quarantine/announce.go",
		`	if !n.announced || listed`, `	if n.announced || listed`},
	{"lock-left-out", "P9", "two passes of one process taint and lift at the same time", "controllers/quarantine/batch.go",
		`	p.Taints.Lock()
	defer p.Taints.Unlock()
	var errs`, `	var errs`},
	{"pods-before-results", "P10", "pods are deleted before what they found is stored", "controllers/run/write.go",
		`	stored := controllers.Each(w.out.Nodes, func(n assess.ResultWrite) error { return w.storeNodeResult(ctx, n) })
	deleted := controllers.Each(w.out.DeletePods, func(d assess.PodDeletion) error { return w.deletePod(ctx, d) })
`, `	deleted := controllers.Each(w.out.DeletePods, func(d assess.PodDeletion) error { return w.deletePod(ctx, d) })
	stored := controllers.Each(w.out.Nodes, func(n assess.ResultWrite) error { return w.storeNodeResult(ctx, n) })
`},
	{"forged-times", "P10", "a program may end before it began", "internal/measure/result/envelope.go",
		` || e.End.Before(e.Start):`, `:`},
	{"failed-is-valid", "P11", "a node that failed counts as valid, and its gate is opened", "internal/operate/policy/validity/judge.go",
		`		j.State, j.Conviction = Unfit, &nv.Convictions[0]`, `		j.State, j.Conviction = Valid, &nv.Convictions[0]`},
	{"gate-unasked", "P11", "a gate is opened by what the pass began with, and not by what is there", "controllers/policy/gate.go",
		`		if w.isOld() || !policy.MayOpen(&o, live, shown, validation, w.now) {
			return false
		}
`, `		_, _, _ = policy.MayOpen, validation, shown
`},
	{"gate-while-measured", "P11", "a gate is opened while another run measures its node", "internal/operate/policy/runs.go",
		`return beside == "" || run.UID != beside }`, `return beside == "" }`},
	{"failed-times-out", "P11", "the gate of a node that failed opens when time is over", "internal/operate/policy/open.go",
		`return j.State != validity.Unfit && !j.Unjudged && !j.FailedBefore && !j.Lost && !lost`, `return !lost || !lost`},
	{"name-of-nodes", "P11", "the name of a run goes by its nodes as well, and not by the newest run of its policy alone", "internal/operate/policy/create.go",
		`name := s.runName()`, `name := s.runName() + nodes[0].Object.Name`},
	{"clock-set", "P7", "a leader whose own clock is set goes by it until the API server answers", "controllers/clock.go",
		`return c.began.Round(0).Add(c.local.Since(c.began))`, `return c.local.Now()`},
	{"corrected-bound", "P9", "a bound that was corrected clears nobody whom the wrong one convicted", "internal/judge/term/refute.go",
		`	if catalogued {
`, `	if catalogued && asStrict(c.Rule, h.Limit, c.Limit) {
`},
	{"former-record", "P11", "what is known of a node that had the name before is believed", "internal/operate/policy/validity/judge.go",
		`	if n.Validation == nil || n.Validation.Fingerprint.NodeUID != n.Object.UID {`, `	if n.Validation == nil || n.Object.UID == "" {`},
	{"usual-key", "P9", "a lift removes only a taint that has the usual key", "internal/operate/taint/mark.go",
		`func(o corev1.Taint) bool { return same(o, m.taint()) })
	}
	return next, true`, `func(o corev1.Taint) bool { return o.Key == v1alpha1.DefaultTaintKey && same(o, m.taint()) })
	}
	return next, true`},
	{"fewer-parts", "P6", "a conviction on fewer parts takes the place of one on more", "internal/judge/term/refute.go",
		`c.Parts >= than.Parts && `, ``},
	{"foreign-rule", "P4", "a rule that somebody has made theirs is Assay's still", "controllers/devicerules/watch.go",
		`ok && devicerule.Ours(rule) {`, `ok && (devicerule.Ours(rule) || rule.Name != "") {`},
	{"foreign-name", "P4", "a rule of somebody else is overwritten where it has the name of ours", "controllers/devicerules/write.go",
		`if !devicerule.Ours(found) {`, `if found == nil {`},
	{"devices-uncounted", "P5", "a node of which only devices are out of service is not counted", "internal/operate/taint/mark.go",
		`return known && (m.ofDevices() || has(node, m.taint()))`, `return known && has(node, m.taint())`},
	{"rule-stays", "P6", "the rule of a device stays when that is back in service", "controllers/devicerules/write.go",
		`range plan.Delete {`, `range plan.Delete[:0] {`},
	{"rule-by-place", "P6", "a rule stays where its device was, whatever device is there now", "internal/measure/dra/place.go",
		`return !whole && (published || at.Pool == p.node) && (!taken || is == uuid)`, `return whole || published || taken || is == uuid`},
	{"rule-by-name", "P6", "a rule goes by the name of the device that it was made for, and not by its UUID", "internal/operate/devicerule/devicerule.go",
		`		places := at.Of(uuid)
`, `		places := at.Of(uuid)
		for _, r := range existing {
			if r.Annotations[v1alpha1.AnnotationDevice] == uuid {
				places = []dra.Place{placeOf(r)}
			}
		}
`},
	{"pool-of-others", "P6", "a rule is made in a pool that has the name of another node", "controllers/devicerules/reconcile.go",
		`		foreign, err := r.foreign(ctx, name, driver, pool)
`, `		_, err := r.foreign(ctx, name, driver, pool)
		foreign := false
`},
	{"another-device-clears", "P6", "a later run that has not seen a device clears it", "internal/operate/taint/devices.go",
		`func(uuid string) bool { return !proved(broken, row, uuid) })`, `func(string) bool { return false })`},
	{"came-back", "P6", "a GPU that came back in the middle of a run is cleared by it", "internal/operate/taint/proved.go",
		`(!there || wasBeyond(broken, a, uuid))`, `!there && len(row.Attempts) == 1`},
	{"became-bad", "P6", "a GPU that became bad in the middle of a run is cleared by it", "internal/operate/taint/proved.go",
		`(!there || wasBeyond(broken, a, uuid))`, `!there`},
	{"unseen-attempt", "P6", "a leader takes back what another one convicted by an attempt that it has not seen", "internal/operate/taint/judgement.go",
		`sawAll(row, &c) && !slices`, `!slices`},
	{"words-left", "P9", "a node that says the opposite of its record is left so where no run is active", "controllers/quarantine/mend.go",
		`errors.Join(err, k.owe(ctx, req.Name))`, `errors.Join(err)`},
	{"all-that-miss", "P6", "a device that breaks only a run's own bound is convicted beside another one", "internal/judge/term/catalogued.go",
		`asked.Ats = list.Where(t.Ats, broken)`, `asked.Ats = list.Where(t.Ats, func(string) bool { return true })`},
	{"device-by-index", "P6", "a part is the device that had its number in the first attempt, whatever has it in the others", "internal/operate/taint/devices.go",
		`		if len(is) != 1 || uuid != "" && is[0] != uuid {
			return ""
		}
`, `		if len(is) != 1 || uuid != "" {
			continue
		}
`},
	{"rules-untolerated", "P9", "claims of Assay's do not tolerate that a device is out of service", "internal/measure/workload/claim.go",
		`Count: c.Count, Tolerations: tolerations}`, `Count: c.Count, Tolerations: tolerations[:0]}`},
	{"plugin-too", "P9", "devices are taken out of service one by one although a plugin hands them out, too", "internal/operate/taint/devices.go",
		`	case o.Plugin:
`, `	case o.Plugin && o.Has == 0:
`},
	{"no-such-kind", "P9", "devices are taken out of service one by one although there are no rules", "internal/operate/taint/devices.go",
		`	case o != nil && o.NoRules:
`, `	case o != nil && o.NoRules && o.Has == 0:
`},
	{"edited-rule", "P9", "a rule that somebody has edited stays as it is", "internal/operate/devicerule/devicerule.go",
		`	next.Spec = *want.Spec.DeepCopy()
`, ``},
	{"moved-rule", "P9", "no pass of a device's rule is made when its slices change", "controllers/devicerules/watch.go",
		`		{Object: &resourcev1.ResourceSlice{}, Handler: wakes(r.markedPublishers)},
`, ``},
	{"silent-degrade", "P9", "a node is tainted as a whole although devices are asked for, and its row does not say why", "internal/operate/taint/next.go",
		`	of := j.out(c.Node, v.Quarantine, convicted, own)
	next.Note = of.noted(next.Note, len(own) > 0, c.Node, v.Quarantine)
`, `	of := j.out(c.Node, v.Quarantine, convicted, own)
`},
}
