#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The simulator's package, made from a build folder: what it depends on, what is in it, and that it runs where it is unpacked.
# Argument: the build folder. Exit status 77 (skipped) without the tools, with the reason.
set -eu
build=$1
skip() { echo "skipped: $1"; exit 77; }
for program in cpack dpkg-shlibdeps file; do command -v $program >/dev/null || skip "there is no $program"; done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cpack --config "$build/CPackConfig.cmake" -B "$folder/out" -D CPACK_COMPONENTS_ALL=simulator >cpack.log 2>&1 || { cat cpack.log; exit 1; }
package=$(ls out/epochcast_*.deb)

# What it says of itself.
fields=$(dpkg-deb --field "$package")
for library in libsimgrid libc6 libstdc++6 libfmt libboost-program-options; do
  grep -q "^Depends:.*$library" <<<"$fields" || { echo "does not depend on $library:"; echo "$fields"; exit 1; }
done
grep -q "^Depends:.*libtorch" <<<"$fields" && { echo "the simulator depends on LibTorch"; exit 1; }
files=$(dpkg-deb --contents "$package")
for file in usr/bin/epochcast usr/share/man/man1/epochcast-simulate.1.gz usr/share/bash-completion/completions/epochcast \
  usr/share/zsh/site-functions/_epochcast usr/share/epochcast/models/platforms/deep-est-esb.json \
  usr/share/doc/epochcast/copyright usr/share/doc/epochcast/changelog.gz; do
  grep -q "./$file$" <<<"$files" || { echo "lacks $file"; exit 1; }
done

# Unpacked, it runs with the catalogue that it brought along.
dpkg-deb --extract "$package" root
root/usr/bin/epochcast list platforms --names | grep -qx deep-est-esb
root/usr/bin/epochcast simulate --platform deep-est-esb --nodes 12 --network resnet50 --dataset cifar10 >ranking.txt
grep -q '^ 1  ' ranking.txt || { cat ranking.txt; exit 1; }
