# The parts of a release, one function each. They use version, registry, out and work of build.sh, and SOURCE_DATE_EPOCH.

# What is missing is told before anything is compiled.
needs() {
  local tool name
  for tool in ASSAY_HELM ASSAY_KUBECTL ${COSIGN_KEY:+ASSAY_COSIGN}; do
    [[ -x ${!tool:-} ]] || { echo "release: $tool is '${!tool:-}', want the path of that program: run this by make release, which builds it" >&2; exit 1; }
  done
  for name in "${images[@]}"; do
    [[ -e images/$name/Dockerfile ]] || { echo "release: RELEASE_IMAGES has '$name', and there is no images/$name/Dockerfile" >&2; exit 2; }
  done
  command -v buildah >/dev/null || { echo "release: there is no buildah: install it, or run this by make release, which does" >&2; exit 1; }
  if [[ -n ${COSIGN_KEY:-} && $COSIGN_KEY != *://* && ! -r $COSIGN_KEY ]]; then
    echo "release: COSIGN_KEY is '$COSIGN_KEY', and there is no such file to read" >&2
    exit 1
  fi
}

# A tar of files in the order of their names, with the commit's time and nobody's user.
plain_tar() { tar --sort=name --format=gnu --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX "$@"; }

# Without the state of the repository in what is compiled, a clone without tags gives the same bytes.
compile() { # program, OS/architecture, file
  GOOS="${2%/*}" GOARCH="${2#*/}" hack/step.sh "release-$1" "Compiling $1 for $2" \
    go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$version" -o "$3" "./cmd/$1"
}

cli_archive() { echo "kubectl-assay_${version}_${1%/*}_${1#*/}.tar.gz"; }

cli() { # OS/architecture
  local folder="$work/cli/${1/\//-}" program=kubectl-assay
  [[ $1 != windows/* ]] || program+=.exe
  mkdir -p "$folder"
  compile kubectl-assay "$1" "$folder/$program"
  cp LICENSE "$folder"
  plain_tar -C "$folder" -c LICENSE "$program" | gzip -n >"$out/$(cli_archive "$1")"
  [[ $1 != linux/amd64 ]] || sbom kubectl-assay "$folder/$program"
}

# The manifest of krew, for the index of plugins or `kubectl krew install --manifest`.
krew() {
  local archive platform program
  cat <<YAML
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: assay
spec:
  version: $version
  homepage: https://github.com/assay-dev/assay
  shortDescription: Prove GPU nodes fit for work
  description: |
    Shows what Assay measured on the nodes of a cluster: verdicts, the slow part, and
    what was expected of it. Commands that ask a cluster need Assay's operator there.
    The command local, and report and compare with files (-f), need no cluster.
  platforms:
YAML
  for archive in "$out"/kubectl-assay_*.tar.gz; do
    platform="${archive##*"_${version}_"}" platform="${platform%.tar.gz}" program=kubectl-assay
    [[ $platform != windows_* ]] || program+=.exe
    cat <<YAML
  - selector:
      matchLabels: {os: ${platform%_*}, arch: ${platform#*_}}
    uri: https://github.com/assay-dev/assay/releases/download/$version/${archive##*/}
    sha256: $(sha256sum "$archive" | cut -d' ' -f1)
    bin: $program
YAML
  done
}

# An image as OCI archive, and its line in images.txt: name, digest, archive.
image() { # name
  local archive="$out/$1_$version.oci.tar" built
  case "$1" in
    manager | runner) static_image "$1" "$archive" ;;
    *)
      built="$(hack/images/build.sh "$1")"
      cp "$built" "$archive"
      ;;
  esac
  sbom "$1" "$archive"
  echo "$registry/$1:$version $(digest_in "$archive") ${archive##*/}" >>"$out/images.txt"
}

digest_in() { tar -xOf "$1" index.json | sed -E 's/.*"digest": *"(sha256:[0-9a-f]+)".*/\1/'; }

# An image of one static program, for both architectures.
static_image() { # name, archive
  local architecture folder list="localhost/assay/release/$1:$version"
  buildah manifest rm "$list" >/dev/null 2>&1 || true
  for architecture in amd64 arm64; do
    folder="$work/$1-$architecture"
    mkdir -p "$folder/bin"
    compile "$1" "linux/$architecture" "$folder/bin/$1"
    [[ $architecture == amd64 ]] || start_emulated "$1" "$folder/bin/$1"
    hack/step.sh "release-image-$1" "Building the image $1 for $architecture" \
      buildah bud --isolation chroot --platform "linux/$architecture" --timestamp "$SOURCE_DATE_EPOCH" --manifest "$list" \
      --label "org.opencontainers.image.version=$version" --label "org.opencontainers.image.licenses=Apache-2.0" \
      --label org.opencontainers.image.source=https://github.com/assay-dev/assay --file "images/$1/Dockerfile" "$folder"
  done
  buildah manifest push --quiet --all "$list" "oci-archive:$work/$1.tar:$registry/$1:$version" >/dev/null
  buildah manifest rm "$list" >/dev/null
  mkdir -p "$work/$1-layout"
  tar -xf "$work/$1.tar" -C "$work/$1-layout"
  plain_tar -C "$work/$1-layout" -cf "$2" blobs index.json oci-layout
}

# Programs for arm64 are started once where this machine can emulate one.
start_emulated() { # name, program
  local said
  if ! command -v qemu-aarch64-static >/dev/null; then
    echo "release: $1 for arm64 is built, and not started: there is no qemu-aarch64-static (Debian's qemu-user-static)" >&2
    return
  fi
  case "$1" in
    manager) said="$(qemu-aarch64-static "$2" --version)" && [[ $said == "$version" ]] ;;
    runner) qemu-aarch64-static "$2" install "$work/installed-runner" && cmp "$2" "$work/installed-runner" ;;
  esac || { echo "release: $1 for arm64 does not start: ${said:-it did not install itself}" >&2; return 1; }
}

