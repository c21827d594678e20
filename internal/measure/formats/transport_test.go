package formats

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/internal/measure/result"
)

func TestTransports(t *testing.T) {
	const host = "gpu-1:1234:1250 [0] NCCL INFO "
	for name, c := range map[string]struct {
		lines []string
		want  any
	}{
		"InfiniBand": {[]string{host + "NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.1.2.3<0>", host + "Using network IB",
			host + "Channel 00/0 : 1[1] -> 0[0] [receive] via NET/IB/0/GDRDMA"}, "NET/IB"},
		"sockets, which were all there was": {[]string{host + "NET/IB : No device found.", host + "NET/Socket : Using [0]eth0:10.1.2.3<0>", host + "Using network Socket"}, "NET/Socket"},
		"a channel tells more":              {[]string{host + "Using network IB", host + "Channel 01/0 : 1[1] -> 0[0] [send] via NET/Socket/0"}, "NET/Socket"},
		"one rank of many":                  {[]string{host + "Channel 01/0 : 1[1] -> 0[0] [send] via NET/Socket/0", host + "Channel 01/0 : 1[1] -> 0[0] [send] via NET/IB/3(1)/GDRDMA"}, "NET/IB, NET/Socket"},
		"a plugin":                          {[]string{host + "Channel 01/0 : 1[1] -> 0[0] [send] via NET/AWS Libfabric/0/GDRDMA"}, "NET/AWS Libfabric"},
		"within a node":                     {[]string{host + "Channel 00/0 : 1[1] -> 0[0] via P2P/CUMEM/read"}, nil},
		"not NCCL's":                        {[]string{"Channel 01/0 : 1[1] -> 0[0] [send] via NET/Socket/0", "Using network Socket"}, nil},
		"garbage":                           {[]string{host + "Using network \x1b[31m", host + "Channel via NET//0", host}, nil},
	} {
		var seen Transports
		for _, line := range c.lines {
			seen.Read(line)
		}
		var d result.Document
		seen.AddTo(&d)
		var got any
		if len(d.Facts) > 0 {
			got = d.Facts[0].Value
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestWithoutNCCLLog: NCCL's log on stdout leaves the document alone.
func TestWithoutNCCLLog(t *testing.T) {
	got := string(WithoutNCCLLog([]byte("a:1:2 [0] NCCL INFO Using network IB\n{\"schema\":\n1}\na:1:2 [0] NCCL INFO bye")))
	if want := "{\"schema\":\n1}\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestTransportOfARealLog reads what NCCL 2.28.9 wrote on an H200 without an adapter, under mpirun.
func TestTransportOfARealLog(t *testing.T) {
	text, err := os.ReadFile("../../../test/testdata/outputs/nccl-2.28-log.txt")
	if err != nil {
		t.Fatal(err)
	}
	var seen Transports
	for line := range strings.Lines(string(text)) {
		seen.Read(strings.TrimSuffix(line, "\n"))
	}
	var d result.Document
	seen.AddTo(&d)
	if len(d.Facts) != 1 || d.Facts[0].Value != "NET/Socket" {
		t.Errorf("facts %v, want NET/Socket", d.Facts)
	}
}
