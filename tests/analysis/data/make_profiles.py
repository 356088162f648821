#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes cnn-rank0.json.gz and cnn-rank1.json.gz beside this file: what torch.profiler records of two processes that train a
small CNN with DistributedDataParallel over gloo (Debian: python3-torch; run it with /usr/bin/python3).

Debian's PyTorch is built without Kineto: it exports a list of events without the shapes that record_shapes=True has
recorded. They are put back here, under the names by which Kineto writes them.
"""
import gzip
import json
import os
import pathlib
import sys
import tempfile

import torch
import torch.distributed
import torch.multiprocessing
import torch.utils.data
from torch.profiler import ProfilerActivity, profile, schedule

RANKS = 2
BATCH = 64
ITERATIONS = 5
FOLDER = pathlib.Path(__file__).resolve().parent


def exported(profiler):
    """The profiler's own export, with shapes."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(file))
        trace = json.loads(file.read_text())
    recorded = sorted(profiler.profiler.kineto_results.events(), key=lambda event: event.start_us())
    spans = sorted((event for event in trace if event["ph"] == "X"), key=lambda event: event["ts"])
    for name in ("c10d::allreduce_", "gloo:all_reduce"):  # other shapes would make the file large
        own_spans = [event for event in spans if event["name"] == name]
        records = [event for event in recorded if event.name() == name]
        assert len(own_spans) == len(records)
        for event, record in zip(own_spans, records):
            event["args"] = {"Input Dims": record.shapes(), "Input type": record.dtypes()}
    return trace


def train(rank, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.distributed.init_process_group("gloo", rank=rank, world_size=RANKS)
    torch.manual_seed(1)
    torch.set_num_threads(1)
    network = torch.nn.Sequential(
        torch.nn.Conv2d(1, 6, 5, padding=2), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(6, 16, 5), torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Flatten(),
        torch.nn.Linear(400, 120), torch.nn.ReLU(), torch.nn.Linear(120, 10))
    network = torch.nn.parallel.DistributedDataParallel(network)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9)
    samples = BATCH * (ITERATIONS + 2)
    data = torch.utils.data.TensorDataset(torch.randn(samples, 1, 28, 28), torch.randint(0, 10, (samples,)))
    batches = iter(torch.utils.data.DataLoader(data, batch_size=BATCH))
    plan = schedule(wait=1, warmup=1, active=ITERATIONS)

    def save(profiler):
        text = json.dumps(exported(profiler))
        with gzip.GzipFile(FOLDER / f"cnn-rank{rank}.json.gz", "wb", mtime=0) as file:
            file.write(text.encode())

    with profile(activities=[ProfilerActivity.CPU], record_shapes=True, schedule=plan, on_trace_ready=save) as profiler:
        for _ in range(ITERATIONS + 2):
            images, labels = next(batches)
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(network(images), labels).backward()
            optimizer.step()
            profiler.step()


if __name__ == "__main__":
    torch.multiprocessing.spawn(train, nprocs=RANKS, args=(int(sys.argv[1]) if len(sys.argv) > 1 else 29512,))
