#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files that docs/measuring.md presumes: profiles of both ranks of a job with its network, and messages of two days, on a quiet machine.
set -e
sh -e "$(dirname "$0")/import.sh"
python3 - << 'END'
import json

with open("docs/tutorial/two-machines.json") as file:
    trace = json.load(file)
for day, factor in {"monday": 1, "friday": 1.05}.items():
    for cost in trace["costs"]:
        cost["samples_s"] = [sample * factor for sample in cost["samples_s"]]
    with open(f"{day}.json", "w") as file:
        json.dump(trace, file)
END
