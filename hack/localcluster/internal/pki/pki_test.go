package pki

import (
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"
)

func TestIssuedCertificatesVerifyForTheirUseOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pki")
	ca, err := NewAuthority(dir, "ca")
	if err != nil {
		t.Fatal(err)
	}
	if err := ca.Issue("client", Subject{User: "system:node:node-1", Group: "system:nodes"}); err != nil {
		t.Fatal(err)
	}
	if ca, err = LoadAuthority(dir, "ca"); err != nil { // as for a node that joins later
		t.Fatal(err)
	}
	if err := ca.Issue("server", Subject{User: "s", Addresses: []string{"10.1.2.3", "localhost"}}); err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(read(t, dir, "ca.crt"))
	verify := func(cert *x509.Certificate, use x509.ExtKeyUsage) error {
		_, err := cert.Verify(x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{use}})
		return err
	}
	client, server := read(t, dir, "client.crt"), read(t, dir, "server.crt")
	if err := verify(client, x509.ExtKeyUsageClientAuth); err != nil {
		t.Error(err)
	}
	if verify(client, x509.ExtKeyUsageServerAuth) == nil || verify(server, x509.ExtKeyUsageClientAuth) == nil {
		t.Error("a certificate is good for the other side's use")
	}
	for _, name := range []string{"10.1.2.3", "localhost"} {
		if err := server.VerifyHostname(name); err != nil {
			t.Error(err)
		}
	}
	if o := client.Subject.Organization; len(o) != 1 || o[0] != "system:nodes" {
		t.Errorf("groups %v", o)
	}
}

func TestPrivateKeysAreTheOwnersOnly(t *testing.T) {
	dir := t.TempDir()
	if _, err := NewAuthority(dir, "ca"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "ca.key"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func read(t *testing.T, dir, file string) *x509.Certificate {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(content)
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}
