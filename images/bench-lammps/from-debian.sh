#!/bin/sh
# In an image of Debian: fetches what a newer release of Debian has of LAMMPS, by apt from the mirror that the image uses.
#
# Usage: from-debian.sh inputs FOLDER     the inputs and logs of LAMMPS' own benchmark, with their licence
#        from-debian.sh source FOLDER     the source
# The first are in no package before Debian 13. The second is the first that compiles with CUDA 13, and no stable release has it yet: name
# another by SUITE and VERSION when the mirror no longer has this one. A mirror that lags behind still will do: the versions are fixed, and
# their signatures are checked.
set -eu

what="$1" folder="$2"
case "$what" in
  inputs) suite=trixie version=20250204+dfsg.1-2 ;;
  source) suite="${SUITE:-forky}" version="${VERSION:-20260704+dfsg-2}" ;;
  *) echo "from-debian.sh: what is '$what'?" >&2; exit 2 ;;
esac
mirror="$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -1)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$folder"
printf 'deb %s %s main\ndeb-src %s %s main\n' "$mirror" "$suite" "$mirror" "$suite" >"$work/sources.list"
cat >"$work/apt.conf" <<END
Dir::Etc::sourcelist "$work/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::State::lists "$work/lists";
Dir::Cache "$work/cache";
APT::Sandbox::User "root";
Acquire::Check-Valid-Until "false";
END
export APT_CONFIG="$work/apt.conf"
cd "$work"
apt-get update -qq
if [ "$what" = source ]; then
  apt-get source -qq --tar-only "lammps=$version"  # the rest of the package is Debian's own, and not needed
  tar xzf lammps_*.orig.tar.gz -C "$folder" src lib/gpu cmake LICENSE
else
  apt-get download -qq "lammps-examples=$version"
  dpkg-deb -x lammps-examples_*.deb "$work/unpacked"
  cd "$work/unpacked/usr/share"
  install -D -m 644 -t "$folder/usr/share/lammps/bench" lammps/bench/README lammps/bench/in.lj lammps/bench/in.eam lammps/bench/Cu_u3.eam \
    lammps/bench/in.chain.scaled lammps/bench/data.chain lammps/bench/in.rhodo.scaled lammps/bench/data.rhodo
  install -D -m 644 doc/lammps-examples/copyright "$folder/usr/share/doc/lammps-bench/copyright"
fi
