#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Debian changelog of a package that is built from here: one entry, as old as CHANGELOG.md. Arguments: version, CHANGELOG.md,
# maintainer (NAME <ADDRESS>; without one cpack makes no package).
set -eu
cat <<TEXT
epochcast ($1-1) unstable; urgency=low

  * Changes are listed in changelog.gz.

 -- ${3:-unknown <unknown@invalid>}  $(date --rfc-email --reference="$2")
TEXT
