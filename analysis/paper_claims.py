#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The papers' claims about accuracy, rehearsed with several seeds: the tables of docs/rehearsals.md.

    analysis/paper_claims.py build/dev/epochcast
    analysis/paper_claims.py build/dev/epochcast --data ~/cifar-10-batches-bin --network resnet20

Standard deviations are those of single runs; "better with" counts seeds. What was rehearsed before is kept
(`epochcast rehearse --folder`), so an interrupted call goes on where it was.
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
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--folder", help="of kept rehearsals")
    return parser.parse_args()


class Rehearsals:
    """All seeds of one setting at a time."""

    def __init__(self, options):
        self.options = options

    def run(self, *setting):
        options = self.options
        words = [options.program, "rehearse", "--dataset", "cifar10", "--format", "json"]
        for name in ("data", "network", "learning-rate", "epochs", "train-samples", "test-samples", "folder"):
            value = getattr(options, name.replace("-", "_"))
            if value is not None:
                words += [f"--{name}", value]
        words += ["--sweep", "seed=" + ",".join(str(seed + 1) for seed in range(options.seeds)), *setting]
        done = subprocess.run(words, stdout=subprocess.PIPE, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)}: failed")
        return [one["curve"][-1] for one in json.loads(done.stdout)["rehearsals"]]


def accuracies(ends):
    return [end["test_accuracy"] for end in ends]


def mean_text(values):
    spread = f" ± {100 * statistics.stdev(values):.1f}" if len(values) > 1 else ""
    return f"{100 * statistics.mean(values):.1f}{spread} %"


def better_text(values, others):
    return f"{sum(a > b for a, b in zip(values, others))} of {len(values)}"


def seconds_text(ends):
    return f"{statistics.mean(end['training_s'] for end in ends):.3f} s"


def hetgrad(rehearsals):
    """Batches by speed: does it matter that gradients are weighted?"""
    job = ["--platform", "server-2cpu-8gpu", "--batch", "16"]
    print("| GPUs are faster by | hetgrad | hetgrad-unweighted | weighted is better with |\n|---|---|---|---|")
    for ratio in (2, 8, 32):
        cost = ["--batch-seconds", f"gpu=1ms,cpu={ratio}ms"]
        weighted = accuracies(rehearsals.run(*job, *cost, "--strategy", "hetgrad"))
        plain = accuracies(rehearsals.run(*job, *cost, "--strategy", "hetgrad-unweighted"))
        print(f"| {ratio} | {mean_text(weighted)} | {mean_text(plain)} | {better_text(weighted, plain)} seeds |", flush=True)


def node_based(rehearsals):
    """Averaging between nodes every K' iterations."""
    job = ["--platform", "ceta-ta", "--batch", "8"]
    sync = rehearsals.run(*job, "--strategy", "sync")
    print("| | accuracy | simulated time | bytes sent | better than sync with |\n|---|---|---|---|---|")
    settings = [("sync", sync)]
    for period in (1, 4, 16):
        ends = rehearsals.run(*job, "--strategy", "node-based", "--averaging-period", str(period))
        settings.append((f"K' = {period}", ends))
    settings.append(("K' = an epoch", rehearsals.run(*job, "--strategy", "node-based")))
    for name, ends in settings:
        better = "" if ends is sync else better_text(accuracies(ends), accuracies(sync)) + " seeds"
        sent = statistics.mean(end["bytes_sent"] for end in ends)
        print(f"| {name} | {mean_text(accuracies(ends))} | {seconds_text(ends)} | {sent / 1e9:.2f} GB | {better} |", flush=True)


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
    print("| H_f, H_s | " + " | ".join(parts) + " | both is better than none with | simulated time |")
    print("|---|" + "---|" * (len(parts) + 2))
    print(f"| 32, 32 (local-sgd) | {mean_text(accuracies(equal))} | | | | | {seconds_text(equal)} |")
    for slow in (16, 4, 1):
        found = {
            name: rehearsals.run(*job, *words, "--local-steps", f"fast=32,slow={slow}") for name, words in parts.items()}
        cells = [mean_text(accuracies(ends)) for ends in found.values()]
        better = better_text(accuracies(found["both"]), accuracies(found["none"]))
        print(f"| 32, {slow} | {' | '.join(cells)} | {better} seeds | {seconds_text(found['both'])} |", flush=True)


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
