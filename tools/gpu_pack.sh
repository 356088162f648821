#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# For tools/gpu_session.sh --pack FOLDER, on Debian 12 with a network: packs what a machine without one needs to build and
# run Epochcast beside a LibTorch and a GCC of its own, as FOLDER/packages.tar.xz and a list of packages and versions.
# Unpacked anywhere, its libraries and programs find each other (run paths relative to themselves).
set -eu
cd "$(dirname "$0")/.."
folder=$1
most_bytes=$((60 * 1024 * 1024))

# Headers, the programs that run, and their data.
packages=(libsimgrid-dev libboost1.74-dev libboost-program-options1.74-dev nlohmann-json3-dev libfmt-dev libeigen3-dev libcsv-dev
  zlib1g-dev libxxhash-dev libprotobuf-dev libpugixml-dev libjs-chart.js libcpp-httplib-dev libssl-dev libbrotli-dev
  libopenmpi-dev libgd-dev catch2
  protobuf-compiler openmpi-bin openmpi-common libopenmpi3 libpmix2 pkgconf-bin cmake cmake-data ninja-build)
# Most of Boost, by size: nothing here includes them, nor do SimGrid's headers.
unused_boost='asio|beast|compute|fusion|geometry|gil|graph|hana|interprocess|log|metaparse|multiprecision|phoenix|polygon|proto'
unused_boost+='|python|qvm|spirit|test|thread|typeof|units|vmd|wave|xpressive|yap'
programs=(protoc pkgconf mpirun.openmpi cmake ninja)
libraries=(simgrid boost_program_options fmt csv z xxhash protobuf pugixml cpp-httplib mpi gd)
tools/install_packages.sh "${packages[@]}" patchelf xz-utils

arch=x86_64-linux-gnu
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
usr=$root/packages/usr
lib=$usr/lib/$arch
mkdir -p "$usr/bin" "$lib" "$folder"

# Headers, and the files with which CMake finds libraries.
for package in "${packages[@]}"; do dpkg-query --listfiles "$package"; done |
  grep -E "^/usr/(include/|share/(javascript/chart.js/chart.min.js|openmpi|cmake-3|pmix|cmake/|pkgconfig/|eigen3/)|lib/cmake/|lib/$arch/(cmake|openmpi/include|pmix2)/)" |
  grep -vE "/cmake-3[^/]*/Help/|/include/boost/($unused_boost)/|\.a$" |
  sort -u | while read -r file; do
  [ -d "$file" ] && [ ! -L "$file" ] || echo "${file#/}"
done >"$root/files"
tar -C / --create --dereference --files-from "$root/files" --ignore-failed-read 2>/dev/null | tar -C "$root/packages" --extract

for program in "${programs[@]}"; do cp --dereference "/usr/bin/$program" "$usr/bin/${program%.openmpi}"; done
mv "$usr/bin/pkgconf" "$usr/bin/pkg-config"
tools=$root/packages/build-tools  # a machine's own come first; CMake looks for its modules beside the folder of its program
mkdir -p "$tools/bin" "$tools/share"
mv "$usr/bin/cmake" "$usr/bin/ninja" "$tools/bin"
mv "$usr"/share/cmake-3* "$tools/share"

# Libraries, the parts of Open MPI that one machine needs, and what all of these need beyond GCC and the C library.
for name in "${libraries[@]}"; do
  real=$(readlink -f "/usr/lib/$arch/lib$name.so")
  cp "$real" "$lib"
  ln -sf "${real##*/}" "$lib/lib$name.so"
  soname=$(patchelf --print-soname "$real")
  [ -e "$lib/$soname" ] || ln -s "${real##*/}" "$lib/$soname"
done
cp "/usr/lib/$arch/libpugixml.a" "$lib"  # their CMake files ask for them
cp /usr/lib/libCatch2WithMain.a "$usr/lib"
plugins=$lib/openmpi/lib/openmpi3
mkdir -p "$plugins"
for plugin in /usr/lib/"$arch"/openmpi/lib/openmpi3/*.so; do
  case ${plugin##*/} in
    *ofi* | *psm* | *ucx* | *openib* | *slurm* | *flux* | *jsm* | *gridengine* | *netlink* | *java* | libompi_dbg*) ;;
    *) cp "$plugin" "$plugins" ;;
  esac
done
needed() {
  ldd "$@" 2>/dev/null | awk '$3 ~ /^\// { print $3 }' | sort -u |
    grep -vE '/(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|stdc\+\+|gcc_s))\.so'
}
originals=()
for name in "${libraries[@]}"; do originals+=("/usr/lib/$arch/lib$name.so"); done
for program in "${programs[@]}"; do originals+=("/usr/bin/$program"); done
needed "${originals[@]}" "$plugins"/*.so /usr/lib/$arch/pmix2/lib/pmix/*.so | while read -r file; do
  [ -e "$lib/${file##*/}" ] || cp --dereference "$file" "$lib"
done

# Libraries that pkg-config finds, except those that gd and httplib link as well: their libraries know. Debian's compilers know
# the folder of headers that are an architecture's own, others do not.
mkdir -p "$lib/pkgconfig"
for name in gdlib cpp-httplib; do
  # shellcheck disable=SC2016  # pkg-config's variables
  sed -e '/^Requires/d' -e 's|^prefix=.*|prefix=${pcfiledir}/../../..|' -e "s|^Cflags:|& -I\${includedir}/$arch|" \
    "/usr/lib/$arch/pkgconfig/$name.pc" >"$lib/pkgconfig/$name.pc"
done

find "$root/packages" -type f \( -name '*.so' -o -name '*.so.*' -o -path '*/bin/*' \) | while read -r file; do
  head -c 4 "$file" | grep -q ELF || continue
  strip --strip-unneeded "$file" 2>/dev/null || true
  patchelf --set-rpath "\$ORIGIN/$(realpath --relative-to="$(dirname "$file")" "$lib")" "$file"
done

dpkg-query --show --showformat='${Package} ${Version}\n' "${packages[@]}" >"$folder/packages.txt"
tar -C "$root" --create --sort=name --owner=0 --group=0 packages | xz -T2 -6 >"$folder/packages.tar.xz"
bytes=$(stat --format=%s "$folder/packages.tar.xz")
echo "$folder/packages.tar.xz: $((bytes / 1024 / 1024)) MiB, $(du -sm "$root/packages" | cut -f1) MiB unpacked"
if [ "$bytes" -gt "$most_bytes" ]; then
  echo "epochcast: $folder/packages.tar.xz: more than $((most_bytes / 1024 / 1024)) MiB; largest:" >&2
  du -a "$root/packages" | sort -rn | head -n 20 >&2
  exit 1
fi
