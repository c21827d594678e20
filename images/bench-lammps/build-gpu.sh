#!/bin/sh
# Builds LAMMPS with its GPU package, for the four inputs of its own benchmark and nothing else. Of the package's 74 kernels it compiles
# the five that these use, and of LAMMPS' optional packages four: the rest would take several times as long.
#
# Usage: build-gpu.sh SOURCE BUILD TOOLKIT ARCHITECTURE     (for example sm_90)
#   SOURCE   LAMMPS' source tree; what is not needed is deleted from it
#   BUILD    an empty folder; the program is BUILD/lmp
#   TOOLKIT  CUDA's folder, with bin/nvcc and bin/bin2c
set -eu

source="$1" build="$2" toolkit="$3" architecture="$4"
jobs="$(nproc)"

# Keeps only what matches among the files of a folder that match a pattern.
keep() {
  find "$1" -maxdepth 1 -type f -name "$2" -regextype posix-extended ! -regex "$1/($3)" -delete
}
keep "$source/lib/gpu" 'lal_*' \
  'lal_(answer|atom|aux_fun1|balance|base_atomic|base_charge|device|neighbor.*|pppm.*|pre.*|lj|lj_ext|eam.*|charmm_long.*)\.[a-z]*'
keep "$source/src/GPU" 'pair_*' 'pair_(lj_cut|eam|eam_alloy|eam_fs|lj_charmm_coul_long)_gpu\.[a-z]*'
rm -f "$source"/src/GPU/ewald_gpu.* "$source"/src/GPU/amoeba_convolution_gpu.*

# A machine without a GPU has no driver's library to link to: one with the same names and nothing in them will do.
mkdir -p "$build/stub"
echo '#include <cuda.h>' | g++ -E -I"$toolkit/include" -x c++ - | grep -Eo '\bcu[A-Z][A-Za-z0-9_]* *\(' | tr -d ' (' | sort -u |
  sed 's/.*/void &(void) {}/' >"$build/stub/cuda.c"
gcc -shared -fPIC -w -Wl,-soname,libcuda.so.1 -o "$build/stub/libcuda.so" "$build/stub/cuda.c"

cmake -G Ninja -S "$source/cmake" -B "$build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE='-O2 -DNDEBUG' \
  -DBUILD_MPI=ON -DBUILD_OMP=ON -DFFT=KISS -DWITH_JPEG=OFF -DWITH_PNG=OFF -DWITH_GZIP=OFF -DWITH_FFMPEG=OFF -DWITH_CURL=OFF \
  -DPKG_GPU=ON -DGPU_API=cuda -DGPU_PREC=mixed -DGPU_ARCH="$architecture" -DCUDA_BUILD_MULTIARCH=OFF \
  -DCMAKE_EXE_LINKER_FLAGS=-Wl,--as-needed -DCMAKE_SKIP_RPATH=ON -DPKG_KSPACE=ON -DPKG_MOLECULE=ON -DPKG_RIGID=ON -DPKG_MANYBODY=ON \
  -DCUDA_TOOLKIT_ROOT_DIR="$toolkit" -DCMAKE_LIBRARY_PATH="$build/stub" -DBIN2C="$toolkit/bin/bin2c" ${LAMMPS_CMAKE:-}
cmake --build "$build" --parallel "$jobs" --target lmp
