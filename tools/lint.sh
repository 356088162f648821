#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-format on every source; clang-tidy on every source, a folder at a time: most of its time goes into headers.
# With LINT_SINCE=REVISION, clang-tidy on the folders whose files are not as they were then.
set -eu
cd "$(dirname "$0")/.."

mapfile -t sources < <(git ls-files '*.cpp' '*.hpp')
clang-format --dry-run --Werror "${sources[@]}"
echo "clang-format: ${#sources[@]} files are formatted"

mkdir -p build
cmake --preset dev -B build/lint -DEPOCHCAST_BENCH=ON >build/lint.log || { cat build/lint.log; exit 1; }
cmake --build build/lint --target epochcast_chakra_messages epochcast_import_events >/dev/null  # generated headers
mapfile -t units < <(jq -r '.[].file' build/lint/compile_commands.json | grep -Ev '\.(c|pb\.cc)$' | sort -u)
if since=$(git rev-parse --quiet --verify "${LINT_SINCE:-}^{commit}"); then
  # A header is looked at with the file of its name, or else with one that includes it.
  git diff --name-only "$since" -- '*.cpp' '*.hpp' | while read -r changed; do
    [ -e "$changed" ] || continue
    [ -e "${changed%.*}.cpp" ] || changed=$(git grep -l --fixed-strings "\"$changed\"" -- '*.cpp' | head -n 1)
    echo "$PWD/${changed%.*}.cpp"
  done | sort -u >build/lint.changed
  mapfile -t units < <(for unit in "${units[@]}"; do
    { echo "$unit"; grep -o "$PWD/[^\"]*" "$unit" || true; } | grep -qxFf build/lint.changed && echo "$unit"; done || true)
fi
# Tests may copy and multiply as it reads best; their lists of texts are long ones.
check() {
  local checks=""
  case $1 in "$PWD"/tests/* | "$PWD"/build/lint/tests/*)
    checks=-performance-*,-bugprone-implicit-widening-of-multiplication-result,-bugprone-suspicious-missing-comma
    checks+=,-clang-analyzer-security.FloatLoopCounter ;;
  esac
  clang-tidy --quiet -p build/lint --extra-arg=-Wno-unknown-warning-option --checks="$checks" \
    --extra-arg-before="-include$PWD/tools/lint_vector.hpp" "$1" 2>/dev/null
}
export -f check
# Clang reads the commands that GCC is given, warnings of GCC alone excepted.
[ "${#units[@]}" = 0 ] || printf '%s\0' "${units[@]}" |
  xargs -0 -n 1 -P "$(nproc)" bash -c 'check "$0"' ||
  { echo "clang-tidy: see above" >&2; exit 1; }
echo "clang-tidy: ${#units[@]} units are clean"