crds() {
  local file
  for file in config/crd/bases/*.yaml; do cat "$file"; done
}

# sed's commands that put the release's images, by digest, in the place of those of config/. An image that is not built keeps its tag only.
rename_images() {
  local name digest
  for name in manager runner bench-cpu bench-cuda bench-gromacs bench-gromacs-gpu bench-host bench-lammps bench-lammps-gpu bench-openfoam bench-openmm bench-train; do
    digest="$(awk -v image="$registry/$name:$version" '$1 == image { print "@" $2 }' "$out/images.txt")"
    echo "s#localhost/assay/$name:dev#$registry/$name:$version$digest#g"
  done
}

install_manifest() { "$ASSAY_KUBECTL" kustomize config/default | sed -f <(rename_images); }

# The chart, with the release's images as its defaults.
chart() {
  local folder="$work/chart" name digest
  mkdir -p "$folder"
  cp -r charts/assay "$folder"
  for name in manager runner bench-cpu bench-cuda bench-gromacs bench-gromacs-gpu bench-host bench-lammps bench-lammps-gpu bench-openfoam bench-openmm bench-train; do
    digest="$(awk -v image="$registry/$name:$version" '$1 == image { print $2 }' "$out/images.txt")"
    awk -v old="localhost/assay/$name" -v new="$registry/$name" -v tag="$version" -v digest="$digest" '
      $1 == "repository:" { ours = $2 == old; if (ours) sub(old, new) }
      ours && $1 == "tag:" { sub(/dev/, tag) }
      ours && $1 == "digest:" { sub(/""/, "\"" digest "\""); ours = 0 }
      { print }' "$folder/assay/values.yaml" >"$folder/values.yaml"
    mv "$folder/values.yaml" "$folder/assay/values.yaml"
  done
  "$ASSAY_HELM" package "$folder/assay" --version "${version#v}" --app-version "$version" --destination "$folder" >/dev/null
  # Helm dates what it packs.
  rm -r "$folder/assay"
  tar -xzf "$folder/assay-${version#v}.tgz" -C "$folder"
  plain_tar -C "$folder" -c assay | gzip -n >"$out/assay-${version#v}.tgz"
}

# What is in it, as SPDX.
sbom() { # name, file
  go run ./hack/release/sbom -name "$1" -version "$version" -created "$SOURCE_DATE_EPOCH" -o "$out/$1_$version.spdx.json" "$2"
}

checksums() { (cd "$out" && sha256sum -- * >"$work/SHA256SUMS" && mv "$work/SHA256SUMS" .); }

sign() {
  if [[ -z ${COSIGN_KEY:-} ]]; then
    echo "release: not signed, because COSIGN_KEY names no key" >&2
    return
  fi
  "$ASSAY_COSIGN" sign-blob --yes --key "$COSIGN_KEY" --use-signing-config=false --tlog-upload=false \
    --bundle "$out/SHA256SUMS.sigstore.json" "$out/SHA256SUMS" >/dev/null
}
