#!/bin/sh
# In an image with openssh-server: lets the MPI Operator's workers and launchers be as its pods are, see the Dockerfiles.
set -eu
# A worker that runs as root starts sshd as the package configures it: the host keys that it made stay, and prove nothing.
mkdir -p /run/sshd
sed -i 's/^#\?StrictModes .*/StrictModes no/; s/^#\?Port .*/Port 2222/' /etc/ssh/sshd_config
# Whom the operator runs programs as; ssh and sshd need a name for it.
groupadd --gid 65532 mpiuser
useradd --uid 65532 --gid 65532 --create-home --shell /bin/sh mpiuser
install -d -o mpiuser -g mpiuser -m 700 /home/mpiuser/.ssh
here="$(dirname "$0")"
install -D -m 644 "$here/ssh_config" /etc/ssh/ssh_config.d/mpi.conf
install -D -m 644 "$here/sshd_config" /etc/assay/sshd_config
install -m 755 "$here/assay-sshd" /usr/local/bin/assay-sshd
