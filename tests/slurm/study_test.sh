#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# study_test.sh EPOCHCAST: rehearsals and a sweep as the tasks of a Slurm job array, one of whose nodes dies, and on hosts by mpirun,
# give what this machine computes alone; a validation runs in a Slurm job. Exit status 77: Slurm cannot run here.
set -eu
EPOCHCAST=$1
[[ $(id -u) == 0 && -x /usr/sbin/slurmctld && -x /usr/sbin/slurmd && -x /usr/sbin/munged ]] || exit 77
FOLDER=$(mktemp -d)
. "$(dirname "$0")/cluster.sh" "$FOLDER/slurm"
trap 'stop_slurm; rm -rf "$FOLDER"' EXIT
fail() {
  echo "study_test: $*" >&2
  tail -n 20 "$FOLDER"/*.err "$FOLDER"/*/slurm-*.log >&2 || true
  exit 1
}

choose() {
  "$EPOCHCAST" choose --platform deep-est-esb --nodes 2 --network small-cnn --dataset cifar10 --data procedural \
    --train-samples 384 --test-samples 64 --batch 8 --epochs 4 --learning-rate 0.02 --strategy sync,local-sgd \
    --sweep local-steps=2,4 --target-loss 100 --seeds 3 --jobs 1 --format json "$@"
}
# Without the command and where curves come from.
answers() { grep -v '"command"\|"origin"' "$1"; }
# Ends every process of a node at once, as if its power was cut.
cut_power() {
  kill -9 "$SLURMD_SECOND"
  for process in /proc/[0-9]*; do
    grep -qz '^SLURMD_NODENAME=second$' "$process/environ" 2>/dev/null && kill -9 "${process#/proc/}" || true
  done
  pkill -9 -f "^slurmstepd: \[$1\]" || true
}

choose --folder "$FOLDER/alone" >"$FOLDER/alone.json" 2>"$FOLDER/alone.err" || fail "the machine alone"

choose --folder "$FOLDER/shared" --on none >"$FOLDER/none.json" 2>"$FOLDER/none.err" && fail "nothing was computed yet"
grep -q "not rehearsed yet" "$FOLDER/none.err" || fail "a rehearsal that was not computed is not named"

choose --folder "$FOLDER/hosts" --on hosts=localhost >"$FOLDER/hosts.json" 2>"$FOLDER/hosts.err" || fail "on a host"
diff <(answers "$FOLDER/alone.json") <(answers "$FOLDER/hosts.json") || fail "another answer on a host"

start_slurm || exit 77
choose --folder "$FOLDER/shared" --on slurm=2 >"$FOLDER/slurm.json" 2>"$FOLDER/slurm.err" &
LEADER=$!
for _ in $(seq 300); do
  squeue --noheader --states=running --nodelist=second | grep -q . && ls "$FOLDER"/shared/*.state >/dev/null 2>&1 && break
  sleep 0.1
done
squeue --noheader --states=running --nodelist=second | grep -q . || fail "no task runs on the second node"
cut_power 1.batch
wait "$LEADER" || fail "the study did not survive the node"
diff <(answers "$FOLDER/alone.json") <(answers "$FOLDER/slurm.json") || fail "another answer with Slurm"
ls "$FOLDER"/shared/slurm-*.log >/dev/null || fail "tasks have no messages"

choose --folder "$FOLDER/shared" --on none >"$FOLDER/kept.json" 2>"$FOLDER/kept.err" || fail "what is kept is not shown"
diff <(answers "$FOLDER/alone.json") <(answers "$FOLDER/kept.json") || fail "another answer from what is kept"

sweep() {
  "$EPOCHCAST" simulate --platform deep-est-esb --nodes 2 --network resnet50 --dataset imagenet --strategy sync,local-sgd \
    --sweep batch=16,32,64 --format csv "$@"
}
sweep >"$FOLDER/sweep.csv"
sweep --folder "$FOLDER/sweep" --on slurm=2 >"$FOLDER/sweep-slurm.csv" 2>"$FOLDER/sweep.err" || fail "a sweep with Slurm"
diff "$FOLDER/sweep.csv" "$FOLDER/sweep-slurm.csv" || fail "another sweep with Slurm"

validate() {
  (cd "$(dirname "$0")/../.." && "$EPOCHCAST" validate tests/validation/quick-here.json --repetitions 1 --format json \
    --folder "$FOLDER/validated" "$@")
}
validate --on none >"$FOLDER/none.json" 2>"$FOLDER/none.err" && fail "nothing was validated yet"
if validate --on slurm=1 >"$FOLDER/validation.json" 2>"$FOLDER/validation.err"; then
  [[ $(grep -c '"measured"' "$FOLDER/validation.json") == 4 ]] || fail "a validation with Slurm has other rows"
  validate --on none >"$FOLDER/kept.json" 2>"$FOLDER/kept.err" || fail "the validation in the folder is not shown"
  cmp "$FOLDER/validation.json" "$FOLDER/kept.json" || fail "another validation from what is kept"
else
  # Other work on this machine changed the measured messages too much.
  grep -q "on a quiet machine" "$FOLDER/validation.err" || fail "a validation with Slurm"
fi

echo "all passed"
