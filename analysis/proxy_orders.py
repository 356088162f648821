#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does the order of settings by samples to a target transfer from a small job to a larger one? A table of docs/rehearsals.md.

    analysis/proxy_orders.py build/dev/epochcast

For each pair of a proxy and a job, both are rehearsed with the same settings: sync, and local SGD with several numbers of
steps. Settings are ranked by their mean samples to the target, those that do not reach it last, by their accuracy at the
end. Printed are Kendall's tau-b of both orders, with its 95 % interval by bootstrap over seeds (percentiles, 4,000 draws),
whether the proxy's first setting is the job's, and how many times the job's least samples it needs. Kept rehearsals are
not repeated, so an interrupted call goes on where it was.
"""

import argparse
import json
import random
import subprocess
import sys

STEPS = [1, 2, 4, 8, 16]  # local steps; one step is sync
DRAWS = 4000

# Name, network, training samples, epochs, target, seeds.
JOBS = {
    "small-cnn, 1,024 samples": ("small-cnn", 1024, 16, 0.4, 5),
    "small-cnn, 4,096 samples": ("small-cnn", 4096, 12, 0.6, 5),
    "resnet20, 1,024 samples": ("resnet20", 1024, 10, 0.3, 3),
}
PAIRS = [
    ("fewer samples", "small-cnn, 1,024 samples", "small-cnn, 4,096 samples"),
    ("smaller network", "small-cnn, 1,024 samples", "resnet20, 1,024 samples"),
    ("smaller network, more samples", "small-cnn, 4,096 samples", "resnet20, 1,024 samples"),
]


def samples_to(curve, target):
    """Interpolated between epochs; none if it was not reached."""
    before, value_before = 0.0, 0.0
    for point in curve:
        value = point["test_accuracy"]
        if value >= target:
            share = (target - value_before) / (value - value_before)
            return before + share * (point["samples"] - before)
        before, value_before = point["samples"], value
    return None


def rehearsed(program, folder, name):
    """By setting, a score for each seed: the smaller, the earlier at the target."""
    network, samples, epochs, target, seeds = JOBS[name]
    words = [program, "rehearse", "--platform", "deep-est-esb", "--nodes", "4", "--network", network, "--dataset", "cifar10",
             "--data", "procedural", "--train-samples", str(samples), "--test-samples", "500", "--batch", "8", "--epochs",
             str(epochs), "--learning-rate", "0.02", "--seeds", str(seeds), "--strategy", "local-sgd", "--sweep",
             "local-steps=" + ",".join(str(steps) for steps in STEPS), "--format", "json"]
    if folder:
        words += ["--folder", folder]
    done = subprocess.run(words, stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: failed")
    scores = {}
    for one in json.loads(done.stdout)["rehearsals"]:
        curve = one["curve"]
        reached = samples_to(curve, target)
        # After the end, the less accurate the later.
        score = reached if reached is not None else curve[-1]["samples"] * (2 - curve[-1]["test_accuracy"])
        scores.setdefault(one["point"], []).append(score)
    return scores


def tau_b(one, other):
    agreeing = opposed = ties_one = ties_other = 0
    for i in range(len(one)):
        for j in range(i):
            a, b = one[i] - one[j], other[i] - other[j]
            if a == 0 or b == 0:
                ties_one += a == 0
                ties_other += b == 0
            elif a * b > 0:
                agreeing += 1
            else:
                opposed += 1
    pairs = len(one) * (len(one) - 1) / 2
    scale = ((pairs - ties_one) * (pairs - ties_other)) ** 0.5
    return (agreeing - opposed) / scale if scale else 0.0


def means(scores, chosen=None):
    return [sum(values[i] for i in chosen or range(len(values))) / len(chosen or values) for values in scores.values()]


def draw(seeds, generator):
    return [generator.randrange(seeds) for _ in range(seeds)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="epochcast, built with LibTorch")
    parser.add_argument("--folder", help="of kept rehearsals")
    options = parser.parse_args()
    known = {name: rehearsed(options.program, options.folder, name) for name in JOBS}
    print("| pair | proxy | job | rank correlation | the proxy's first setting | needs, of the job's least samples |")
    print("|---|---|---|---|---|---|")
    for title, proxy, job in PAIRS:
        a, b = known[proxy], known[job]
        generator = random.Random(1)
        drawn = sorted(tau_b(means(a, draw(JOBS[proxy][4], generator)), means(b, draw(JOBS[job][4], generator)))
                       for _ in range(DRAWS))
        low, high = drawn[int(0.025 * DRAWS)], drawn[int(0.975 * DRAWS)]
        of_a, of_b = means(a), means(b)
        first = of_a.index(min(of_a))
        print(f"| {title} | {proxy} | {job} | {tau_b(of_a, of_b):.2f} ({low:.2f} to {high:.2f}) | {list(a)[first]} | "
              f"{of_b[first] / min(of_b):.2f}x |")


if __name__ == "__main__":
    main()
