#!/usr/bin/env bash
# Builds images/IMAGE/Dockerfile as localhost/assay/IMAGE:dev and prints the path of its OCI archive. Its context is what
# images/IMAGE/context lists. Nothing is built when the archive for the same contents is in the cache already.
#
# Usage: hack/images/build.sh IMAGE
# With Docker where its daemon answers; else with buildah on a base image made by debootstrap from this machine's apt mirror. Where pip reaches
# packages through a mirror, it does so here: by PIP_CONFIG_FILE, the user's or the machine's pip.conf, and by the certificates of PIP_CERT,
# of that file or of the machine. CUDA_ARCHITECTURE, for images that are built for one kind of GPU: 80 for A100, 90 (the default) for H100 and
# H200, 100 for B200.
set -euo pipefail

cd "$(dirname "$0")/../.."
image="${1:?usage: hack/images/build.sh IMAGE}"
dockerfile="images/$image/Dockerfile"
[[ -e "$dockerfile" ]] || { echo "build.sh: no image '$image': $dockerfile is not there" >&2; exit 2; }
name="localhost/assay/$image:dev"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/assay/images"
suite=bookworm
mkdir -p "$cache"

# Every file of the context with its mode and contents, and what builds the image.
context_key() {
  local paths
  mapfile -t paths <"images/$image/context"
  { find "${paths[@]}" -type f -printf '%p %m\n' | LC_ALL=C sort
    find "${paths[@]}" -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
    sha256sum "$dockerfile" "$0"
    architecture_argument; } | sha256sum | cut -c1-16
}

# Only the listed files, so that neither builder sees more than the key covers.
copy_context() {
  local path
  while read -r path; do
    mkdir -p "$1/$(dirname "$path")"
    cp -r "$path" "$1/$path"
  done <"images/$image/context"
  cp "$dockerfile" "$1/Dockerfile"
}

apt_sources() {
  apt-get indextargets --format 'deb $(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
    awk -v suite="$suite" '$2 ~ /debian/ && index($3, suite) == 1 && $4 == "main"'
}

# A small Debian as localhost/assay/base:TAG, made once for each set of mirrors.
base_image() {
  local sources mirror tag root container
  sources="$(apt_sources)"
  # Where apt's own sources are not Debian's (Ubuntu), debootstrap chooses the mirror.
  mirror="$(awk 'NR == 1 { print $2 }' <<<"$sources")"
  tag="$suite-$(sha256sum <<<"$sources" | cut -c1-8)"
  if ! buildah inspect --type image "localhost/assay/base:$tag" >/dev/null 2>&1; then
    root="$(mktemp -d)"
    hack/step.sh debian-base "Making a minimal Debian for the images" \
      debootstrap --variant=minbase "$suite" "$root" ${mirror:+"$mirror"}
    [[ -z "$sources" ]] || echo "$sources" >"$root/etc/apt/sources.list"
    rm -rf "$root"/usr/share/{man,locale,info}/* "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/var/log/*
    find "$root/usr/share/doc" -type f ! -name copyright -delete
    container="$(buildah from scratch)"
    buildah add -q "$container" "$root" / >/dev/null
    buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --cmd /bin/bash "$container"
    buildah commit -q --rm "$container" "localhost/assay/base:$tag" >/dev/null
    rm -rf "$root"
  fi
  echo "localhost/assay/base:$tag"
}

# Programs report the key of what they were built from as their version.
version_argument() {
  if grep -q '^ARG VERSION' "$dockerfile"; then echo "--build-arg=VERSION=$key"; fi
}

architecture_argument() {
  if [[ -n "${CUDA_ARCHITECTURE:-}" ]] && grep -q '^ARG CUDA_ARCHITECTURE' "$dockerfile"; then
    echo "--build-arg=CUDA_ARCHITECTURE=$CUDA_ARCHITECTURE"
  fi
}

# What makes the two bases of an image with CUDA: the script that its context names last.
bases_script() { grep '^hack/images/.*-bases\.sh$' "images/$image/context" | tail -1; }

# What pip needs behind a mirror, for the steps that mount it: its configuration, and the certificates that it trusts here. As secrets,
# because nothing of them may stay in an image.
pip_secrets() {
  local configuration certificates=''
  grep -q -- '--mount=type=secret,id=pip' "$dockerfile" || return 0
  for configuration in "${PIP_CONFIG_FILE:-}" "${XDG_CONFIG_HOME:-$HOME/.config}/pip/pip.conf" /etc/pip.conf; do
    [[ -f "$configuration" ]] || continue
    echo "--secret=id=pip-configuration,src=$configuration"
    certificates="$(sed -n 's/^ *cert *[=:] *//p' "$configuration" | tail -1)"
    break
  done
  certificates="${PIP_CERT:-${certificates:-/etc/ssl/certs/ca-certificates.crt}}"
  [[ ! -e "$certificates" ]] || echo "--secret=id=pip-certificates,src=$certificates"
}

build_with_docker() {
  local arguments=()
  mapfile -t arguments < <(version_argument; architecture_argument; pip_secrets)
  hack/step.sh "image-$image" "Building the image $image" docker build --progress plain "${arguments[@]}" --tag "$name" "$1"
  docker save --output "$2" "$name"
}

build_with_buildah() {
  local arguments=()
  mapfile -t arguments < <(version_argument; architecture_argument; pip_secrets)
  if grep -q '^ARG BASE_IMAGE' "$dockerfile"; then
    arguments+=(--build-arg "BASE_IMAGE=$(base_image)")
  fi
  if grep -q '^ARG RUNTIME_IMAGE' "$dockerfile"; then
    local bases
    read -ra bases < <("$(bases_script)" "$(base_image)")
    arguments+=(--build-arg "BUILD_IMAGE=${bases[0]}" --build-arg "RUNTIME_IMAGE=${bases[1]}")
  fi
  local previous
  previous="$(buildah images --quiet "$name" 2>/dev/null || true)"
  hack/step.sh "image-$image" "Building the image $image" \
    buildah bud --isolation chroot --pull-never --layers "${arguments[@]}" --tag "$name" "$1"
  buildah push --quiet "$name" "oci-archive:$2:$name"
  [[ -z "$previous" || "$previous" == "$(buildah images --quiet "$name")" ]] || buildah rmi "$previous" >/dev/null 2>&1 || true
}

exec 9>"$cache/$image.lock"
flock 9
key="$(context_key)"
archive="$cache/$image-$key.tar"
if [[ ! -e "$archive" ]]; then
  context="$(mktemp -d)"
  trap 'rm -rf "$context" "$archive.part"' EXIT
  copy_context "$context"
  if command -v docker >/dev/null && docker info >/dev/null 2>&1; then
    build_with_docker "$context" "$archive.part"
  else
    build_with_buildah "$context" "$archive.part"
  fi
  find "$cache" -maxdepth 1 -regextype posix-extended -regex ".*/$image-[0-9a-f]{16}\.tar" -delete
  mv "$archive.part" "$archive"
fi
echo "$archive"
