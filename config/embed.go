// Package config is what a cluster is given, as files. What stands here is in kubectl assay too: it measures a host by the same catalogue,
// and compares an installation with what it should be.
package config

import "embed"

// Catalogue has the Benchmarks and HardwareProfiles, below catalogue.
//
//go:embed catalogue
var Catalogue embed.FS

// CRDs has the CustomResourceDefinitions of Assay's kinds, in crd/bases.
//
//go:embed crd/bases
var CRDs embed.FS

// Admission has the policies that the API server enforces, in admission.
//
//go:embed admission/*.yaml
var Admission embed.FS

// Role has the rights of the operator.
//
//go:embed rbac/role.yaml rbac/leader_election_role.yaml
var Role embed.FS
