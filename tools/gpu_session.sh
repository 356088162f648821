#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything that a machine with a GPU is good for, unattended; docs/real-runs.md, "On a machine with GPUs". What is done is
# not repeated: a call ends after --seconds at most, with exit status 75 if something is left, and the next one goes on.
# shellcheck disable=SC2317  # what the steps call is taken for unreachable
set -eu
usage() {
  cat <<'TEXT'
Usage: tools/gpu_session.sh --pack FOLDER                    (Debian 12, with a network)
       tools/gpu_session.sh --output FOLDER [options] [STEP...]  (the machine with the GPU; needs none)

Steps (default: all, in this order):
  build       compile for the LibTorch of this machine's python3, else Debian's
  contract    tests of fabrics, learners and equivalences, on the device
  batches     what batches of 8 to 512 cost, by precision
  staging     what copies between host and device cost (needs a python3 with torch)
  precisions  throughput by precision and kernels, and compression of gradients (needs a GPU, and torch, timm and
              transformers in its python3)
  jobs        training on the device and 2, 4 and 8 CPU ranks
  forecast    forecasts of these jobs, from what is measured here
  validation  forecasts against the jobs, and against emulated ones

Options:
  --device cuda:N|cpu  cpu: a rehearsal of all this, with slowed CPU ranks beside a fast one (default: cuda:0)
  --packages FOLDER    what --pack has packed
  --torch FOLDER       the folder torch of another Python, or an unpacked LibTorch
  --build FOLDER       programs that are there already: nothing is compiled
  --seconds COUNT      end after so long (default: 540)
  --networks LIST      whose batches are measured on the device (default: resnet20,resnet18,resnet50,vit-s)
  --brief              less of everything: for a machine that is lent for a quarter of an hour
  --quick              so little that no figure counts
  --retry              try again what has failed
  --list-steps         print the steps' names and end
  --help               print this text and end
Exit status: 0 all done; 75 time is up, call again; 1 something has failed; 2 wrong options.
TEXT
}
wrong() {
  echo "gpu_session.sh: $*; see --help" >&2
  exit 2
}

here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
all_steps=(build contract batches staging precisions jobs forecast validation)
device=cuda:0 packages="" torch="" build="" out="" seconds=540 networks=() brief=0 quick=0 retry=0 steps=()
while [ $# -gt 0 ]; do
  case $1 in
    --pack | --device | --packages | --torch | --build | --output | --seconds | --networks) [ $# -ge 2 ] || wrong "$1: a value is missing" ;;
  esac
  case $1 in
    --pack) exec "$here/gpu_pack.sh" "$2" ;;
    --device) device=$2 && shift ;;
    --packages) packages=$2 && shift ;;
    --torch) torch=$2 && shift ;;
    --build) build=$2 && shift ;;
    --output) out=$2 && shift ;;
    --seconds) seconds=$2 && shift ;;
    --networks) IFS=, read -ra networks <<<"$2" && shift ;;
    --brief) brief=1 ;;
    --quick) quick=1 ;;
    --retry) retry=1 ;;
    --list-steps) printf '%s\n' "${all_steps[@]}" && exit 0 ;;
    --help) usage && exit 0 ;;
    -*) wrong "unknown option $1" ;;
    *)
      [[ " ${all_steps[*]} " = *" $1 "* ]] || wrong "got step $1; expected one of ${all_steps[*]}"
      steps+=("$1")
      ;;
  esac
  shift
