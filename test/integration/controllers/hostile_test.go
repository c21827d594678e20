package controllers_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
)

// forged is a termination message that no runner wrote: an envelope with these parts that ended at this time.
func (l *lab) forged(parts, end string) string {
	l.t.Helper()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, err := fmt.Fprintf(zip, `{"version":1,"outcome":"Measured","reason":"Measured","exitCode":0,"start":"2026-01-01T00:00:00Z","end":%q,"document":{"schema":"assay.dev/result/v1",`+
		`"benchmark":"b","measurements":[{"name":"rate","unit":"GB/s","better":"higher","parts":[%s]}]}}`, end, parts)
	l.must(err)
	l.must(zip.Close())
	message := result.Prefix + base64.RawStdEncoding.EncodeToString(packed.Bytes())
	if len(message) > result.MaxEncoded {
		l.t.Fatalf("the forged message has %d bytes: no kubelet would take it", len(message))
	}
	return message
}

// TestHostileOutput: what one node's pod leaves, or its kubelet says of it, keeps neither that node nor another from its verdict.
func TestHostileOutput(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("i", 5000)
	for sentence, c := range map[string]struct {
		plays         func(*lab) program
		reason, words string
	}{
		"it ended in the year 10000, by UTC": {
			func(l *lab) program {
				return program{message: l.forged(`{"at":"node","value":1}`, "9999-12-31T23:59:59-23:59")}
			},
			v1alpha1.ReasonBadOutput, "are not a span of time"},
		"it unpacks to more than can be stored": {
			func(l *lab) program {
				parts := make([]string, 430)
				for i := range parts {
					parts[i] = fmt.Sprintf(`{"at":"%s%d","value":1}`, strings.Repeat("<", 124), i)
				}
				return program{message: l.forged(strings.Join(parts, ","), "2026-01-01T00:01:00Z")}
			},
			v1alpha1.ReasonBadOutput, "bytes, at most 262144 can be stored: have the program report fewer parts"},
		"the kubelet tells an endless reason": {
			func(*lab) program {
				return program{status: &corev1.PodStatus{Phase: corev1.PodFailed, Reason: long, Message: long}}
			},
			v1alpha1.ReasonEvicted, "the kubelet ended the pod: iii"},
		"the kubelet tells an endless image": {
			func(*lab) program {
				s := containerStatus(corev1.PodPending, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "InvalidImageName", Message: long}})
				s.ContainerStatuses[0].Image = long
				return program{status: &s}
			},
			v1alpha1.ReasonImagePullFailed, "image iii"},
		"the kubelet tells a time before all others": {
			func(*lab) program {
				began := metav1.NewTime(time.Date(1, 2, 3, 0, 0, 0, 0, time.UTC))
				s := containerStatus(corev1.PodFailed, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 3, StartedAt: began, FinishedAt: began}})
				return program{status: &s}
			},
			v1alpha1.ReasonProgramFailed, "exited with code 3"},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, 2)
			l.plays = on("a", c.plays(l))
			l.run(tainting)
			run := l.finish()
			same(t, "the summary", &v1alpha1.RunSummary{Nodes: 2, Passed: 1, Errored: 1}, run.Status.Summary)
			a := l.result("a").Benchmarks[0].Attempts[0]
			same(t, "the reason", c.reason, a.Reason)
			contains(t, "the attempt", a.Message, c.words)
			if a.StartTime != nil && a.StartTime.Year() < 1970 {
				t.Errorf("the attempt began at %v", a.StartTime)
			}
		})
	}
}

// TestSuiteOfTooMany: a suite that resolves to more Benchmarks than a result holds is told before anything is measured.
func TestSuiteOfTooMany(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	for i := range 33 {
		b := l.benchmark(fmt.Sprintf("%s-%02d", l.name, i))
		b.Spec.Suites = []string{l.name}
		l.create(b)
	}
	l.run(func(r *v1alpha1.ValidationRun) { r.Spec.Suite, r.Spec.Benchmarks = l.name, nil })
	l.pass()
	l.pass()
	same(t, "the run while they are 33", "False/Invalid", state(l.get())[v1alpha1.ConditionFinished])
	contains(t, "the condition", l.get().Status.Conditions[0].Message,
		fmt.Sprintf("33 Benchmarks list the suite %q, and a run takes at most 32: name those to measure in spec.benchmarks of several runs, or take some out of the suite", l.name))
	same(t, "the pods", 0, len(l.pods()))
	l.must(api.Delete(t.Context(), &v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: l.name + "-32"}}))
	l.until("measuring", func() bool { return len(l.pods()) > 0 })
}
