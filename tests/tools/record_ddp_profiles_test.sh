#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/record_ddp_profiles.py takes shapes as `epochcast describe` does, and refuses others in one line. Exit status 77 (skipped)
# without PyTorch and torchvision.
set -eu
record=$(cd "$(dirname "$0")/../.." && pwd)/tools/record_ddp_profiles.py
/usr/bin/python3 -c "import torch, torchvision" 2>/dev/null || { echo "skipped: there is no torchvision for /usr/bin/python3"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export RANK=0 WORLD_SIZE=1 MASTER_PORT=0

for shape in 3,64,64 3x64x64; do
  /usr/bin/python3 "$record" --network squeezenet1_1 --input $shape --batch 2 --iterations 1 --no-profile out >log 2>&1 || { cat log; exit 1; }
  grep -q '"input": "3x64x64"' out/iterations.json || { cat out/iterations.json; exit 1; }
done

/usr/bin/python3 "$record" --input 3,wide,64 out 2>log && { echo "takes a shape that is none"; exit 1; }
grep -q 'argument --input: got "3,wide,64"; expected sizes such as 3,224,224$' log || { cat log; exit 1; }
grep -q Traceback log && { cat log; exit 1; }
exit 0
