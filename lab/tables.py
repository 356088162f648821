#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/fidelity.md from kept results of drawn validations.

    lab/tables.py keep RESULT.json SEED   keeps the figures of `validate --draw SEED --save RESULT.json`
    lab/tables.py write                   writes the tables between the marks of docs/fidelity.md
    lab/tables.py check                   exits with 1 if they differ from lab/results
"""
import json
import re
import sys
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "lab" / "results"
PAGE = ROOT / "docs" / "fidelity.md"
TIERS = ("same cluster", "extrapolated")
# Seeds by the program that forecast them.
PROGRAMS = {"the program of 30 Nov": [264575], "the one of 28 Nov": [223606], "the one before": [141421, 173205]}
HEAD = "| rows | median | 90 % within | worst | pairs wrong | runs inside |\n|---|---|---|---|---|---|\n"


def keep(result_file, seed):
    result = json.loads(Path(result_file).read_text())
    rows = [
        {
            "tier": row["tier"],
            "command": row["command"],
            "group": row["group"],
            "point": row["point"],
            "forecast_s": row["forecast"]["epoch_s"],
            "interval_s": row["forecast"]["epoch_s_interval"],
            "measured_s": row["findings"]["measured_s"],
            "measured_spread_s": row["findings"]["measured_spread_s"],
            "runs": row["findings"]["runs_with_interval"],
            "runs_inside": row["findings"]["runs_inside"],
        }
        for row in result["rows"]
        if "findings" in row
    ]
    groups = [{"group": group["group"], "pairs": group["pairs"], "wrong_pairs": group["wrong_pairs"]}
              for tier in result["tiers"] for group in tier["groups"]]
    kept = {"seed": int(seed), "provenance": result["provenance"], "groups": groups, "rows": rows}
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{seed}.json").write_text(json.dumps(kept, indent=1) + "\n")


def nearest_rank(values, share):
    values = sorted(values)
    return values[max(0, -(-len(values) * share // 100) - 1)]


def line(name, rows, groups):
    errors = [100 * abs(row["forecast_s"] / row["measured_s"] - 1) for row in rows]
    names = {row["group"] for row in rows}
    counted = [group for group in groups if group["group"] in names]
    return "| {} | {:.1f} % | {:.1f} % | {:.1f} % | {} of {} | {} of {} |\n".format(
        name, median(errors), nearest_rank(errors, 90), max(errors),
        sum(group["wrong_pairs"] for group in counted), sum(group["pairs"] for group in counted),
        sum(row["runs_inside"] for row in rows), sum(row["runs"] for row in rows))


def table(tier):
    kept = [json.loads(file.read_text()) for file in sorted(RESULTS.glob("*.json"))]
    of_seed = {result["seed"]: [row for row in result["rows"] if row["tier"] == tier] for result in kept}
    groups = [group for result in kept for group in result["groups"]]
    everything = [row for rows in of_seed.values() for row in rows]
    text = HEAD + line(f"{len(everything)} drawn", everything, groups)
    for program, seeds in PROGRAMS.items():
        rows = [row for seed in seeds for row in of_seed[seed]]
        text += line(f"{len(rows)} by {program}", rows, groups)
    return text


def page():
    text = PAGE.read_text()
    for tier in TIERS:
        mark = f"<!-- generated: {tier} -->\n"
        text, count = re.subn(re.escape(mark) + ".*?(?=<!-- end -->)", lambda _: mark + table(tier), text,
                              flags=re.DOTALL)
        if count != 1:
            sys.exit(f"tables.py: {PAGE}: expected one \"{mark.strip()}\"")
    return text


def main(arguments):
    if arguments[:1] == ["keep"] and len(arguments) == 3:
        keep(*arguments[1:])
    elif arguments == ["write"]:
        PAGE.write_text(page())
    elif arguments == ["check"]:
        if PAGE.read_text() != page():
            sys.exit(f"tables.py: {PAGE}: its tables differ from lab/results; run lab/tables.py write")
    else:
        sys.exit(__doc__)


main(sys.argv[1:])
