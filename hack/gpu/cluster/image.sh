#!/usr/bin/env bash
# Makes the image bench-cuda on a machine that can pull and compile nothing: from base.tar (base.sh), the compiled programs, and the CUDA
# libraries and NCCL of this machine, wherever they are. What it makes is a Docker archive.
#
# Usage: hack/gpu/cluster/image.sh BASE.tar PROGRAMS-FOLDER OUT.tar [MORE.tar...]
set -euo pipefail
base="${1:?}" programs="${2:?}" out="${3:?usage: hack/gpu/cluster/image.sh BASE.tar PROGRAMS-FOLDER OUT.tar [MORE.tar...]}"
shift 3
name=localhost/assay/bench-cuda:dev
work="$(mktemp -d -p "$(dirname "$out")")"
trap 'rm -rf "$work"' EXIT

# Where the loader finds it, or the newest in the folders of toolkits and Python environments, of those that do with the C library of Debian 12.
library() {
  local found
  found="$({ ldconfig -p | awk -v name="$1" '$1 == name { print $NF }'
    find /usr/local/cuda*/ /usr/lib /opt -name "$1" 2>/dev/null | sort -rV; } |
    while read -r file; do
      grep -qE 'GLIBC_2\.(3[7-9]|[4-9][0-9])' "$file" || { readlink -f "$file"; break; }
    done)"
  [[ -n "$found" ]] || { echo "image.sh: this machine has no $1 that does with the C library of Debian 12" >&2; return 1; }
  echo "$found"
}

# Of the driver's folder the container toolkit mounts what is in it under the same path.
driver_folder() { dirname "$(library libcuda.so.1)"; }

mkdir -p "$work/layer/usr/local"/{bin,cuda/lib64} "$work/layer/etc/ld.so.conf.d" "$work/image"
cp "$programs"/* "$work/layer/usr/local/bin/"
for more; do tar -C "$work/layer" -xf "$more"; done
for soname in libcublas.so.13 libcublasLt.so.13 libcudart.so.13 libnccl.so.2; do
  cp "$(library "$soname")" "$work/layer/usr/local/cuda/lib64/$soname"
done
driver="$(driver_folder)"
printf '%s\n' /usr/local/cuda/lib64 "$driver" >"$work/layer/etc/ld.so.conf.d/cuda.conf"
# The loader looks into its usual folders too, where nobody has run ldconfig after the driver's folder was mounted.
mkdir -p "$work/layer/usr/lib/x86_64-linux-gnu"
for soname in libcuda.so.1 libnvidia-ml.so.1 libcublas.so.13 libcublasLt.so.13 libcudart.so.13 libnccl.so.2; do
  folder=/usr/local/cuda/lib64
  case "$soname" in libcuda.* | libnvidia*) folder="$driver" ;; esac
  [[ "$folder" == /usr/lib/x86_64-linux-gnu ]] || ln -s "$folder/$soname" "$work/layer/usr/lib/x86_64-linux-gnu/$soname"
done
# What this machine tells NCCL. It reads this file wherever a program is started from; ranks that sshd starts do not have the environment of the image.
env | grep ^NCCL_ | grep -v ^NCCL_VERSION= >"$work/layer/etc/nccl.conf" || true
cp "$base" "$work/image/base.tar"
tar -C "$work/layer" --numeric-owner --owner=0 --group=0 --mode=go-w -cf "$work/image/cuda.tar" .

digest() { sha256sum "$work/image/$1" | cut -d' ' -f1; }
digest base.tar >"$work/base" &
cuda_digest="$(digest cuda.tar)"
wait $!
cat >"$work/image/config.json" <<JSON
{"architecture": "amd64", "os": "linux",
 "config": {"Env": ["PATH=/usr/local/cuda/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:$(dirname "$driver")/bin",
   "NVIDIA_VISIBLE_DEVICES=all", "NVIDIA_DRIVER_CAPABILITIES=compute,utility"]},
 "rootfs": {"type": "layers", "diff_ids": ["sha256:$(cat "$work/base")", "sha256:$cuda_digest"]}}
JSON
printf '[{"Config": "config.json", "RepoTags": ["%s"], "Layers": ["base.tar", "cuda.tar"]}]\n' "$name" >"$work/image/manifest.json"
tar -C "$work/image" -cf "$out" manifest.json config.json base.tar cuda.tar
