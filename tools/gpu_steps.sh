# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034  # settings of gpu_session.sh, which reads this file; so does the bash that runs a part
# The steps of tools/gpu_session.sh: `step_NAME` runs parts, each a command or one of the functions here.

targets=(epochcast epochcast-run epochcast-measure epochcast-measure-messages
  epochcast_mpi_contract epochcast_torch_tests epochcast_equivalence)

configure() {
  local options=(-DCMAKE_BUILD_TYPE=Release -DEPOCHCAST_REAL=ON -DEPOCHCAST_TESTS=ON -DEPOCHCAST_UNITY=ON)
  ! command -v ninja >/dev/null || options+=(-G Ninja)
  [ -z "$torch" ] || options+=("-DTorch_DIR=$here/gpu_torch" "-DTORCH_ROOT=$torch")
  if [ -n "$packages" ]; then
    options+=("-DCMAKE_PREFIX_PATH=$usr" -DCMAKE_LIBRARY_ARCHITECTURE=x86_64-linux-gnu
      "-DCMAKE_EXE_LINKER_FLAGS=-Wl,-rpath-link,$lib"
      -DMPI_C_COMPILER=/bin/false -DMPI_SKIP_COMPILER_WRAPPER=ON "-DMPI_C_HEADER_DIR=$lib/openmpi/include" -DMPI_C_LIB_NAMES=mpi
      "-DMPI_mpi_LIBRARY=$lib/libmpi.so" "-DEPOCHCAST_CHART_JS=$usr/share/javascript/chart.js/chart.min.js")
  fi
  # A GCC beside the system's may have no C++ library but a static one. LibTorch uses the system's, and a process with two of
  # them ends in std::call_once or std::locale.
  local libraries
  if [ ! -e "$("${CXX:-g++}" -print-file-name=libstdc++.so)" ]; then
    libraries=$(ldconfig -p | sed -n 's/^\s*libstdc++\.so\.6 .*x86-64.* => //p' | head -n 1)
    options+=("-DCMAKE_CXX_STANDARD_LIBRARIES=$libraries")
  fi
  cmake -S "$root" -B "$build" "${options[@]}"
}
compile() { cmake --build "$build" --parallel "$(nproc)" --target "${targets[@]}"; }
has_programs() {
  for program in "${targets[@]}"; do [ -x "$build/$program" ] || { echo "$build/$program: missing" && return 1; }; done
}
sees_device() {
  "$build/epochcast-measure" --network small-cnn --batch 2 --warmup 1 --min-samples 3 --max-samples 3 --layers-batch 0 \
    --device "$device" --device-name "$name" --output "$out/traces/first.json"
  rm -f "$out/traces/first.json"
}
step_build() {
  if [ "$is_built" = 0 ]; then
    part configure configure
    ! is_done build.configure || part compile compile
  fi
  part programs has_programs
  ! is_done build.programs || part device sees_device
  is_done build.device || { end_step && exit 1; }
}

# No TF32, and the same sums in every run.
exact=(env NVIDIA_TF32_OVERRIDE=0 CUBLAS_WORKSPACE_CONFIG=:4096:8 "EPOCHCAST_TEST_DEVICE=$device")
ranks_here() {
  local count=$1
  shift
  "${exact[@]}" mpirun --allow-run-as-root --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n "$count" "$@"
}
torch_tests() { "${exact[@]}" "$build/epochcast_torch_tests" "$@"; }
step_contract() {
  local counts=(1 2 3 4) tests=()
  [ "$brief" = 0 ] || counts=(2 4)
  [ "$quick" = 0 ] || counts=(2) tests=("a network computes*,gradients are copied*,gradients are the same*")
  for count in "${counts[@]}"; do
    part "fabric-$count" ranks_here "$count" "$build/epochcast_mpi_contract"
    [ "$quick" = 1 ] || part "equivalence-$count" ranks_here "$count" "$build/epochcast_equivalence"
  done
  part torch torch_tests "${tests[@]}"
}

step_precisions() {
  if [ "$is_gpu" = 0 ] || [ -z "$python_torch" ]; then
    echo "precisions: not measured: this needs a GPU and a python3 with torch"
    has_begun=never
    return 0
  fi
  local kernels precision
  for kernels in plain tuned compiled; do
    for precision in float32 tf32 float16 bfloat16; do
      part "$kernels-$precision" python3 "$here/gpu_precisions.py" --device-name "$name" --machine "$machine" --device "$device" \
        --output "$out/precisions-$kernels-$precision.json" --kernels "$kernels" --precisions "$precision" --limit 90 --largest
    done
  done
  part compression python3 "$here/gpu_compression.py" "$device" "$out/compression.json" "$machine" 30
}

