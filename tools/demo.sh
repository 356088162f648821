#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Three forecasts for a newcomer, and how to continue from there. Argument: the epochcast program.
set -eu
epochcast=$1

show() {
  printf '\n$ %s' "$epochcast"
  printf ' %s' "$@"
  printf '\n\n'
  "$epochcast" "$@"
}

cat <<'TEXT'

1. ResNet-50 on CIFAR-10 with 12 nodes of DEEP-EST's booster (one V100 each): which strategy wins?
   All GPUs are equal, so only communication differs. Look at "exchange": averaging once per epoch
   (node-based, local SGD) removes it, overlapping it with computing ("sync, overlap") hides it.
TEXT
show simulate --platform deep-est-esb --nodes 12 --network resnet50 --dataset cifar10

cat <<'TEXT'

2. DenseNet-121 on CIFAR-100 with 4 nodes of DEEP-EST's data analytics module (a V100 and two CPUs each):
   do the CPUs help? Not in sync, where GPUs wait for them. hetgrad divides each batch by measured speed:
   compare it with sync-fastest, the GPUs alone.
TEXT
show simulate --platform deep-est-dam --nodes 4 --network densenet121 --dataset cifar100 --partition functional

cat <<'TEXT'

3. ResNet-20 on CIFAR-10 with 2 CPUs and 8 GPUs in one server: do these CPUs help?
   The CPUs are 70 times slower. Look at "blocked": sync and local-sgd make GPUs wait for them,
   hetgrad and dlb leave them out, biased local SGD lets them make one step while GPUs make 32
   (and trains on two thirds of the samples: "of data").
TEXT
show simulate --platform server-2cpu-8gpu --network resnet20 --dataset cifar10 --batch 32 --local-steps fast=32,slow=1

cat <<TEXT

Now change something and see the answer move:
  cp models/platforms/deep-est-esb.json my-cluster.json    # edit "bandwidth" under "network": 100Gbps -> 10Gbps
  $epochcast simulate --platform my-cluster.json --nodes 12 --network resnet50 --dataset cifar10
  $epochcast simulate --platform deep-est-esb --network resnet50 --dataset cifar10 --strategy sync --sweep nodes=4,8,16,32,64
  $epochcast simulate --platform deep-est-esb --nodes 12 --network resnet50 --dataset cifar10 --strategy sync --epochs 1 --timeline sync.json
      (open sync.json in https://ui.perfetto.dev)
  $epochcast simulate --help
TEXT
