#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs axe-core, which looks pages through for what keeps people out, into FOLDER/node_modules: Debian has no package of it.
# Without npm, or where it cannot be had, the test of pages says so and is skipped.
set -eu
[ ! -e "$1/node_modules/axe-core" ] || exit 0
command -v npm >/dev/null || { echo "no npm: pages are not tested in a browser"; exit 0; }
mkdir -p "$1"
npm install --prefix "$1" --no-audit --no-fund --loglevel=error axe-core@4 >/dev/null ||
  echo "axe-core cannot be had: pages are not tested in a browser"
