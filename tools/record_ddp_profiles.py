#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a torchvision model with DistributedDataParallel over gloo, one process of one thread per rank, and writes what
torch.profiler records of it (rank0.json.gz, ...: for `epochcast import`) and how long iterations take without the profiler
(iterations.json). docs/import.md has the steps; Debian: python3-torch, python3-torchvision, and /usr/bin/python3.

Processes are started by mpirun, torchrun or whatever else tells each its rank and how many there are. --job-size 2 makes jobs
of two ranks each, which train side by side and exchange nothing: the machine is as busy as with all ranks in one job.

Debian's PyTorch is built without Kineto: it exports a list of events without the shapes that record_shapes=True has
recorded. Those that `epochcast import` reads are put back here, under the names by which Kineto writes them.
"""
import argparse
import gzip
import json
import os
import pathlib
import tempfile
import time

import torch
import torch.distributed
import torchvision
from torch.profiler import ProfilerActivity, profile, schedule

WAIT, WARM_UP = 1, 1  # iterations before those that are recorded


def environment(*names):
    """The first of these variables that is set, as a number."""
    for name in names:
        if name in os.environ:
            return int(os.environ[name])
    raise SystemExit(f"record_ddp_profiles.py: none of {', '.join(names)} is set; start it with mpirun or torchrun")


def shape(text):
    """The sizes in "3,64,64" or "3x64x64", as `epochcast describe` takes them."""
    sizes = text.replace("x", ",").split(",")
    if not all(size.isascii() and size.isdigit() and int(size) > 0 for size in sizes):
        raise argparse.ArgumentTypeError(f'got "{text}"; expected sizes such as 3,224,224')
    return [int(size) for size in sizes]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--network", default="mobilenet_v2", help="a model of torchvision.models")
    parser.add_argument("--input", type=shape, default="3,224,224", help="shape of a sample, such as 3,224,224")
    parser.add_argument("--classes", type=int, default=1000)
    parser.add_argument("--batch", type=int, default=4, help="samples per rank and iteration")
    parser.add_argument("--iterations", type=int, default=20, help="that are timed, and that are recorded")
    parser.add_argument("--job-size", type=int, default=0, help="ranks of each job (0: all)")
    parser.add_argument("--cores", default="", help="core of each rank, such as 0,0,1,1 (default: wherever)")
    parser.add_argument("--bucket-mib", type=float, default=25, help="DDP's bucket_cap_mb")
    parser.add_argument("--no-profile", action="store_true", help="only time iterations")
    parser.add_argument("--model", action="store_true", help="also save the model as TorchScript: NETWORK.pt")
    parser.add_argument("folder", type=pathlib.Path, help="where files go (of the first job)")
    return parser.parse_args()


def exported(profiler):
    """The profiler's own export, with the shapes of all-reduces and convolutions."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(file))
        trace = json.loads(file.read_text())
    if isinstance(trace, dict):  # Kineto's, which has them
        return trace
    recorded = sorted(profiler.profiler.kineto_results.events(), key=lambda event: event.start_us())
    spans = sorted((event for event in trace if event["ph"] == "X"), key=lambda event: event["ts"])
    for name in ("c10d::allreduce_", "gloo:all_reduce", "aten::conv2d"):  # all would make the file large
        own_spans = [event for event in spans if event["name"] == name]
        records = [event for event in recorded if event.name() == name]
        assert len(own_spans) == len(records)
        for event, record in zip(own_spans, records):
            event["args"] = {"Input Dims": record.shapes(), "Input type": record.dtypes()}
    return trace


class Training:
    """A rank's part of a job."""

    def __init__(self, told, group):
        torch.manual_seed(1)
        self.network = getattr(torchvision.models, told.network)(num_classes=told.classes)
        # Statistics of BatchNorm stay a rank's own: strategies exchange gradients, and so does this job.
        self.parallel = torch.nn.parallel.DistributedDataParallel(
            self.network, process_group=group, bucket_cap_mb=told.bucket_mib, broadcast_buffers=False)
        self.optimizer = torch.optim.SGD(self.parallel.parameters(), lr=0.01, momentum=0.9)
        self.images = torch.randn(told.batch, *told.input)
        self.labels = torch.randint(0, told.classes, (told.batch,))

    def iterate(self):
        self.optimizer.zero_grad()
        torch.nn.functional.cross_entropy(self.parallel(self.images), self.labels).backward()
        self.optimizer.step()


def timed(training, iterations):
    """Seconds of each iteration, after two of warm-up."""
    seconds = []
    for _ in range(iterations + 2):
        begin = time.perf_counter()
        training.iterate()
        seconds.append(time.perf_counter() - begin)
    return seconds[2:]


def recorded(training, iterations):
    """What the profiler writes."""
    traces = []
    plan = schedule(wait=WAIT, warmup=WARM_UP, active=iterations, repeat=1)
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True, schedule=plan,
                 on_trace_ready=lambda profiler: traces.append(exported(profiler))) as profiler:
        for _ in range(WAIT + WARM_UP + iterations):
            training.iterate()
            profiler.step()
    return traces[0]


def main():
    told = arguments()
    rank = environment("OMPI_COMM_WORLD_RANK", "RANK")
    ranks = environment("OMPI_COMM_WORLD_SIZE", "WORLD_SIZE")
    if told.cores:
        os.sched_setaffinity(0, {int(told.cores.split(",")[rank])})
    torch.set_num_threads(1)
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29519")
    torch.distributed.init_process_group("gloo", rank=rank, world_size=ranks)
    size = told.job_size or ranks
    groups = [torch.distributed.new_group(list(range(first, first + size))) for first in range(0, ranks, size)]
    training = Training(told, groups[rank // size])
    torch.distributed.barrier()
    seconds = timed(training, told.iterations)
    trace = None
    if not told.no_profile:
        torch.distributed.barrier()
        trace = recorded(training, told.iterations)
    torch.distributed.barrier()  # neighbours train until all have finished
    if rank < size:
        told.folder.mkdir(parents=True, exist_ok=True)
        if trace is not None:
            with gzip.GzipFile(told.folder / f"rank{rank}.json.gz", "wb", mtime=0) as file:
                file.write(json.dumps(trace).encode())
    if rank == 0:
        (told.folder / "iterations.json").write_text(json.dumps({
            "network": told.network, "input": "x".join(map(str, told.input)), "batch": told.batch, "ranks": size, "seconds": seconds}) + "\n")
        if told.model:
            torch.jit.script(training.network).save(str(told.folder / f"{told.network}.pt"))
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
