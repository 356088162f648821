#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The packages, made from a build folder: what they depend on and hold. With "install" behind the build folder also that they
# install, run and can be removed where nothing else of Epochcast is: in a root of their own, with this system's packages below
# and what dpkg writes on top, removed at the end. Exit status 77 (skipped) without the tools or root, with the reason.
set -eu
build=$1
scope=${2:-contents}
source=$(cd "$(dirname "$0")/../.." && pwd)
skip() { echo "skipped: $1"; exit 77; }
for program in cpack dpkg-shlibdeps file dpkg; do command -v $program >/dev/null || skip "there is no $program"; done
[ "$scope" = contents ] || [ "$(id -u)" = 0 ] || skip "a root of its own needs root"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
[ "$scope" = contents ] || unshare --mount sh -ec 'mount -t tmpfs none /mnt; cd /mnt; mkdir up work at
  mount -t overlay none -o lowerdir=/usr,upperdir=up,workdir=work at' 2>/dev/null || skip "there are no mount namespaces with overlays (CAP_SYS_ADMIN)"
contact="A Packager <packager@example.org>"
cpack --config "$build/CPackConfig.cmake" -D CPACK_PACKAGE_CONTACT="$contact" -B "$folder/out" >cpack.log 2>&1 || { cat cpack.log; exit 1; }
package=$(ls out/epochcast_*.deb)

# Its control fields.
fields=$(dpkg-deb --field "$package")
for library in libsimgrid libc6 libstdc++6 libfmt libboost-program-options; do
  grep -q "^Depends:.*$library" <<<"$fields" || { echo "does not depend on $library:"; echo "$fields"; exit 1; }
done
grep -q "^Depends:.*libtorch" <<<"$fields" && { echo "the simulator depends on LibTorch"; exit 1; }
grep -qxF "Maintainer: $contact" <<<"$fields" || { echo "has another maintainer:"; echo "$fields"; exit 1; }
dpkg-deb --fsys-tarfile "$package" | tar -xO ./usr/share/doc/epochcast/copyright >copyright
for text in "Chart.js Contributors" "Jukka Kurkela" "License: Expat" "Permission is hereby granted" "OR OTHER DEALINGS IN THE SOFTWARE" \
  "common-licenses/Apache-2.0"; do
  grep -qF "$text" copyright || { echo "its copyright file lacks \"$text\":"; cat copyright; exit 1; }
done
files=$(dpkg-deb --contents "$package")
for file in usr/bin/epochcast usr/share/man/man1/epochcast-simulate.1.gz usr/share/bash-completion/completions/epochcast \
  usr/share/zsh/site-functions/_epochcast usr/share/epochcast/models/platforms/deep-est-esb.json \
  usr/share/doc/epochcast/copyright usr/share/doc/epochcast/changelog.gz; do
  grep -q "./$file$" <<<"$files" || { echo "lacks $file"; exit 1; }
done
training=$(ls out/epochcast-training_*.deb)
for library in epochcast openmpi-bin libtorch libopenmpi; do
  dpkg-deb --field "$training" Depends | grep -q "$library" || { echo "training does not depend on $library"; exit 1; }
done

[ "$scope" = install ] || exit 0
export folder source build package training
unshare --mount bash -eu <<'JOB'
mount -t tmpfs none /mnt
root=/mnt/root
mkdir -p $root/{tmp,root,proc,dev,sys,packages}
for part in usr etc var; do
  mkdir -p $root/$part /mnt/up/$part /mnt/scratch/$part
  mount -t overlay none -o lowerdir=/$part,upperdir=/mnt/up/$part,workdir=/mnt/scratch/$part $root/$part
done
for link in bin sbin lib lib32 lib64 libx32; do [ -L /$link ] && cp -P /$link $root/; done
for part in proc dev sys; do mount --rbind /$part $root/$part; done
rm -f $root/etc/dpkg/dpkg.cfg.d/*  # images of containers leave out manual pages
cp "$folder/$package" "$folder/$training" $root/packages
inside() { chroot $root env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TMPDIR=/tmp LC_ALL=C "$@" </dev/null; }
quiet() { inside "$@" >/mnt/out.txt 2>&1 || { echo "failed: $*"; cat /mnt/out.txt; exit 1; }; }

for hidden in "$source" "$build"; do inside test ! -e "$hidden" || { echo "$hidden is visible"; exit 1; }; done
inside sh -c 'command -v epochcast' && { echo "an epochcast is there already"; exit 1; }

# The second does not install without the first, and dependencies are looked up: nothing is forced. (Triggers would index all pages.)
inside dpkg --no-triggers -i "/packages/$(basename "$training")" >/dev/null 2>&1 && { echo "training installs alone"; exit 1; }
quiet dpkg --purge epochcast-training
quiet dpkg --no-triggers -i "/packages/$(basename "$package")"

# The simulator alone.
quiet epochcast list platforms --names
grep -qx deep-est-esb /mnt/out.txt
quiet epochcast simulate --platform deep-est-esb --nodes 12 --network resnet50 --dataset cifar10
grep -q '^ *1  ' /mnt/out.txt || { cat /mnt/out.txt; exit 1; }
for page in epochcast epochcast-simulate; do
  quiet test -s /usr/share/man/man1/$page.1.gz
  [ ! -x $root/usr/bin/man ] || quiet man --where $page
done
quiet bash -c '. /usr/share/bash-completion/completions/epochcast; complete -p epochcast'
inside epochcast train --network small-cnn --dataset cifar10 --data procedural --strategy sync --ranks 1 >/mnt/out.txt 2>&1 && { echo "the simulator trains"; exit 1; }
grep -q "install the package epochcast-training" /mnt/out.txt || { echo "names no package to install:"; cat /mnt/out.txt; exit 1; }

# And what trains.
quiet dpkg --no-triggers -i "/packages/$(basename "$training")"
quiet epochcast train --network small-cnn --dataset cifar10 --batch 4 --train-samples 32 --data procedural --test-samples 8 --epochs 1 \
  --ranks 2 --strategy sync
quiet epochcast rehearse --platform epyc-vm-2core --network small-cnn --dataset cifar10 --batch 4 --train-samples 32 --data procedural \
  --test-samples 8 --epochs 1 --strategy sync

# Gone without a trace.
quiet dpkg --no-triggers --purge epochcast-training epochcast
quiet find /usr /etc -name '*epochcast*'
[ ! -s /mnt/out.txt ] || { echo "left behind:"; cat /mnt/out.txt; exit 1; }
JOB
