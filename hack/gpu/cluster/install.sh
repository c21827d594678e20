#!/usr/bin/env bash
# Puts what bundle.sh packed into place on a machine where nothing can be installed: system programs that are missing go to their usual
# folders, and nothing that is there is replaced.
set -euo pipefail
bundle="$(cd "$(dirname "$0")/../../../.." && pwd)"
assay="$bundle/assay"

tar -C "$bundle/system" -c . | tar -C / -x --no-same-owner --skip-old-files --keep-directory-symlink
ldconfig
cp -f "$bundle/base.tar" "$assay/build/gpu-cluster/base.tar"
programs="$(dirname "$(find "$bundle/cache/assay/localcluster" -path '*/set-*/complete')")"
ln -sfn "$programs" "$assay/bin/localcluster"
ln -sfn "$programs/kubectl" "$assay/bin/kubectl"
echo "Now: export XDG_CACHE_HOME=$bundle/cache; cd $assay; hack/gpu/cluster.sh"
