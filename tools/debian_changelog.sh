#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Debian changelog of a package that is built from here: one entry, as old as CHANGELOG.md. Arguments: version, CHANGELOG.md.
set -eu
cat <<TEXT
epochcast ($1-1) unstable; urgency=low

  * What has changed is told in changelog.gz.

 -- Epochcast's maintainers <epochcast@localhost>  $(date --rfc-email --reference="$2")
TEXT
