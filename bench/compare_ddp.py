#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares `epochcast-run train --strategy sync` with PyTorch's DistributedDataParallel over gloo.

Two ranks with one thread each. Both read the same made-up CIFAR-10 files and hold them in memory as
bytes; an iteration is: assemble a batch, forward, backward, exchange, step. Runs alternate; each is
cut into blocks of iterations, of which the first is warm-up. Printed are medians over all blocks,
with quartiles, and their ratios: how many times as long DistributedDataParallel takes.
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

RANKS = 2
BLOCKS = 4  # of a run, besides the warm-up
LAUNCH = ["mpirun", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
PARAMETERS = {"resnet20": 269722, "resnet18": 11173962}
OURS = {
    "epochcast": [],
    "epochcast, overlap": ["--overlap", "bucket"],
}
THEIRS = {
    "DDP, defaults": [],
    "DDP, lean": ["--lean"],  # no broadcast of buffers, gradients as views of buckets
}


def write_data(folder, samples):
    """CIFAR-10 files and a data set description of `samples` training images, ten for testing."""
    generator = random.Random(1)
    files = {f"data_batch_{i}.bin": samples // 5 for i in range(1, 6)}
    for name, count in {**files, "test_batch.bin": 10}.items():
        (folder / name).write_bytes(
            b"".join(bytes([generator.randrange(10)]) + generator.randbytes(3072) for _ in range(count))
        )
    dataset = {
        "schema": "epochcast.dataset/1",
        "name": "cifar10",
        "title": "noise",
        "source": {"grade": "estimated", "method": "made up"},
        "train_samples": samples,
        "test_samples": 10,
        "shape": [3, 32, 32],
        "sample": "3072B",
        "classes": 10,
    }
    (folder / "dataset.json").write_text(json.dumps(dataset))


def output_of(command):
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    if os.geteuid() == 0:
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"compare_ddp: failed: {' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def run_ours(program, folder, network, batch, iterations, flags):
    """Seconds per iteration of each block but the first; a block is an epoch."""
    metrics = folder / "metrics.jsonl"
    output_of(
        LAUNCH
        + ["-n", str(RANKS)]
        + [program, "train", "--strategy", "sync", "--network", network, "--batch", str(batch)]
        + ["--dataset", folder / "dataset.json", "--data", folder, "--augment", "off"]
        + ["--learning-rate", "0.01"]
        + ["--epochs", str(BLOCKS + 1), "--metrics", metrics]
        + flags
    )
    epochs = [json.loads(line)["epoch_s"] for line in metrics.read_text().splitlines()]
    return [epoch_s / iterations for epoch_s in epochs[1:]]


def run_theirs(folder, network, batch, iterations, flags):
    output = output_of(
        ["/usr/bin/python3", pathlib.Path(__file__).with_name("ddp.py"), "--network", network]
        + ["--data", folder, "--batch", str(batch), "--ranks", str(RANKS)]
        + ["--iterations", str((BLOCKS + 1) * iterations)]
        + flags
    )
    result = json.loads(output)
    if result["parameters"] != PARAMETERS[network]:
        sys.exit(f"compare_ddp: {network}: got {result['parameters']} parameters")
    seconds = result["iteration_s"]
    starts = range(iterations, len(seconds), iterations)
    return [statistics.fmean(seconds[start : start + iterations]) for start in starts]


def compare(program, network, batch, iterations, runs):
    blocks = {name: [] for name in [*OURS, *THEIRS]}
    with tempfile.TemporaryDirectory(prefix="epochcast-bench-") as name:
        folder = pathlib.Path(name)
        write_data(folder, iterations * batch * RANKS)
        for _ in range(runs):
            for ours, flags in OURS.items():
                blocks[ours] += run_ours(program, folder, network, batch, iterations, flags)
            for theirs, flags in THEIRS.items():
                blocks[theirs] += run_theirs(folder, network, batch, iterations, flags)
    print(f"{network}, batch {batch}, {RANKS} ranks x 1 thread, {runs} runs of {BLOCKS} blocks")
    medians = {}
    for name, seconds in blocks.items():
        low, medians[name], high = statistics.quantiles(seconds, n=4)
        spread = f"{1e3 * low:.1f} .. {1e3 * high:.1f}"
        print(f"  {name:20} {1e3 * medians[name]:8.1f} ms/iteration  ({spread})")
    for theirs in THEIRS:
        for ours in OURS:
            ratio = medians[theirs] / medians[ours]
            verdict = "ok" if ratio >= 1 else "MISSED"
            print(f"  {theirs} / {ours}: {ratio:.3f}  target >= 1: {verdict}")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="epochcast-run")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--networks", nargs="+", default=["resnet20", "resnet18"])
    arguments = parser.parse_args()
    batch = 32
    iterations = {"resnet20": 20, "resnet18": 5}  # of a block, which takes some seconds
    for network in arguments.networks:
        compare(arguments.program, network, batch, iterations[network], arguments.runs)


if __name__ == "__main__":
    main()
