#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The code of `simulate --show pytorch` trains in PyTorch as in the strategy's paper: four ranks over gloo.

Usage: check_recipes.py EPOCHCAST. Exits with 77 where python3-torch is not installed.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

try:
    import torch
    import torch.distributed as dist
    import torch.multiprocessing
except ImportError as error:
    print(f"skipped: {error}; install python3-torch")
    sys.exit(77)

RANKS = 4
STEPS = 8  # of an epoch
EPOCHS = 2
BATCHES = [2, 2, 4, 8]  # of the ranks, where they differ
COMPRESSED = ["sync", "post-local-sgd", "node-based", "hetgrad"]  # those that exchange gradients
STRATEGIES = ["sync", "local-sgd", "post-local-sgd", "node-based", "one-shot", "hetgrad"]
# HierarchicalModelAverager, as in docs/from-forecast-to-pytorch.md; nodes of two, as below.
HIERARCHICAL = """
import collections
import torch.distributed as dist
from torch.distributed.algorithms.model_averaging.hierarchical_model_averager import HierarchicalModelAverager

def subgroups(group_size, group=None):  # PyTorch 1.13 has this for CUDA alone
    groups = [dist.new_group([first, first + 1]) for first in range(0, dist.get_world_size(), group_size)]
    return groups[dist.get_rank() // group_size], groups

def prepare(model, optimizer, loader):
    for tensor in model.state_dict().values():
        dist.broadcast(tensor, 0)
    dist.new_subgroups = subgroups
    averager = HierarchicalModelAverager(collections.OrderedDict([(1, 2), (4, 4)]))
    averager.step = 1
    return model, optimizer, lambda: averager.average_parameters(model.parameters())
"""


def recipe_of(strategy, gradient_bytes=4):
    """The code that is printed for two nodes of two GPUs."""
    printed = subprocess.run(
        [sys.argv[1], "simulate", "--platform", "ceta-ta", "--nodes", "1" if strategy != "node-based" else "2",
         "--workers", "gpu", "--network", "small-cnn", "--dataset", "cifar10", "--batch", "2", "--epochs", str(EPOCHS),
         "--strategy", strategy, "--gradient-bytes", str(gradient_bytes), "--batch-seconds", "gpu=10ms", "--show", "pytorch", "--format", "table"]
        + (["--local-steps", "4"] if "local" in strategy else [])
        + (["--averaging-period", "4"] if strategy == "node-based" else []),
        text=True, capture_output=True, check=True).stdout
    return printed[printed.index(f"\n# {strategy}") + 1:]


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.BatchNorm1d(5), torch.nn.ReLU(), torch.nn.Linear(5, 2))

    def forward(self, samples):
        return self.layers(samples)


class Loader:
    """As long as a DataLoader, with a batch size."""

    def __init__(self, batch_size):
        self.batch_size = batch_size

    def __len__(self):
        return STEPS


def batch_of(rank, step, size):
    generator = torch.Generator().manual_seed(1000 * step + rank)
    return torch.randn(size, 3, generator=generator), torch.randint(0, 2, (size,), generator=generator)


def flat(tensors):
    return torch.cat([tensor.detach().flatten().double() for tensor in tensors])


def who_agrees(values):
    """For each rank, the ranks whose values are its own."""
    everyone = [torch.zeros_like(values) for _ in range(RANKS)]
    dist.all_gather(everyone, values)
    return [[other for other in range(RANKS) if torch.allclose(everyone[rank], everyone[other], atol=1e-6)] for rank in range(RANKS)]


def train(rank, code, strategy, port, results):
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=RANKS)
    torch.manual_seed(rank)  # models that differ, until they are made the same
    names = {}
    exec(code, names)
    size = BATCHES[rank] if strategy == "hetgrad" else 4
    local = Model()
    optimizer = torch.optim.SGD(local.parameters(), lr=0.1)
    model, optimizer, after_step = names["prepare"](local, optimizer, Loader(size))
    agreed = []
    for step in range(EPOCHS * STEPS):
        samples, labels = batch_of(rank, step, size)
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(samples), labels).backward()
        if strategy == "hetgrad" and step == 0:
            # float16 has 11 bits.
            check_weighted_gradient(local, flat(parameter.grad for parameter in local.parameters()), 1e-3 if "fp16" in code else 1e-5)
        optimizer.step()
        after_step()
        agreed.append(who_agrees(flat(local.parameters())))
        buffers = who_agrees(flat(buffer for buffer in local.buffers() if buffer.is_floating_point()))
    if rank == 0:
        pathlib.Path(results).write_text(repr((agreed, buffers, flat(local.parameters()).tolist())))
    # PyTorch 1.13 may wait for itself when it takes a process group with gloo down: nothing is taken down here. No rank
    # ends before all have left the barrier.
    dist.barrier()
    pathlib.Path(f"{results}.{rank}").touch()
    while not all(pathlib.Path(f"{results}.{other}").exists() for other in range(RANKS)):
        time.sleep(0.01)
    os._exit(0)