job_network=resnet20 job_batch=32 job_samples=8192 local_steps=fast=8,slow=1 cpu_ranks=(2 4 8) repetitions=3
batches=8,16,32,64,128,256,512 cpu_batches=1,2,4,8,16,32,64
effort=(--min-samples 20 --max-samples 300 --max-seconds 6)
message_effort=(--bytes "1,1024,16384,262144,1048576,4194304" --max-seconds 1)
staging_samples=50
if [ "$brief" = 1 ]; then
  job_samples=4096 cpu_ranks=(2 8) repetitions=1
  effort=(--min-samples 20 --max-samples 300 --max-seconds 1.5)
fi
if [ "$quick" = 1 ]; then
  job_network=small-cnn job_batch=8 job_samples=256 local_steps=fast=4,slow=1 cpu_ranks=(2) repetitions=1
  batches=2,8,16 cpu_batches=2,4,8
  effort=(--min-samples 3 --max-samples 10 --max-seconds 1)
  message_effort=(--bytes "1,1024,65536,262144" --max-samples 100 --max-seconds 0.5)
  staging_samples=5
fi
if [ ${#networks[@]} = 0 ]; then
  networks=("$job_network")
  [ "$quick" = 1 ] || networks+=(resnet18 resnet50 vit-s)
fi
precisions=(float32 bfloat16)
[ "$is_gpu" = 0 ] || precisions=(float32 tf32 float16 bfloat16)

trace_of() { [ "$1" = float32 ] && echo "$out/traces/$name.json" || echo "$out/traces/$name-$1.json"; }
measure_device() {
  local network=$1 precision=$2 file=${3:-}
  "$build/epochcast" measure batches --network "$network" --dataset cifar10 --batch "$batches" --precision "$precision" \
    "${effort[@]}" --device "$device" --device-name "$name" --machine "$machine" \
    --title "$name, one CPU thread, $precision" --append "${file:-$(trace_of "$precision")}"
}
step_batches() {
  for precision in "${precisions[@]}"; do
    for network in "${networks[@]}"; do part "$precision-$network" measure_device "$network" "$precision"; done
  done
}

step_staging() {
  if [ -n "$python_torch" ]; then
    part copies python3 "$here/gpu_staging.py" "$device" "$out/staging.json" "$machine" "$staging_samples"
  else
    echo "staging: not measured: this python3 has no torch"
    has_begun=never  # tells end_step() that there is nothing to tell
  fi
}

# In the place of a GPU, the first of alike CPUs; the others sleep until they are three times as slow.
slowed() {
  local words=()
  for ((rank = 1; rank <= $1; ++rank)); do words+=("$rank=3"); done
  (IFS=, && echo "${words[*]}")
}
train() {
  local strategy=$1 count=$2 file=$3 devices=$device where=()
  if [ "$is_gpu" = 1 ]; then
    for ((rank = 1; rank <= count; ++rank)); do devices+=,cpu; done
  else
    where=(--slow-down "$(slowed "$count")")
  fi
  "$build/epochcast" train "${job[@]}" --strategy "$strategy" --devices "$devices" \
    --ranks $((count + 1)) "${where[@]}" --data procedural --test-samples 64 --learning-rate 0.02 --bar=off --format json >"$file.part"
  mv "$file.part" "$file"
}
# A strategy has its own settings only.
job_of() {
  job=(--network "$job_network" --dataset cifar10 --batch "$job_batch" --epochs 3 --train-samples "$job_samples")
  [[ $1 != *local-sgd ]] || job+=(--local-steps "$local_steps")
}
train_one() { job_of "$1" && train "$@"; }
strategies=(sync hetgrad unbalanced-local-sgd biased-local-sgd)
step_jobs() {
  for ((repetition = 1; repetition <= repetitions; ++repetition)); do
    for count in "${cpu_ranks[@]}"; do
      for strategy in "${strategies[@]}"; do
        local id=$strategy-$count-$repetition
        part "$id" train_one "$strategy" "$count" "$out/jobs/$id.json"
      done
    done
  done
}

slow_trace() { [ "$is_gpu" = 1 ] && echo "$out/traces/cpu-$1.json" || echo "$out/traces/cpu-$1-slowed-3x.json"; }
# Times of a GPU's batches while so many CPU ranks compute, which slow down the thread that starts its kernels.
beside_trace() {
  if [ "$is_gpu" = 1 ]; then echo "$out/traces/$name-beside-$1-cpus.json"; else trace_of float32; fi
}
measure_cpus() {
  local count=$1 where beside=""
  if [ "$is_gpu" = 1 ]; then
    where=(--ranks "$count")
    rm -f "$(beside_trace "$count")"
    measure_device "$job_network" float32 "$(beside_trace "$count")" &
    beside=$!
  else
    where=(--ranks $((count + 1)) --slow-down "$(slowed "$count")")
  fi
  "$build/epochcast" measure batches "${where[@]}" --network "$job_network" --dataset cifar10 --batch "$cpu_batches" \
    "${effort[@]}" --layers-batch 0 --machine "$machine" --output "$out/traces/cpu-$count.json"
  [ -z "$beside" ] || wait "$beside"
}
describe() { # the machine as a platform, whose network and adding are then replaced by what is measured
  local count=$1 slow
  slow=$(sed -n 's/^ *"device": "\([^"]*\)".*/\1/p' "$(slow_trace "$count")" | head -n 1)
  cat >"$out/forecasts/machine-$count.json" <<JSON
{
  "schema": "epochcast.platform/1", "name": "machine-$count", "title": "A GPU and $count CPU ranks",
  "source": {"grade": "estimated", "method": "network and memory are replaced by what was measured"},
  "nodes": [{
    "name": "machine", "count": 1,
    "devices": [
      {"class": "gpu", "model": "$name", "count": 1, "memory": "16GiB", "reduce": "5GBps", "worker": true},
      {"class": "cpu", "model": "$slow", "count": $count, "memory": "16GiB", "reduce": "5GBps", "worker": true}],
    "interconnect": {"topology": "shared-memory", "bandwidth": "5GBps", "latency": "1us",
      "source": {"grade": "estimated", "method": "replaced by what was measured"}}}]
}
JSON
  for try in 1 2 3; do # other work on the machine may spoil a measurement, which calibrate then refuses
    "$build/epochcast" measure messages --ranks $((count + 1)) --all-reduce ring "${message_effort[@]}" --machine "$machine" \
      --output "$out/traces/messages-$count.json"
    "$build/epochcast" calibrate --messages "$out/traces/messages-$count.json" --name "machine-$count" \
      --platform "$out/forecasts/machine-$count.json" --output "$out/forecasts/platform-$count.json" && return 0
    echo "try $try of 3 failed"
  done
  [ "$quick" = 1 ] && cp "$out/forecasts/machine-$count.json" "$out/forecasts/platform-$count.json"  # no figure counts then
}
forecast() {
  local strategy=$1 count=$2 file=$3
  job_of "$strategy"
  "$build/epochcast" simulate "${job[@]}" --strategy "$strategy" --platform "$out/forecasts/platform-$count.json" \
    --trace "$(beside_trace "$count"),$(slow_trace "$count")" --format json >"$file.part"
  mv "$file.part" "$file"
}
step_forecast() {
  for count in "${cpu_ranks[@]}"; do
    part "batches-$count" measure_cpus "$count"
    is_done "forecast.batches-$count" || continue
    part "platform-$count" describe "$count"
    is_done "forecast.platform-$count" || continue
    for strategy in "${strategies[@]}"; do
      part "$strategy-$count" forecast "$strategy" "$count" "$out/forecasts/$strategy-$count.json"
    done
  done
}

against_jobs() {
  python3 "$here/gpu_report.py" "$out" "$machine"
  "$build/epochcast" report "$out/validation-jobs.json" --format markdown --html "$out/validation-jobs.html" |
    tee "$out/validation-jobs.md"
}
against_emulation() {
  local count=${cpu_ranks[0]}
  cat >"$out/forecasts/emulate.json" <<JSON
{
  "schema": "epochcast.experiment/1",
  "validate": {
    "command": "emulate", "cluster": "$machine", "ranks": $((count + 1)),
    "rows": [{"strategy": "sync"}, {"strategy": "hetgrad"}, {"strategy": "unbalanced-local-sgd", "local-steps": "$local_steps"},
      {"strategy": "biased-local-sgd", "local-steps": "$local_steps"}]
  },
  "platform": "$out/forecasts/machine-$count.json", "trace": ["$(trace_of float32)", "$(slow_trace "$count")"],
  "network": "$job_network", "dataset": "cifar10", "batch": $job_batch, "epochs": 2, "train-samples": $job_samples
}
JSON
  "$build/epochcast" validate "$out/forecasts/emulate.json" --folder "$out/validation" --repetitions "$repetitions" \
    --save "$out/validation-emulated.json" --format markdown | tee "$out/validation-emulated.md"
}
step_validation() {
  part jobs against_jobs
  # Its messages take minutes, and a quiet machine.
  [ "$brief$quick" != 00 ] || part emulated against_emulation
}
