package main

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"time"

	"github.com/spdx/tools-golang/spdx"
	"github.com/spdx/tools-golang/spdx/v2/common"
)

// unknown is SPDX's word for what is not looked into.
const unknown = "NOASSERTION"

// part is one Go module or Debian package.
type part struct {
	name, version, url string
}

var notInIdentifiers = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

// document says that a program or image contains parts, which come in the order in which they are listed.
func document(name, version, license string, created time.Time, parts []part) *spdx.Document {
	const root = common.ElementID("Package-root")
	key := sha256.New()
	doc := &spdx.Document{
		SPDXVersion: spdx.Version, DataLicense: spdx.DataLicense, SPDXIdentifier: "DOCUMENT", DocumentName: name + " " + version,
		CreationInfo: &spdx.CreationInfo{Created: created.UTC().Format(time.RFC3339), Creators: []common.Creator{{CreatorType: "Tool", Creator: "assay-sbom"}}},
		Packages:     []*spdx.Package{described(root, part{name: name, version: version}, license)},
		Relationships: []*spdx.Relationship{{RefA: common.MakeDocElementID("", "DOCUMENT"), RefB: common.MakeDocElementID("", string(root)),
			Relationship: common.TypeRelationshipDescribe}},
	}
	for i, p := range parts {
		fmt.Fprintln(key, p.url)
		id := common.ElementID(fmt.Sprintf("Package-%d-%s", i+1, notInIdentifiers.ReplaceAllString(p.name, "-")))
		doc.Packages = append(doc.Packages, described(id, p, unknown))
		doc.Relationships = append(doc.Relationships, &spdx.Relationship{RefA: common.MakeDocElementID("", string(root)),
			RefB: common.MakeDocElementID("", string(id)), Relationship: common.TypeRelationshipContains})
	}
	doc.DocumentNamespace = fmt.Sprintf("https://github.com/assay-dev/assay/spdx/%s-%s-%x", name, version, key.Sum(nil)[:8])
	return doc
}

func described(id common.ElementID, p part, license string) *spdx.Package {
	out := &spdx.Package{PackageSPDXIdentifier: id, PackageName: p.name, PackageVersion: p.version, PackageDownloadLocation: unknown,
		PackageLicenseConcluded: unknown, PackageLicenseDeclared: license, PackageCopyrightText: unknown}
	if p.url != "" {
		out.PackageExternalReferences = []*spdx.PackageExternalReference{{Category: common.CategoryPackageManager, RefType: "purl", Locator: p.url}}
	}
	return out
}
