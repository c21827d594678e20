package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"net/http/httptest"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// process is a running operator.
type process struct {
	cmd *exec.Cmd
	log string
}

type usage struct {
	rssMB      float64
	cpuSeconds float64
}

// startManager runs the operator as a process, so that its memory and CPU are its own; plain is set where host speaks
// HTTP without credentials (the counting proxy).
func (b *bench) startManager(ctx context.Context, host, plain string) (*process, error) {
	config := clientcmdapi.NewConfig()
	cluster, user := clientcmdapi.NewCluster(), clientcmdapi.NewAuthInfo()
	cluster.Server = host
	if plain == "" {
		cluster.CertificateAuthorityData, cluster.CertificateAuthority = b.config.CAData, b.config.CAFile
		user.ClientCertificateData, user.ClientKeyData = b.config.CertData, b.config.KeyData
		user.ClientCertificate, user.ClientKey = b.config.CertFile, b.config.KeyFile
	}
	config.Clusters["c"], config.AuthInfos["u"] = cluster, user
	config.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	config.CurrentContext = "x"
	path := filepath.Join(b.dir, "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		return nil, err
	}
	p := &process{log: filepath.Join(b.dir, "manager.log")}
	log, err := os.Create(p.log)
	if err != nil {
		return nil, err
	}
	const probe = "127.0.0.1:18081"
	p.cmd = exec.CommandContext(ctx, b.manager, "--kubeconfig", path, "--metrics-bind-address=0",
		"--health-probe-bind-address="+probe, "--priority-class=", "--benchmark-namespace="+namespace)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // one that is left behind would keep the port of the next
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", b.manager, err)
	}
	err = wait.PollUntilContextTimeout(ctx, pollEvery, time.Minute, true, func(context.Context) (bool, error) {
		r, err := http.Get("http://" + probe + "/readyz")
		if err != nil {
			return false, nil
		}
		return r.StatusCode == http.StatusOK, r.Body.Close()
	})
	if err != nil {
		out, _ := os.ReadFile(p.log)
		return nil, fmt.Errorf("waiting for the operator: %w: %s", err, out)
	}
	return p, nil
}

// stop the operator, if there is one.
func (p *process) stop() {
	if p == nil {
		return
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	_ = p.cmd.Wait()
}

// kill the operator amid whatever it does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// usage reads peak memory and CPU time of the process from /proc.
func (p *process) usage() (usage, error) {
	var u usage
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return u, err
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if rest, ok := strings.CutPrefix(s.Text(), "VmHWM:"); ok {
			kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			if err != nil {
				return u, err
			}
			u.rssMB = kb * 1024 / 1e6
		}
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return u, err
	}
	fields := strings.Fields(string(stat[strings.LastIndex(string(stat), ")")+2:]))
	for _, f := range fields[11:13] {
		ticks, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return u, err
		}
		// USER_HZ is 100 on every Linux that Go runs on.
		u.cpuSeconds += ticks / 100
	}
	return u, nil
}

// counter is a proxy to the API server that counts writes by verb and resource.
type counter struct {
	server *httptest.Server
	mu     sync.Mutex
	count  map[string]int
}

func newCounter(config *rest.Config) (*counter, error) {
	target, err := url.Parse(config.Host)
	if err != nil {
		return nil, err
	}
	transport, err := rest.TransportFor(config)
	if err != nil {
		return nil, err
	}
	c := &counter{count: map[string]int{}}
	proxy := &httputil.ReverseProxy{Transport: transport, FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	c.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			c.mu.Lock()
			c.count[strings.ToLower(r.Method)+" "+resourceOf(r.URL.Path)]++
			c.mu.Unlock()
		}
		proxy.ServeHTTP(w, r)
	}))
	return c, nil
}

// resourceOf is the resource, with its subresource, that an API path names.
func resourceOf(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case parts[0] == "api" && len(parts) > 2:
		parts = parts[2:]
	case parts[0] == "apis" && len(parts) > 3:
		parts = parts[3:]
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		parts = parts[2:]
	}
	if len(parts) > 2 {
		return parts[0] + "/" + parts[2]
	}
	return parts[0]
}

func (c *counter) url() string { return c.server.URL }
func (c *counter) close()      { c.server.CloseClientConnections(); c.server.Close() }

func (c *counter) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.count)
}

func (c *counter) writes() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, v := range c.count {
		n += v
	}
	return n
}

func (c *counter) table(nodes int) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for k, v := range c.count {
		out = append(out, fmt.Sprintf("%-34s %6.3f", k, float64(v)/float64(nodes)))
	}
	slices.Sort(out)
	return out
}