def check_weighted_gradient(model, averaged, tolerance):
    """That of all ranks' samples together."""
    mine = torch.zeros_like(averaged)
    copy = Model()
    copy.load_state_dict(model.state_dict())
    for rank in range(RANKS):
        samples, labels = batch_of(rank, 0, BATCHES[rank])
        copy.zero_grad()
        torch.nn.functional.cross_entropy(copy(samples), labels, reduction="sum").backward()
        mine += flat(parameter.grad for parameter in copy.parameters()) / sum(BATCHES)
    assert torch.allclose(averaged, mine, atol=tolerance), (averaged, mine)


ALONE = [[rank] for rank in range(RANKS)]
ALL = [list(range(RANKS))] * RANKS


def expected(strategy, nodes):
    """Who has the same parameters after each step."""
    together = {
        "sync": lambda step: ALL, "hetgrad": lambda step: ALL,
        "local-sgd": lambda step: ALL if (step + 1) % 4 == 0 else ALONE,
        "post-local-sgd": lambda step: ALL if step < STEPS or (step + 1 - STEPS) % 4 == 0 else ALONE,
        "node-based": lambda step: ALL if (step + 1) % 4 == 0 else nodes,
        "one-shot": lambda step: ALL if step == EPOCHS * STEPS - 1 else ALONE,
    }[strategy]
    return [together(step) for step in range(EPOCHS * STEPS)]


def run(code, strategy, number):
    """Who agreed after each step, and on which buffers at the end; the parameters then."""
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder) / "results"
        # A fork has imported PyTorch already, and nothing has used its threads yet.
        torch.multiprocessing.start_processes(
            train, (code, strategy, 29600 + os.getpid() % 300 + number, str(results)), nprocs=RANKS, start_method="fork")
        return eval(results.read_text())


def node_recipe_of(strategy, gradient_bytes=4):
    return re.sub(r"size = 4\b", "size = 2", recipe_of(strategy, gradient_bytes))  # two ranks stand for a node of four


def check_hierarchical(number):
    agreed, _, averaged = run(HIERARCHICAL, "node-based", number)
    _, _, node_based = run(node_recipe_of("node-based"), "node-based", number + 1)
    holds = agreed == expected("node-based", [[0, 1], [0, 1], [2, 3], [2, 3]]) and torch.allclose(
        torch.tensor(averaged), torch.tensor(node_based), atol=1e-5)
    print(f"{'ok  ' if holds else 'FAIL'} HierarchicalModelAverager trains as node-based with SGD" + ("" if holds else f": {agreed}"))
    return holds


def check(strategy, number, gradient_bytes=4):
    code = node_recipe_of(strategy, gradient_bytes)
    assert ("default_hooks.fp16" in code) == (gradient_bytes == 2), code
    agreed, buffers, _ = run(code, strategy, number)
    holds = agreed == expected(strategy, [[0, 1], [0, 1], [2, 3], [2, 3]])
    averages = strategy not in ("sync", "hetgrad")
    holds = holds and (not averages or buffers == ALL)
    print(f"{'ok  ' if holds else 'FAIL'} {strategy}, gradients of {gradient_bytes} B: after which steps who has the same parameters" + ("" if holds else f": {agreed}"))
    return holds


if __name__ == "__main__":
    results = [check(strategy, number) for number, strategy in enumerate(STRATEGIES)]
    results.append(check_hierarchical(len(STRATEGIES)))
    results += [check(strategy, len(results) + 1 + number, 2) for number, strategy in enumerate(COMPRESSED)]
    sys.exit(0 if all(results) else 1)
