#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files that docs/extending.md presumes: a platform of devices that are to be measured.
sed 's/"amd-epyc-1thread"/"my-cpu"/; s/"name": "epyc-vm-2core"/"name": "my-cluster"/' models/platforms/epyc-vm-2core.json > my-cluster.json
