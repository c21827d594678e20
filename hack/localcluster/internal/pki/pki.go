// Package pki makes the keys and certificates of one cluster. They are good
// for a year and kept in files that only root can read; no private key leaves
// the machine.
package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

const validity = 365 * 24 * time.Hour

// Authority signs certificates and writes them to a folder.
type Authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// Subject says whom a certificate speaks for.
type Subject struct {
	// User and Group are the Kubernetes user and group of a client.
	User, Group string
	// Addresses are the IPs and DNS names of a server; none for a client.
	Addresses []string
}

// NewAuthority writes NAME.crt and NAME.key to dir and signs with them.
func NewAuthority(dir, name string) (*Authority, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "assay-localcluster-" + name},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(validity),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature | x509.KeyUsageCRLSign,
		IsCA:                  true,
		BasicConstraintsValid: true,
	}
	a := &Authority{dir: dir, cert: template, key: key}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("signing authority %s: %w", name, err)
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		return nil, err
	}
	return a, a.write(name, der, key)
}

// LoadAuthority reads what NewAuthority wrote.
func LoadAuthority(dir, name string) (*Authority, error) {
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, name+".crt"), filepath.Join(dir, name+".key"))
	if err != nil {
		return nil, fmt.Errorf("reading authority %s: %w", name, err)
	}
	key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("reading authority %s: its key is a %T", name, pair.PrivateKey)
	}
	return &Authority{dir: dir, cert: pair.Leaf, key: key}, nil
}

// Issue writes FILE.crt and FILE.key for the subject.
func (a *Authority) Issue(file string, s Subject) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: s.User},
		NotBefore:    a.cert.NotBefore,
		NotAfter:     a.cert.NotAfter,
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	if s.Group != "" {
		template.Subject.Organization = []string{s.Group}
	}
	for _, address := range s.Addresses {
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
		if ip := net.ParseIP(address); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, address)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return fmt.Errorf("signing %s: %w", file, err)
	}
	return a.write(file, der, key)
}

func (a *Authority) write(name string, der []byte, key *ecdsa.PrivateKey) error {
	if err := WriteKey(filepath.Join(a.dir, name+".key"), key); err != nil {
		return err
	}
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return os.WriteFile(filepath.Join(a.dir, name+".crt"), block, 0o644)
}

// WriteKey writes a private key that only its owner can read. It is in SEC 1
// form: the API server derives public keys from no other.
func WriteKey(path string, key *ecdsa.PrivateKey) error {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), 0o600)
}
