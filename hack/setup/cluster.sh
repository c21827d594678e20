#!/usr/bin/env bash
# Installs the Debian packages that a local cluster needs, and only those that
# are missing. Safe to run again. Says so at once where no local cluster can run:
# else the next to notice would be clusterctl, after it has compiled Kubernetes.
set -euo pipefail

if [[ "$(uname -s)" != Linux ]]; then
  echo "cluster.sh: the local cluster runs on Linux only, this is $(uname -s): use a Linux machine or virtual machine" >&2
  exit 77
fi
if ((EUID != 0)); then
  echo "cluster.sh: the local cluster needs root, for its containers and networks: run make as root" >&2
  exit 77
fi

# Package, and a file that is there when the package (or the same program from
# elsewhere) is.
needed=(
  "runc                     command:runc"
  "containernetworking-plugins  /usr/lib/cni/bridge /opt/cni/bin/bridge /usr/libexec/cni/bridge"
  "iptables                 command:iptables"
  "iproute2                 command:ip"
  "conntrack                command:conntrack"
  "socat                    command:socat"
  "kmod                     command:modprobe"
  "mount                    command:mount"
  "ca-certificates          /etc/ssl/certs/ca-certificates.crt"
)

# Programs of the administrator are not on everybody's path.
PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"

present() {
  local want
  for want in "$@"; do
    case "$want" in
      command:*) command -v "${want#command:}" >/dev/null && return 0 ;;
      *) [[ -e "$want" ]] && return 0 ;;
    esac
  done
  return 1
}

missing=()
for entry in "${needed[@]}"; do
  read -r package wants <<<"$entry"
  # shellcheck disable=SC2086 # several files may do
  present $wants || missing+=("$package")
done

if ((${#missing[@]} == 0)); then
  exit 0
fi
if ! command -v apt-get >/dev/null; then
  echo "cluster.sh: install these with your package manager: ${missing[*]}" >&2
  exit 77
fi
exec "$(dirname "$0")/packages.sh" "${missing[@]}"
