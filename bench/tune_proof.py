#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is what `epochcast tune` chooses the best, and at what cost? A table of docs/rehearsals.md.

    bench/tune_proof.py build/dev/epochcast [--seed 701] [--task TASK ...]

Six tasks that can be searched exhaustively. Printed of each: the chosen setting's seconds to the target over the best one's
(means over the same seeds), and the epochs that tune computed over those of the exhaustive search, which rehearses every
setting until it reaches the target, or to its last epoch.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile

from curves import seconds_to

TARGET = 0.4
SEEDS = 3
COMMON = ["--network", "small-cnn", "--dataset", "cifar10", "--data", "procedural", "--train-samples", "1024",
          "--test-samples", "256", "--epochs", "32", "--target-accuracy", str(TARGET), "--format", "json"]
SERVER = ["--platform", "server-2cpu-8gpu", "--workers", "gpu", "--batch", "8", "--strategy", "local-sgd",
          "--batch-seconds", "gpu=2ms", "--exchange-seconds", "10ms"]
NODES = ["--platform", "deep-est-esb", "--nodes", "4", "--strategy", "sync"]

# What is chosen: the job, and the values of each setting.
TASKS = {
    "local steps": (SERVER, {"local-steps": "1,2,4,8,16", "learning-rate": "0.002,0.005,0.02,0.05,0.1"}),
    "averaging period": (
        ["--platform", "ceta-ta", "--nodes", "2", "--workers", "gpu", "--batch", "4", "--strategy", "node-based",
         "--batch-seconds", "gpu=2ms", "--exchange-seconds", "all=20ms,node=1ms"],
        {"averaging-period": "1,2,4,8,32", "learning-rate": "0.005,0.01,0.02,0.05,0.1"}),
    "batch": (NODES, {"batch": "4,8,16,32", "learning-rate": "0.01,0.02,0.05,0.1,0.2"}),
    "compression": (
        [*NODES, "--batch", "8", "--set", "network.bandwidth=100Mbps"],
        {"compression": "none,fp16,int8,topk,gaussiank,oktopk,terngrad,qsgd", "learning-rate": "0.01,0.02,0.05"}),
    "adaptive period": (
        [*SERVER, "--schedule", "cosine"], {"period-rule": "constant,qsr,adacomm,stl-sgd", "local-steps": "2,4,8,16", "learning-rate": "0.01,0.03"}),
    "learning rate": (
        [*NODES, "--batch", "8"], {"learning-rate": "0.005,0.01,0.02,0.05,0.1", "momentum": "0,0.5,0.9,0.95"}),
}


def run(program, command, *words):
    command = [program, command, *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    try:
        computed = re.search(r"(\d+) epochs were computed now", done.stderr)
        return json.loads(done.stdout) | ({"computed": int(computed[1])} if computed else {})
    except json.JSONDecodeError:
        sys.exit(f"{' '.join(command)}: {done.stderr[-400:]}")


def exhaustive(program, job, axes, seed, folder):
    """Mean seconds to the target by setting, of those that reach it with every seed, and the epochs that it took."""
    sweeps = [word for name, values in axes.items() for word in ("--sweep", f"{name}={values}")]
    result = run(program, "rehearse", *job, *COMMON, *sweeps, "--seeds", str(SEEDS), "--seed", str(seed), "--folder", folder)
    found, epochs = {}, 0
    for rehearsal in result["rehearsals"]:
        epochs += len(rehearsal["curve"])
        seconds = None if rehearsal["problems"] else seconds_to(rehearsal["curve"], TARGET)
        found.setdefault(rehearsal["point"], []).append(seconds)
    return {point: statistics.mean(seconds) for point, seconds in found.items() if None not in seconds}, epochs, len(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--task", dest="tasks", action="append", choices=list(TASKS), metavar="TASK", help=", ".join(TASKS))
    parser.add_argument("--seed", type=int, default=701)
    options = parser.parse_args()
    ratios, costs = [], []
    print("| chosen are | settings | best | chosen | times the best one's seconds | verdict | cost |\n|---|---|---|---|---|---|---|")
    for name in options.tasks or TASKS:
        job, axes = TASKS[name]
        choose = [word for axis, values in axes.items() for word in ("--choose", f"{axis}={values}")]
        with tempfile.TemporaryDirectory() as folder:
            tuned = run(options.program, "tune", *job, *COMMON, *choose, "--seeds", str(SEEDS), "--seed", str(options.seed),
                        "--folder", folder)
            # Rehearsals of the tuner are kept and continued: the epochs of both are counted, not timed.
            seconds, all_epochs, settings = exhaustive(options.program, job, axes, options.seed, folder)
        costs.append(tuned["computed"] / all_epochs)
        best = min(seconds, key=seconds.get)
        # tune names the strategy's own setting first.
        chosen = next((point for point in seconds if tuned["ahead"] and
                       sorted(point.split(", ")) == sorted(tuned["ahead"].split(", "))), tuned["ahead"])
        ratios.append(seconds[chosen] / seconds[best] if chosen in seconds else float("inf"))
        print(f"| {name} | {settings} | {best} | {chosen} | {ratios[-1]:.3f} | {tuned['verdict']} | {costs[-1]:.1%} of {all_epochs} epochs |",
              flush=True)
    print(f"\nMedian {statistics.median(ratios):.3f}, worst {max(ratios):.3f} times the best one's seconds; median "
          f"{statistics.median(costs):.1%}, worst {max(costs):.1%} of the exhaustive search's epochs.")


if __name__ == "__main__":
    main()
