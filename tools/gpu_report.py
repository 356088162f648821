#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the jobs and forecasts of tools/gpu_session.sh side by side, for `epochcast report`: an epochcast.validation/1, whose
errors are worked out when it is read. Arguments: the session's folder, the machine."""
import datetime
import json
import pathlib
import re
import sys

folder, machine = pathlib.Path(sys.argv[1]), sys.argv[2]


def run_of(path):
    return json.loads(path.read_text(encoding="utf-8"))["runs"][0]


jobs = {}
for path in sorted((folder / "jobs").glob("*.json")):
    strategy, count, _ = re.fullmatch(r"(.*)-(\d+)-(\d+)", path.stem).groups()
    jobs.setdefault((int(count), strategy), []).append(run_of(path))
if not jobs:
    sys.exit(f"{folder / 'jobs'}: no job has ended")

rows = []
for (count, strategy), measured in sorted(jobs.items()):
    path = folder / "forecasts" / f"{strategy}-{count}.json"
    cluster = f"a GPU and {count} CPU ranks"
    rows.append({
        "cluster": cluster,
        "command": "train",
        "group": f"{measured[0]['network']} on {cluster}, train",
        "point": strategy,
        "tier": "same cluster",
        "calibrated": cluster,
        "problems": [] if path.exists() else ["there is no forecast"],
        "forecast": run_of(path) if path.exists() else None,
        "measured": measured,
    })
provenance = {
    "program": json.loads((folder / "jobs").glob("*.json").__next__().read_text(encoding="utf-8"))["provenance"]["program"],
    "command": f"tools/gpu_session.sh on {machine}",
    "date": datetime.date.today().isoformat(),
}
report = {"schema": "epochcast.validation/1", "rows": rows, "provenance": provenance}
(folder / "validation-jobs.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
