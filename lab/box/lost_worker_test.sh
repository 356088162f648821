#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lost_worker_test.sh EPOCHCAST: in the box, a job continues without a worker that is killed, and without a machine whose
# daemon is killed; both join again. Exits with 77 where there can be no namespaces.
set -u
epochcast=$1
box=$(dirname "$0")/box
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$box" --nodes 1 -- true
[ $? -eq 77 ] && exit 77

# train_and_kill FOLDER EPOCHCAST NAME: trains on three nodes, and kills the second of its processes of that name.
cat >"$folder/train_and_kill" <<'END'
cd "$1"
rm -rf kept
"$2" train --network small-cnn --dataset mnist --data procedural --train-samples 6000 --test-samples 100 --batch 16 \
  --strategy diloco --local-steps 20 --ranks 3 --epochs 8 --checkpoint "$1/kept" --on-failure continue >out 2>err &
job=$!
for _ in $(seq 300); do
  [ -f kept/checkpoint.json ] && break
  sleep 0.1
done
if [ "$3" = epochcast-run ]; then
  victims=$(pgrep --full "epochcast-run train .*--checkpoint=$1/kept" | xargs -r ps --no-headers -o pid,comm --pid |
    awk '$2 == "epochcast-run" {print $1}')
else
  victims=$(pgrep --full "^orted .*$OMPI_MCA_orte_default_hostfile")
fi
echo "$victims" | sed -n 2p | xargs -r kill -9
wait $job
END

failures=0
for name in epochcast-run orted; do
  "$box" --nodes 3 --bandwidth 500Mbps -- bash "$folder/train_and_kill" "$folder" "$epochcast" $name
  status=$?
  for expected in 'was lost in epoch .* continuing from the end of epoch .* with 2 workers$' \
    'joins after epoch .*: continuing with 3 workers$' '^epoch 8/8: '; do
    if [ $status -eq 0 ] && grep -q "$expected" "$folder/err"; then
      echo "ok: $name killed: $expected"
    else
      echo "FAILED: $name killed, status $status: no line \"$expected\" in:"
      cat "$folder/err"
      failures=$((failures + 1))
    fi
  done
done
exit $((failures > 0))
