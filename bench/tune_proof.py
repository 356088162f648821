#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is what `epochcast tune` chooses the best, and at what cost?

On a space that can be searched exhaustively: H of local SGD, five times with other seeds. Argument: the
epochcast program. Prints, of each time, the chosen setting's seconds to the target over the best one's, and
the epochs that were computed over those of the exhaustive search (every setting until it reaches the
target, or to its last epoch).
"""

import json
import statistics
import subprocess
import sys
import tempfile

from curves import seconds_to

JOB = [
    "--platform", "server-2cpu-8gpu", "--workers", "gpu", "--network", "small-cnn", "--dataset", "cifar10",
    "--data", "procedural", "--train-samples", "2048", "--test-samples", "256", "--batch", "8",
    "--learning-rate", "0.02", "--strategy", "local-sgd", "--batch-seconds", "gpu=2ms",
    "--exchange-seconds", "10ms",
]
EPOCHS = 16
TARGET = 0.25
STEPS = [1, 2, 4, 8, 16, 32]
SEEDS = 3
TIMES = 5


def run(program, command, *more):
    words = [program, command, *JOB, "--epochs", str(EPOCHS), "--format", "json", *more]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return json.loads(done.stdout)


def exhaustive(program, seed, folder):
    """Mean seconds to the target by H, and the epochs that it took to find out."""
    seconds, epochs = {}, 0
    for steps in STEPS:
        found = []
        for one in range(seed, seed + SEEDS):
            result = run(program, "rehearse", "--local-steps", str(steps), "--seed", str(one), "--target-accuracy",
                         str(TARGET), "--folder", folder)
            curve = result["rehearsals"][0]["curve"]
            epochs += len(curve)
            found.append(seconds_to(curve, TARGET))
        if None not in found:
            seconds[steps] = statistics.mean(found)
    return seconds, epochs


def main():
    program = sys.argv[1]
    ratios, costs = [], []
    for time in range(TIMES):
        seed = 1 + 100 * time
        with tempfile.TemporaryDirectory() as folder:
            tuned = run(program, "tune", "--choose", "local-steps=" + ",".join(map(str, STEPS)), "--seeds", str(SEEDS),
                        "--seed", str(seed), "--target-accuracy", str(TARGET), "--folder", folder)
        epochs = sum(len(curve) for candidate in tuned["candidates"] for curve in candidate["curves"])
        with tempfile.TemporaryDirectory() as folder:
            seconds, all_epochs = exhaustive(program, seed, folder)
        costs.append(epochs / all_epochs)
        if not seconds:
            print(f"seeds from {seed}: no setting reaches {TARGET:.0%}", flush=True)
            continue
        if not tuned["best"]:
            ratios.append(float("inf"))
            print(f"seeds from {seed}: tune finds no setting, and there is one", flush=True)
            continue
        best = min(seconds, key=seconds.get)
        chosen = int(tuned["best"].split()[1])
        ratios.append(seconds[chosen] / seconds[best])
        print(f"seeds from {seed}: tune says H = {chosen}, the best is {best}: {ratios[-1]:.3f} times its seconds, at "
              f"{costs[-1]:.0%} of the epochs", flush=True)
    print(f"in all: median {statistics.median(ratios):.3f}, worst {max(ratios):.3f} times the best one's seconds; "
          f"median {statistics.median(costs):.0%} of the exhaustive search's epochs")


if __name__ == "__main__":
    main()
