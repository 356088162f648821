#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2015  # fail() ends the test
# tools/gpu_session.sh with a CPU in the place of a GPU: what it does on the day, on little. Arguments: the build folder, and
# a step if it alone is to be run, not all of them and again.
set -eu
build=$1
step=${2:-}
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
session=$tools/gpu_session.sh
command -v python3 >/dev/null || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
  echo "FAILED: $*"
  exit 1
}
status_of() {
  status=0
  "$@" >"$folder/printed" 2>&1 || status=$?
}

for script in "$tools"/gpu_*.sh; do bash -n "$script"; done
[ "$("$session" --list-steps | tr '\n' ' ')" = "build contract batches staging precisions jobs forecast validation " ] || fail "the steps"
status_of "$session" --output "$folder/out" biuld
[ $status = 2 ] && grep -q 'got step biuld; expected one of build contract' "$folder/printed" || fail "a step that there is not"
mkdir "$folder/other" && touch "$folder/other/thesis.tex"
status_of "$session" --output "$folder/other"
[ $status = 2 ] && [ -e "$folder/other/thesis.tex" ] || fail "a folder with other things in it"

quick=("$session" --device cpu --quick --build "$build" --output "$folder/out")
if [ -n "$step" ]; then
  status_of "${quick[@]}" "$step"
  [ $status = 0 ] && grep -q "^$step: done" "$folder/printed" || fail "step $step: $(cat "$folder/printed")"
  echo "passed"
  exit 0
fi
status_of "${quick[@]}" --seconds 1
[ $status = 75 ] && grep -q 'time is up' "$folder/printed" || fail "a call without time: $(cat "$folder/printed")"
status_of "${quick[@]}"
[ $status = 0 ] || fail "all steps: $(cat "$folder/printed" "$folder"/out/log/*.log)"
grep -q '^| sync |' "$folder/out/validation-jobs.md" || fail "the jobs beside their forecasts"
tar -tzf "$folder/out/results.tar.gz" ./traces/cpu-in-place-of-gpu.json ./jobs/sync-2-1.json >/dev/null || fail "the results in one file"
grep -q '"grade": "measured"' "$folder/out/traces/cpu-in-place-of-gpu.json" || fail "a trace without its source"

status_of "${quick[@]}"
[ $status = 0 ] && [ "$(grep -c 'was done before' "$folder/printed")" -ge 6 ] || fail "done twice: $(cat "$folder/printed")"

# A failed part is reported, and later parts are done.
rm "$folder/out/done/forecast.sync-2" "$folder/out/done/validation.jobs"
echo '{' >"$folder/out/traces/cpu-2-slowed-3x.json"
status_of "${quick[@]}"
[ $status = 1 ] && grep -q 'forecast: FAILED after .*: forecast.sync-2' "$folder/printed" &&
  grep -q 'validation: done' "$folder/printed" || fail "a part that fails: $(cat "$folder/printed")"
echo "passed"
