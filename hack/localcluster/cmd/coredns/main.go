// Command coredns is CoreDNS with the plugins that the cluster's Corefile names, instead of all fifty.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"

	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/forward"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/template"
)

func init() {
	// The order in which a query passes them, as in CoreDNS's own list.
	dnsserver.Directives = []string{"bind", "errors", "cache", "template", "kubernetes", "forward"}
}

func main() { coremain.Run() }
