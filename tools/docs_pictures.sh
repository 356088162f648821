#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the pictures of README and docs again, as docs/pictures/*.png. Argument: the epochcast program. Needs chromium.
set -eu
epochcast=$(readlink -f "$1")
pictures=$(cd "$(dirname "$0")/.." && pwd)/docs/pictures
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"

# The page of the forecast $2..., of so many pixels in height ($1), as the picture of that name.
picture() {
  local height=$1 name=$2
  shift 2
  "$epochcast" simulate "$@" --html "$name.html" > table.txt
  HOME=$room chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size="1100,$height" \
    --screenshot="$pictures/$name.png" "file://$room/$name.html" 2> log.txt || { cat log.txt >&2; exit 1; }
  echo "wrote $pictures/$name.png"
}

picture 1180 forecast --platform server-2cpu-8gpu --network resnet20 --dataset cifar10 --train-samples 40960 --batch 32