done
[ ${#steps[@]} -gt 0 ] || steps=("${all_steps[@]}")
[ -n "$out" ] || wrong "--output is missing"
[[ $device =~ ^(cpu|cuda:[0-9]+)$ ]] || wrong "--device: got $device; expected cpu or cuda:N"
[[ $seconds =~ ^[1-9][0-9]*$ ]] || wrong "--seconds: got $seconds; expected a whole number"
deadline=$((SECONDS + seconds))
mkdir -p "$out"
out=$(cd "$out" && pwd)
is_built=0
[ -z "$build" ] || is_built=1
build=$(realpath -m "${build:-$root/build/gpu}")

# Files that an earlier call has left in the folder, of these sources and settings or of others.
sources=$(cd "$root" &&
  find CMakeLists.txt cmake base core results collectives strategies analysis real sim rehearse cli models tests -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum | cut -c 1-16)
key="sources $sources, device $device, brief $brief, quick $quick"
if [ -e "$out/key" ] && [ "$(cat "$out/key")" != "$key" ]; then
  before=$out/before-$(date +%Y%m%d-%H%M%S)
  mkdir "$before"
  find "$out" -mindepth 1 -maxdepth 1 ! -name 'before-*' -exec mv {} "$before" \;
  echo "gpu_session.sh: what was in $out is of other sources or settings, and now in $before"
elif [ ! -e "$out/key" ] && [ -n "$(ls -A "$out")" ]; then
  wrong "--output: $out has other things in it"
fi
echo "$key" >"$out/key"
mkdir -p "$out"/{done,log,traces,jobs,forecasts}
[ "$retry" = 0 ] || rm -f "$out"/done/*.failed

collect() { # everything in one file, however this ends
  local file
  file=$(mktemp)
  tar -C "$out" --exclude='before-*' --exclude=results.tar.gz --exclude=./validation -czf "$file" . &&
    mv "$file" "$out/results.tar.gz"
  rm -f "$file"
}
trap collect EXIT

## Packages and LibTorch
if [ -n "$packages" ]; then
  unpacked=$root/build/gpu-packages
  sum=$(sha256sum "$packages/packages.tar.xz" | cut -c 1-16)
  if [ "$(cat "$unpacked/sum" 2>/dev/null)" != "$sum" ]; then
    rm -rf "$unpacked" && mkdir -p "$unpacked"
    tar -C "$unpacked" -xJf "$packages/packages.tar.xz" 2>/dev/null ||
      python3 -W ignore -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2])' \
        "$packages/packages.tar.xz" "$unpacked"  # there may be no xz
    echo "$sum" >"$unpacked/sum"
  fi
  usr=$unpacked/packages/usr
  lib=$usr/lib/x86_64-linux-gnu
  export PATH=$usr/bin:$PATH:$unpacked/packages/build-tools/bin
  export PKG_CONFIG=$usr/bin/pkg-config PKG_CONFIG_PATH=$lib/pkgconfig
  # Where Open MPI finds its parts.
  export OPAL_PREFIX=$usr OPAL_LIBDIR=$lib/openmpi/lib OPAL_PKGLIBDIR=$lib/openmpi/lib/openmpi3 OPAL_PKGDATADIR=$usr/share/openmpi
  export PMIX_INSTALL_PREFIX=$lib/pmix2 PMIX_LIBDIR=$lib/pmix2/lib PMIX_PKGLIBDIR=$lib/pmix2/lib/pmix
  command -v ssh >/dev/null || export OMPI_MCA_plm=isolated  # which it asks for even where there is one machine
fi
python_torch=$(python3 -c '
import os, torch
assert torch._C._GLIBCXX_USE_CXX11_ABI, "torch was built with the C++ ABI of before GCC 5"
print(os.path.dirname(torch.__file__))' 2>"$out/log/python.log") || python_torch=""
if grep -q 'C++ ABI' "$out/log/python.log" && [ -z "$torch" ]; then
  wrong "this python3's $(grep -o 'torch was built.*' "$out/log/python.log"): Debian's C++ libraries do not fit it"
fi
torch=${torch:-$python_torch}

## The machine, as traces tell it
is_gpu=0 name=cpu-in-place-of-gpu machine=""
cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
if [[ $device = cuda:* ]]; then
  is_gpu=1
  query() { nvidia-smi --id="${device#cuda:}" --query-gpu="$1" --format=csv,noheader 2>/dev/null | head -n 1; }
  gpu=$(query name || true)
  [ -n "$gpu" ] || gpu=$(python3 -c "import torch; print(torch.cuda.get_device_name('$device'))" 2>/dev/null) || gpu="CUDA GPU"
  name=$(echo "$gpu" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9]/-/g')
  cuda=$(python3 -c 'import torch; print(torch.version.cuda)' 2>/dev/null || echo unknown)
  machine="$gpu, driver $(query driver_version || true), CUDA $cuda; "
fi
machine+="${cpu:-unknown processor}, $(nproc) cores"
{
  echo "$machine"
  echo "commit $(git -C "$root" rev-parse HEAD 2>/dev/null || echo unknown), $key"
  echo "torch ${torch:-of the system}; $(g++ --version | head -n 1); $(mpirun --version 2>/dev/null | head -n 1)"
  nvidia-smi 2>/dev/null || true
} >"$out/machine.txt"

## Parts of steps: each is done once
any_failed=0 step="" has_begun=0 began=0
begin_step() { step=$1 has_begun=0 began=$SECONDS; }
end_step() {
  local failed=""
  failed=$(find "$out/done" -name "$step.*.failed" | sort | sed 's/.*\///; s/\.failed$//' | tr '\n' ' ')
  if [ -n "$failed" ]; then
    any_failed=1
    echo "$step: FAILED after $((SECONDS - began)) s: ${failed}(see $out/log)"
  elif [ "$has_begun" = 1 ]; then
    echo "$step: done in $((SECONDS - began)) s"
  elif [ "$has_begun" = 0 ]; then
    echo "$step: was done before"
  fi
}
time_is_up() {
  echo "$step: time is up after $((SECONDS - began)) s, in $1; call again"
  exit 75
}
# part NAME COMMAND...: the command, unless it was done or has failed before; its output goes to a log.
part() {
  local id=$step.$1 left status=0 start=$SECONDS
  shift
  [ ! -e "$out/done/$id" ] && [ ! -e "$out/done/$id.failed" ] || return 0
  if [ "$has_begun" = 0 ]; then
    echo "$step: begins"
    has_begun=1
  fi
  left=$((deadline - SECONDS))
  [ "$left" -ge 5 ] || time_is_up "$id"
  echo "\$ $*" >>"$out/log/$id.log"
  # shellcheck disable=SC2016  # expanded by that bash
  timeout --kill-after=15 "$left" bash -euo pipefail -c 'source "$1"; source "$2"; "${@:3}"' part \
    "$settings" "$here/gpu_steps.sh" "$@" >>"$out/log/$id.log" 2>&1 || status=$?
  if [ "$status" = 0 ]; then
    echo "$key, $((SECONDS - start)) s, $(date -u +%FT%TZ)" >"$out/done/$id"
  elif [ $((deadline - SECONDS)) -le 0 ] && { [[ $step = build || $step = validation ]] || [ "$left" -lt $((seconds * 9 / 10)) ]; }; then
    time_is_up "$id"  # ninja and validate go on from what they have; a measurement begins again, with more time
  else
    echo "exit status $status after $((SECONDS - start)) s" | tee -a "$out/log/$id.log" >"$out/done/$id.failed"
    echo "$step: $id has failed; the end of its log:"
    tail -n 5 "$out/log/$id.log" | sed 's/^/    /'
  fi
}
is_done() { [ -e "$out/done/$1" ]; }

# Parts run in a bash of their own, under a time limit; this is what they know.
settings=$out/log/settings.sh
for variable in here root device packages torch is_built build out seconds networks brief quick is_gpu name machine usr lib python_torch; do
  declare -p "$variable" 2>/dev/null || true
done >"$settings"
# shellcheck source=tools/gpu_steps.sh
source "$here/gpu_steps.sh"

for each in "${steps[@]}"; do
  begin_step "$each"
  "step_$each"
  end_step
done
exit $any_failed
