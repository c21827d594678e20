#!/usr/bin/env bash
# Writes the files of the image bench-cpu, without what only CPU programs need, as a tar: the base of bench-cuda on a machine that can pull
# and compile nothing (Open MPI, ssh and sshd, the user of the programs). Needs buildah.
#
# Usage: hack/gpu/cluster/base.sh OUT.tar
set -euo pipefail
cd "$(dirname "$0")/../../.."
out="${1:?usage: hack/gpu/cluster/base.sh OUT.tar}"

archive="$(hack/images/build.sh bench-cpu)"
container="$(buildah from --pull-never "oci-archive:$archive")"
trap 'buildah rm "$container" >/dev/null' EXIT
root="$(buildah mount "$container")"
lib=./usr/lib/x86_64-linux-gnu
tar -C "$root" --numeric-owner -cf "$out" \
  --exclude=./usr/share/{doc,perl,perl5,zoneinfo,man,locale,info,i18n,mime} --exclude="$lib"/{perl,perl5,perl-base,gconv,openblas*,libopenblas*} \
  --exclude=./usr/bin/{hpcc,perl*,apt*,dpkg*} --exclude=./usr/local/bin/{dgemm,hpl,stream,xhpl,mpibench} \
  --exclude=./var/{cache,lib}/{apt,dpkg} --exclude=./usr/lib/{apt,systemd,python*,gcc} .
