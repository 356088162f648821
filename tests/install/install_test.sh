#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every command from an installed prefix, with the source tree hidden. Argument: the build folder. Needs root, for a mount
# namespace; exit status 77 (skipped) without.
set -eu
build=$1
source=$(cd "$(dirname "$0")/../.." && pwd)
[ "$(id -u)" = 0 ] && unshare --mount true 2>/dev/null || exit 77

prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$build" --prefix "$prefix" >/dev/null

export prefix source
unshare --mount bash -eu <<'JOB'
mount -t tmpfs none "$source"
cd "$prefix"
epochcast=bin/epochcast
quiet() { "$@" >out.txt 2>&1 || { echo "failed: $*"; cat out.txt; exit 1; }; }
job="--network small-cnn --dataset cifar10 --batch 4 --train-samples 32"
learning="--data procedural --test-samples 8 --epochs 1 --learning-rate 0.01"

for what in platforms networks datasets strategies collectives traces; do quiet $epochcast list $what; done
quiet $epochcast simulate --platform server-2cpu-8gpu --network resnet20 --dataset cifar10
quiet $epochcast measure batches --network small-cnn --batch 4 --min-samples 3 --max-samples 3 --output batches.json
quiet $epochcast measure messages --ranks 2 --bytes 1,1024 --max-samples 12 --output messages.json
quiet $epochcast train $job $learning --ranks 2 --strategy sync
quiet $epochcast emulate --platform epyc-vm-2core $job --epochs 1 --strategy sync
quiet $epochcast rehearse --platform epyc-vm-2core $job $learning --strategy sync
JOB
