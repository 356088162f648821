#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does the setting that `epochcast tune` recommends win for real, and in the forecast time?

Root; two network namespaces (lab/box) joined by a slow link. Argument: the epochcast program. Measures
messages and batches, calibrates, tunes H of local SGD on the calibrated platform, and then trains for real,
with the recommended setting and with the default, with every seed in turn. Prints seconds to the target, as
rehearsed and as measured. Other work on the machine is in the measured ones.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from curves import seconds_to

BOX = ["lab/box/box", "--nodes", "2", "--bandwidth", "10Mbps", "--"]
LEARNING = [
    "--network", "small-cnn", "--dataset", "cifar10", "--data", "procedural", "--train-samples", "4096",
    "--test-samples", "512", "--batch", "16", "--learning-rate", "0.02", "--strategy", "local-sgd",
]
EPOCHS = 16
TARGET = 0.6
SEEDS = 3


def output_of(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stderr[-400:]}")
    return done.stdout


def measure(program, folder):
    messages, batches, platform = (str(folder / name) for name in ("messages.json", "batches.json", "platform.json"))
    output_of(*BOX, program, "measure", "messages", "--ranks", "2", "--max-seconds", "0.5", "--bytes",
              "1,64,1024,4096,16384,65536,262144,1048576", "--all-reduce", "ring", "--output", messages)
    for _ in range(2):
        measure_batches(program, batches)
    output_of(program, "calibrate", "--messages", messages, "--device-name", "this-cpu", "--output", platform)
    return platform, batches


def measure_batches(program, batches):
    output_of(*BOX, program, "measure", "batches", "--ranks", "2", *LEARNING[:6], "--batch", "16", "--device-name",
              "this-cpu", "--max-seconds", "5", "--confidence-width", "0.000001", "--max-samples", "1000000",
              "--layers-batch", "0", "--append", batches)


def rehearsed(program, words, steps, seed):
    """Seconds to the target on the simulated clock."""
    result = json.loads(output_of(program, "rehearse", *words, "--local-steps", str(steps), "--seed", str(seed),
                                  "--epochs", str(EPOCHS), "--target-accuracy", str(TARGET), "--format", "json"))
    return seconds_to(result["rehearsals"][0]["curve"], TARGET)


def trained(program, folder, steps, seed):
    """Seconds to the target for real."""
    metrics = folder / f"metrics-{steps}-{seed}.jsonl"
    output_of(*BOX, program, "train", *LEARNING, "--ranks", "2", "--local-steps", str(steps), "--seed", str(seed),
              "--epochs", str(EPOCHS), "--metrics", str(metrics), "--bar=off", "--format", "json")
    return seconds_to([json.loads(line) for line in metrics.read_text().splitlines()], TARGET)


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        platform, batches = measure(program, folder)
        where = [*LEARNING, "--platform", platform, "--trace", batches, "--folder", str(folder / "kept")]
        tuned = json.loads(output_of(program, "tune", *where, "--seeds", str(SEEDS), "--epochs", str(EPOCHS),
                                     "--target-accuracy", str(TARGET), "--format", "json"))
        if not tuned["ahead"]:
            sys.exit("no setting reaches the target")
        best = int(tuned["ahead"].split()[1])
        usual = next(int(one["name"].split()[1]) for one in tuned["candidates"] if one["is_default"])
        print(f"tune recommends H = {best}; the default is H = {usual}", flush=True)
        if best == usual:
            sys.exit("nothing to compare")
        measured = {best: [], usual: []}
        for seed in range(1, SEEDS + 1):
            for steps in measured:
                measured[steps].append(trained(program, folder, steps, seed))
                measure_batches(program, batches)  # the machine's speed changes by the minute
        for steps, seconds in measured.items():
            forecasts = [rehearsed(program, where, steps, seed + 1) for seed in range(SEEDS)]
            if None in forecasts or None in seconds:
                sys.exit(f"H = {steps}: not every run reaches {TARGET:.0%} within {EPOCHS} epochs")
            for seed, (forecast_s, real_s) in enumerate(zip(forecasts, seconds)):
                print(f"H = {steps}, seed {seed + 1}: rehearsed {forecast_s:.2f} s, for real {real_s:.2f} s")
            error = statistics.mean(forecasts) / statistics.mean(seconds) - 1
            print(f"H = {steps}: means over seeds: forecast / measured - 1 = {error:+.1%}")
        best_s, usual_s = (statistics.median(measured[steps]) for steps in (best, usual))
        print(f"for real, the default takes {usual_s / best_s:.2f} times as long (medians of {SEEDS} seeds)")


if __name__ == "__main__":
    main()
