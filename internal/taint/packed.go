package taint

import (
	"encoding/binary"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// packedMark begins the message of a packed NodeValidation.
const packedMark = "\x00"

// What a packed entry has, as bits.
const (
	packedParameters = 1 << iota
	packedExpectations
	packedMachine
)

// Pack takes those benchmarks out of a NodeValidation that tell of one pass and nothing else, and puts them into its message, where they take
// a seventh of the memory: the cache has those of all nodes, and few are looked at. It is for what nobody shows or writes.
func Pack(v *v1alpha1.NodeValidation) {
	p := packer{texts: map[string]uint64{}}
	var others []v1alpha1.BenchmarkHistory
	for i := range v.Benchmarks {
		if b := &v.Benchmarks[i]; onlyPassed(b) {
			p.add(i, b)
		} else {
			others = append(others, *b)
		}
	}
	if p.count > 0 {
		v.Benchmarks, v.Message = others, p.String()
	}
}

// onlyPassed: the benchmark tells of one pass, without what it measured.
func onlyPassed(b *v1alpha1.BenchmarkHistory) bool {
	if len(b.History) != 1 || b.Message != "" || len(b.Unproved)+len(b.Passes)+len(b.Warnings) > 0 {
		return false
	}
	e := &b.History[0]
	return e.Verdict == v1alpha1.VerdictPass && e.Configuration == "" && len(e.Values)+len(e.Held)+len(e.Unconfirmed) == 0 && e.Time.Nanosecond() == 0
}

// packer writes each text once, and rows of numbers.
type packer struct {
	texts       map[string]uint64
	table, rows []byte
	count       uint64
}

func (p *packer) text(all ...string) {
	for _, s := range all {
		n, known := p.texts[s]
		if !known {
			n = uint64(len(p.texts))
			p.texts[s] = n
			p.table = append(binary.AppendUvarint(p.table, uint64(len(s))), s...)
		}
		p.rows = binary.AppendUvarint(p.rows, n)
	}
}

// add a benchmark, and where it stood.
func (p *packer) add(at int, b *v1alpha1.BenchmarkHistory) {
	p.count++
	e := &b.History[0]
	flags := uint64(0)
	if e.OwnParameters {
		flags |= packedParameters
	}
	if e.OwnExpectations {
		flags |= packedExpectations
	}
	if e.Machine != nil {
		flags |= packedMachine
	}
	p.rows = binary.AppendVarint(binary.AppendUvarint(binary.AppendUvarint(p.rows, uint64(at)), flags), e.Time.Unix())
	p.text(b.Name, string(b.Verdict), e.Run, string(e.RunUID), e.Asked)
	if m := e.Machine; m != nil {
		p.text(m.BootID, m.Kernel, m.Driver, m.Devices, m.Fabric)
	}
}

func (p *packer) String() string {
	var text strings.Builder
	text.WriteString(packedMark)
	text.Write(binary.AppendUvarint(nil, uint64(len(p.texts))))
	text.Write(p.table)
	text.Write(binary.AppendUvarint(nil, p.count))
	text.Write(p.rows)
	return strings.Clone(text.String())
}

// Unpacked is a NodeValidation with all of its benchmarks, as it was before it was packed: the same one where it was not.
func Unpacked(v *v1alpha1.NodeValidation) *v1alpha1.NodeValidation {
	if v == nil {
		return nil
	}
	packed, is := strings.CutPrefix(v.Message, packedMark)
	if !is {
		return v
	}
	whole := *v
	whole.Message = ""
	whole.Benchmarks = append(make([]v1alpha1.BenchmarkHistory, 0, len(v.Benchmarks)+packedRows), v.Benchmarks...)
	u := unpacker{rest: packed}
	u.texts = make([]string, u.number())
	for i := range u.texts {
		u.texts[i] = u.take(u.number())
	}
	for range u.number() {
		at, b := u.benchmark()
		whole.Benchmarks = slices.Insert(whole.Benchmarks, at, b)
	}
	return &whole
}

// packedRows is room for the benchmarks of a suite.
const packedRows = 16

// unpacker reads what packer wrote.
type unpacker struct {
	rest     string
	texts    []string
	machines []*v1alpha1.Machine
}

func (u *unpacker) take(n uint64) string {
	s := u.rest[:n]
	u.rest = u.rest[n:]
	return s
}

func (u *unpacker) number() (n uint64) {
	for shift := 0; ; shift += 7 {
		b := u.take(1)[0]
		if n |= uint64(b&0x7f) << shift; b < 0x80 {
			return n
		}
	}
}

func (u *unpacker) text() string { return u.texts[u.number()] }

func (u *unpacker) benchmark() (at int, b v1alpha1.BenchmarkHistory) {
	at = int(u.number())
	flags, seconds := u.number(), u.number()
	b = v1alpha1.BenchmarkHistory{Name: u.text(), Verdict: v1alpha1.Verdict(u.text())}
	e := v1alpha1.HistoryEntry{Run: u.text(), RunUID: types.UID(u.text()), Asked: u.text(), Verdict: v1alpha1.VerdictPass,
		Time:          metav1.Time{Time: time.Unix(int64(seconds>>1)^-int64(seconds&1), 0)}, // as binary.AppendVarint writes it
		OwnParameters: flags&packedParameters != 0, OwnExpectations: flags&packedExpectations != 0}
	if flags&packedMachine != 0 {
		e.Machine = u.machine()
	}
	b.History = []v1alpha1.HistoryEntry{e}
	return at, b
}

// machine is one for all benchmarks that were measured on it.
func (u *unpacker) machine() *v1alpha1.Machine {
	m := v1alpha1.Machine{BootID: u.text(), Kernel: u.text(), Driver: u.text(), Devices: u.text(), Fabric: u.text()}
	if i := slices.IndexFunc(u.machines, func(known *v1alpha1.Machine) bool { return *known == m }); i >= 0 {
		return u.machines[i]
	}
	u.machines = append(u.machines, &m)
	return &m
}
