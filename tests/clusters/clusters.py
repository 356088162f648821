#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Forecasts of published clusters: tests/clusters/forecasts.json and docs/clusters.md.

Usage: clusters.py EPOCHCAST [--write]. Without --write: checks that the recorded forecasts are those of the program, that
every question that can be expressed has one, and that each lies in its interval.
"""
import json
import math
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import large_batch
import page
import translate

HERE = Path(__file__).resolve().parent
FORECASTS = HERE / "forecasts.json"


def answer(epochcast, document):
    """The program's forecasts of one rows file: seconds, low, high."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(document, file)
        file.flush()
        command = [epochcast, "calibrate", "--rows", file.name, "--format", "json"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(result.stderr)
    output = json.loads(result.stdout)
    return [(f["seconds"], f["low"], f["high"]) for kind in ("forecast", "collectives", "rounds") for f in output[kind]]


def in_unit(data, row, seconds):
    if row["unit"] == "ms":
        return 1000 * seconds
    workload = next(w for w in data["workloads"] if w["id"] == row["workload"])
    return translate.from_step(row, workload, seconds)


def answers_of(epochcast, jobs):
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda job: answer(epochcast, job[1]), jobs))


def is_answerable(rows, row):
    """Whether `row` is a measured row of training on equal devices, and a row of `rows` is measured."""
    return row.get("measured") and "device" not in row and translate.is_training(row) and any(r.get("measured") for r in rows)


def fewer_devices(data, row):
    """The given rows without those of the row's workload with as many devices, and those of the workload."""
    kept = [r for r in data["given"] if r["workload"] != row["workload"] or r["devices"] < row["devices"]]
    return kept, [r for r in kept if r["workload"] == row["workload"]]


def smaller_batches(data, row):
    """The given rows without those of the row's network in its or a larger batch, and those of the network."""
    workloads = {w["id"]: w for w in data["workloads"]}
    network = translate.without_batch(row["workload"])
    largest = translate.batch_of(row, workloads[row["workload"]])
    kept = [r for r in data["given"] if translate.without_batch(r["workload"]) != network
            or r["workload"] != row["workload"] and translate.batch_of(r, workloads[r["workload"]]) < largest]
    return kept, [r for r in kept if translate.without_batch(r["workload"]) == network and translate.same_job(r, row)]


def errors_of(epochcast, systems, kept_rows):
    """Errors of forecasts of given rows from those that `kept_rows` leaves: {system: [(row, error, is inside)]}."""
    jobs = []
    for data in systems:
        for row in data["given"]:
            given, of_job = kept_rows(data, row)
            if is_answerable(of_job, row):
                jobs += [(data, document, rows) for document, rows in translate.questions(dict(data, given=given), [row])]
    errors = {}
    for (data, _, rows), answered in zip(jobs, answers_of(epochcast, jobs)):
        row, (seconds, low, high) = rows[0], answered[0]
        workload = next(w for w in data["workloads"] if w["id"] == row["workload"])
        measured = translate.step_s(row, workload, row["measured"])
        errors.setdefault(data["system"], []).append((row, seconds / measured - 1, low <= measured <= high))
    return errors


def forecasts_of(epochcast, systems):
    jobs = [(data, document, rows) for data in systems for document, rows in translate.questions(data)]
    answers = answers_of(epochcast, jobs)
    forecasts = {}
    for (data, _, rows), answered in zip(jobs, answers):
        for row, triple in zip(rows, answered):
            forecast, *bounds = (in_unit(data, row, seconds) for seconds in triple)
            forecasts[row["id"]] = {"forecast": rounded(forecast), "low": rounded(min(bounds)), "high": rounded(max(bounds))}
    return dict(sorted(forecasts.items()))


def rounded(value):
    return float(f"{value:.5g}")


def load_systems(folder=HERE / "systems"):
    return [large_batch.add_single_rates(json.loads(file.read_text())) for file in sorted(Path(folder).glob("*.json"))]


def problems_of(recorded, forecasts, systems):
    """What is wrong with the recorded forecasts, a line each."""
    expected = {r["id"] for data in systems for r in data["asked"] if translate.expressible(r)}
    problems = [f"{name}: not forecast" for name in sorted(expected - set(recorded))]
    problems += [f"{name}: not a question that can be expressed" for name in sorted(set(recorded) - expected)]
    for name in sorted(expected & set(recorded)):
        values = recorded[name]
        if not all(math.isfinite(v) and v > 0 for v in values.values()):
            problems.append(f"{name}: not a positive number")
        elif not values["low"] <= values["forecast"] <= values["high"]:
            problems.append(f"{name}: outside its interval")
        else:
            problems += [f"{name}: {key} is recorded as {values[key]}, the program says {forecasts[name][key]}"
                         for key in values if not math.isclose(values[key], forecasts[name][key], rel_tol=1e-3)]
    return problems


def main():
    systems = load_systems()
    forecasts = forecasts_of(sys.argv[1], systems)
    if "--write" in sys.argv[2:]:
        lines = [f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in forecasts.items()]
        FORECASTS.write_text("{\n" + ",\n".join(lines) + "\n}\n")
        page.write(systems, forecasts, *(errors_of(sys.argv[1], systems, kept) for kept in (fewer_devices, smaller_batches)))
        print(f"{len(forecasts)} forecasts of {len(systems)} systems")
        return
    problems = problems_of(json.loads(FORECASTS.read_text()), forecasts, systems)
    if problems:
        sys.exit("\n".join(problems + ["`make clusters` writes the forecasts again"]))


if __name__ == "__main__":
    main()
