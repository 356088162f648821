#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A few forecasts and real runs: every step of `validate` works, and its figures follow from the epochs it reports.

How far off forecasts are is not tested: other work on a machine lengthens real runs. `make validation` has bounds.

quick_test.py here|box EPOCHCAST; ends with 77 (skipped) if there can be no cluster in a box, or if `validate` fails and asks
for a quiet machine: other work on this one then changed the measured messages too much."""
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).parents[2]
WHERE, EPOCHCAST = sys.argv[1:]
EXPERIMENT = SOURCE / f"tests/validation/quick-{WHERE}.json"
SKIPPED = 77
PHASES = ["compute", "exposed_communication", "blocked"]

failures = 0


def claim(text, holds, found=""):
    global failures
    failures += not holds
    print(f"{'ok  ' if holds else 'FAIL'} {text}" + ("" if holds else f": {found}"))


def close(one, other):
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)


def check_row(row):
    name, findings, forecast = row["point"], row["findings"], row["forecast"]
    measured = [run["epoch_s"] for run in row["measured"]]
    claim(f"{name}: a forecast and a run", not row["problems"] and forecast["epoch_s"] > 0 and min(measured) > 0, row)
    claim(f"{name}: the measured epoch is the runs' median", close(findings["measured_s"], statistics.median(measured)), findings)
    claim(f"{name}: the error is the forecast's excess", close(findings["error"], forecast["epoch_s"] / findings["measured_s"] - 1), findings)
    for phase in PHASES:
        excess_s = forecast[f"{phase}_s"] - findings["measured_phases"][f"{phase}_s"]
        claim(f"{name}: the error of {phase} is a share of the epoch", close(findings["phase_errors"][phase], excess_s / findings["measured_s"]), findings)
    for world, run in [("forecast", forecast)] + [("run", run) for run in row["measured"]]:
        iterations, samples = forecast["iterations_per_epoch"], forecast["samples_per_epoch"]
        claim(f"{name}: the {world} has the job's samples", [run["iterations_per_epoch"], run["samples_per_epoch"]] == [iterations, samples], run)


def main():
    if WHERE == "box":
        status = subprocess.run([SOURCE / "lab/box/box", "--nodes", "1", "--", "true"], check=False).returncode
        if status != 0:
            return status
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "validation.json"
        command = [EPOCHCAST, "validate", EXPERIMENT, "--repetitions", "1", "--save", file]
        run = subprocess.run(command, cwd=SOURCE, stderr=subprocess.PIPE, text=True, check=False)
        print(run.stderr)
        if run.returncode != 0 and "on a quiet machine" in run.stderr:
            print("skipped: this machine is too busy to measure messages")
            return SKIPPED
        claim("`validate` succeeds", run.returncode == 0, f"exit status {run.returncode}; what it printed is above")
        if failures:
            return 1
        result = json.loads(file.read_text())
    summary, rows = result["summary"], result["rows"]
    points = [row["strategy"] for row in json.loads(EXPERIMENT.read_text())["validate"]["rows"]]
    claim("every configuration has a row", [row["forecast"]["strategy"] for row in rows] == points, rows)
    for row in rows:
        check_row(row)
    errors = [abs(row["findings"]["error"]) for row in rows]
    claim("no configuration failed", summary["failed"] == 0 and summary["configurations"] == len(points), summary)
    claim("the summary has the median error", close(summary["median_error"], statistics.median(errors)), summary)
    claim("the summary has the worst error", close(summary["worst_error"], max(errors)), summary)
    return 0 if failures == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
