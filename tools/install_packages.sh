#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages named as arguments, those that are missing only; says which before it does.
set -eu

missing=()
for package in "$@"; do
  status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
  echo "epochcast: this machine has no apt-get; please install the equivalents of: ${missing[*]}" >&2
  exit 1
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  as_root=(sudo)
fi
echo "Installing from Debian: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
  "${as_root[@]}" apt-get install --yes --no-install-recommends "${missing[@]}" >"$log" 2>&1
}
# Package lists may be absent or stale: refresh them when the first try fails.
if ! install; then
  "${as_root[@]}" apt-get update >"$log" 2>&1 || true
  if ! install; then
    tail -n 20 "$log" >&2
    echo "epochcast: could not install: ${missing[*]}" >&2
    exit 1
  fi
fi
