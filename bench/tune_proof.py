#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is what `epochcast tune` chooses the best, and at what cost?

On a space that can be searched exhaustively, H and the learning rate of local SGD, five times with other
seeds. Argument: the epochcast program. Prints, of each time, the chosen setting's seconds to the target over
the best one's (means over its seeds), and the epochs that were computed over those of the exhaustive search:
every setting until it reaches the target, or to its last epoch.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import product

from curves import seconds_to

JOB = [
    "--platform", "server-2cpu-8gpu", "--workers", "gpu", "--network", "small-cnn", "--dataset", "cifar10",
    "--data", "procedural", "--train-samples", "1024", "--test-samples", "256", "--batch", "8",
    "--strategy", "local-sgd", "--batch-seconds", "gpu=2ms", "--exchange-seconds", "10ms",
    "--epochs", "32",
]
TARGET = 0.4
STEPS = [1, 2, 4, 16]
RATES = [0.002, 0.005, 0.02, 0.05, 0.1]
NO_DEFAULT = "0.01"  # none of the rates: a default is rehearsed to the end, however bad it is
SEEDS = 3
FIRST_SEEDS = [701, 801, 901, 1001, 1101]  # none of those that the rule of giving up was chosen with


def run(program, command, *more):
    words = [program, command, *JOB, "--target-accuracy", str(TARGET), "--format", "json", *more]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        sys.exit(f"{' '.join(words)}: {done.stderr[-400:]}")


def exhaustive(program, seed, folder):
    """Mean seconds to the target by (H, learning rate), and the epochs that it took to find out."""

    def curve(setting):
        steps, rate, one = setting
        result = run(program, "rehearse", "--local-steps", str(steps), "--learning-rate", str(rate), "--seed",
                     str(one), "--folder", folder)
        return result["rehearsals"][0]["curve"]

    tasks = list(product(STEPS, RATES, range(seed, seed + SEEDS)))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        curves = dict(zip(tasks, pool.map(curve, tasks)))
    seconds = {}
    for steps, rate in product(STEPS, RATES):
        found = [seconds_to(curves[steps, rate, one], TARGET) for one in range(seed, seed + SEEDS)]
        if None not in found:
            seconds[steps, rate] = statistics.mean(found)
    return seconds, sum(len(curve) for curve in curves.values())


def main():
    program = sys.argv[1]
    ratios, costs = [], []
    for seed in FIRST_SEEDS:
        with tempfile.TemporaryDirectory() as folder:
            tuned = run(program, "tune", "--choose", "local-steps=" + ",".join(map(str, STEPS)), "--choose",
                        "learning-rate=" + ",".join(map(str, RATES)), "--learning-rate", NO_DEFAULT, "--seeds",
                        str(SEEDS), "--seed", str(seed), "--folder", folder)
            # Rehearsals of the tuner are kept and continued: the cost of both is counted, not timed.
            seconds, all_epochs = exhaustive(program, seed, folder)
        epochs = sum(len(curve) for candidate in tuned["candidates"] for curve in candidate["curves"])
        costs.append(epochs / all_epochs)
        best = min(seconds, key=seconds.get) if seconds else None
        if not tuned["ahead"]:
            ratios.append(float("inf"))
            print(f"seeds from {seed}: tune finds no setting; the best is {best}", flush=True)
            continue
        chosen = next(setting for setting in product(STEPS, RATES)
                      if tuned["ahead"] == f"local-steps {setting[0]}, learning-rate {setting[1]}")
        ratios.append(seconds[chosen] / seconds[best])
        print(f"seeds from {seed}: tune recommends H = {chosen[0]}, learning rate {chosen[1]}; the best is H = {best[0]}, "
              f"{best[1]}: {ratios[-1]:.3f} times its {seconds[best]:.3f} s, at {costs[-1]:.0%} of {all_epochs} epochs",
              flush=True)
    print(f"in all: median {statistics.median(ratios):.3f}, worst {max(ratios):.3f} times the best one's seconds; "
          f"median {statistics.median(costs):.0%}, worst {max(costs):.0%} of the exhaustive search's epochs")


if __name__ == "__main__":
    main()
