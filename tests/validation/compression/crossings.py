#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Below which bandwidth do compressed jobs beat `sync`, by forecasts and by runs? As a Markdown table.

crossings.py VALIDATION: what `epochcast validate tests/validation/compression/*.json --save VALIDATION` wrote. Differences to
`sync` are a line in 1 / bandwidth, fitted by least squares."""
import json
import statistics
import sys

MBIT = {"50 Mbit/s": 50, "200 Mbit/s": 200, "1 Gbit/s": 1000}


def crossing(differences_s):
    """The bandwidth, in Mbit/s, at which a difference of epochs by bandwidth is zero."""
    line = statistics.linear_regression([1 / mbit for mbit in differences_s], list(differences_s.values()))
    if line.slope >= 0:
        return "none"
    return f"{-line.slope / line.intercept:.0f}" if line.intercept > 0 else "all"


def main():
    epochs = {}
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = json.load(file)["rows"]
    for row in rows:
        mbit = MBIT[row["cluster"].split(", ")[1]]
        epochs.setdefault(row["point"], {})[mbit] = (row["forecast"]["epoch_s"], row["findings"]["measured_s"])
    bandwidths = sorted(next(iter(epochs.values())))
    print("| | " + " | ".join(f"{mbit} Mbit/s: forecast, measured" for mbit in bandwidths) +
          " | wins below, Mbit/s: forecast, found |")
    print("|---" * (2 + len(bandwidths)) + "|")
    for point, times in epochs.items():
        cells = ["{:.2f} s, {:.2f} s".format(*times[mbit]) for mbit in bandwidths]
        won = ", ".join(crossing({mbit: times[mbit][which] - epochs["sync"][mbit][which] for mbit in bandwidths})
                        for which in (0, 1)) if "compression" in point else ""
        print(f"| {point} | " + " | ".join(cells) + f" | {won} |")


main()
