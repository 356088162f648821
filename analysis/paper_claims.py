#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The papers' claims about accuracy, rehearsed with several seeds: the tables of docs/rehearsals.md.

    analysis/paper_claims.py build/dev/epochcast
    analysis/paper_claims.py build/dev/epochcast --data ~/cifar-10-batches-bin --network resnet20

Standard deviations are those of single runs; differences are paired by seed, with their 95 % interval (Student's t). What
was rehearsed before is kept (`epochcast rehearse --folder`), so an interrupted call goes on where it was.
"""

import argparse
import json
import statistics
import subprocess
import sys


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="epochcast, built with LibTorch")
    parser.add_argument("--data", default="procedural", help="folder of the CIFAR-10 files")
    parser.add_argument("--network", default="small-cnn")
    parser.add_argument("--learning-rate", default="0.01")
    parser.add_argument("--epochs", default="10")
    parser.add_argument("--train-samples", default="5120")
    parser.add_argument("--test-samples", default="1000")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--folder", help="of kept rehearsals")
    return parser.parse_args()


class Rehearsals:
    """All seeds of one setting at the same time."""

    def __init__(self, options):
        self.options = options

    def run(self, *setting):
        options = self.options
        words = [options.program, "rehearse", "--dataset", "cifar10", "--format", "json"]
        for name in ("data", "network", "learning-rate", "epochs", "train-samples", "test-samples", "folder"):
            value = getattr(options, name.replace("-", "_"))
            if value is not None:
                words += [f"--{name}", value]
        words += ["--seeds", str(options.seeds), *setting]
        done = subprocess.run(words, stdout=subprocess.PIPE, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)}: failed")
        return [one["curve"][-1] for one in json.loads(done.stdout)["rehearsals"]]


def accuracies(ends):
    return [end["test_accuracy"] for end in ends]


def mean_text(values):
    spread = f" ± {100 * statistics.stdev(values):.1f}" if len(values) > 1 else ""
    return f"{100 * statistics.mean(values):.1f}{spread} %"


# Student's t, two-sided 95 %, by degrees of freedom from 1 on.
QUANTILES = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
             2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045)


def difference_text(values, others):
    """Percentage points by which the first are above the second, seed by seed."""
    differences = [100 * (a - b) for a, b in zip(values, others)]
    if len(differences) < 2:
        return f"{differences[0]:+.1f}"
    quantile = QUANTILES[len(differences) - 2] if len(differences) <= len(QUANTILES) + 1 else 1.96
    half = quantile * statistics.stdev(differences) / len(differences) ** 0.5
    return f"{statistics.mean(differences):+.1f} ± {half:.1f}"


def seconds_text(ends):
    return f"{statistics.mean(end['training_s'] for end in ends):.3f} s"


def hetgrad(rehearsals):
    """Batches by speed, with and without weighted gradients."""
    job = ["--platform", "server-2cpu-8gpu", "--batch", "16"]
    print("| GPUs are faster by | hetgrad | hetgrad-unweighted | weighted - plain |\n|---|---|---|---|")
    for ratio in (2, 4, 8):  # beyond, CPUs have no samples
        cost = ["--batch-seconds", f"gpu=1ms,cpu={ratio}ms"]
        weighted = accuracies(rehearsals.run(*job, *cost, "--strategy", "hetgrad"))
        plain = accuracies(rehearsals.run(*job, *cost, "--strategy", "hetgrad-unweighted"))
        print(f"| {ratio} | {mean_text(weighted)} | {mean_text(plain)} | {difference_text(weighted, plain)} |", flush=True)


def node_based(rehearsals):
    """Averaging between nodes every K' iterations."""
    job = ["--platform", "ceta-ta", "--batch", "8"]
    sync = rehearsals.run(*job, "--strategy", "sync")
    print("| | accuracy | simulated time | bytes sent | less sync |\n|---|---|---|---|---|")
    settings = [("sync", sync)]
    for period in (1, 4, 16):
        ends = rehearsals.run(*job, "--strategy", "node-based", "--averaging-period", str(period))
        settings.append((f"K' = {period}", ends))
    settings.append(("K' = an epoch", rehearsals.run(*job, "--strategy", "node-based")))
    for period in (4, 16):
        printed = ["--averaging-period", str(period), "--averaging-order", "printed"]
        settings.append((f"K' = {period}, printed order", rehearsals.run(*job, "--strategy", "node-based", *printed)))
    for name, ends in settings:
        gained = "" if ends is sync else difference_text(accuracies(ends), accuracies(sync))
        sent = statistics.mean(end["bytes_sent"] for end in ends)
        print(f"| {name} | {mean_text(accuracies(ends))} | {seconds_text(ends)} | {sent / 1e9:.2f} GB | {gained} |", flush=True)


def ablation(rehearsals):
    """Biased local SGD: unbalanced steps alone, with sampling by loss, with weighted aggregation, with both."""
    job = ["--platform", "server-2cpu-8gpu", "--batch", "8", "--strategy", "biased-local-sgd"]
    parts = {
        "none": ["--sampling", "none", "--weighted-aggregation", "off"],
        "sampling": ["--sampling", "separated", "--weighted-aggregation", "off"],
        "aggregation": ["--sampling", "none", "--weighted-aggregation", "on"],
        "both": ["--sampling", "separated", "--weighted-aggregation", "on"],
    }
    equal = rehearsals.run(
        "--platform", "server-2cpu-8gpu", "--batch", "8", "--strategy", "local-sgd", "--local-steps", "32")
    others = [name for name in parts if name != "none"]
    print("| H_f, H_s | " + " | ".join(parts) + " | " + " | ".join(f"{name} - none" for name in others) + " | simulated time |")
    print("|---|" + "---|" * (len(parts) + len(others) + 1))
    print(f"| 32, 32 (local-sgd) | {mean_text(accuracies(equal))} | | | | | | | {seconds_text(equal)} |")
    for slow in (16, 4, 1):
        found = {
            name: rehearsals.run(*job, *words, "--local-steps", f"fast=32,slow={slow}") for name, words in parts.items()}
        cells = [mean_text(accuracies(ends)) for ends in found.values()]
        cells += [difference_text(accuracies(found[name]), accuracies(found["none"])) for name in others]
        print(f"| 32, {slow} | {' | '.join(cells)} | {seconds_text(found['both'])} |", flush=True)


def main():
    rehearsals = Rehearsals(parse())
    for title, table in (
        ("HetGrad: weighted or plain mean of gradients", hetgrad),
        ("Node-based: the averaging period", node_based),
        ("Biased local SGD: its parts", ablation),
    ):
        print(f"### {title}\n")
        table(rehearsals)
        print()


if __name__ == "__main__":
    main()
