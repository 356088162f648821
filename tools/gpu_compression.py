#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seconds that a GPU takes to compress and decompress gradients, by method and number of values: PyTorch's own kernels,
timed by CUDA events. Arguments: the device, the file to write, the machine, how many samples."""
import datetime
import json
import math
import statistics
import sys

import torch

device, path, machine, count = torch.device(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])


def matrix_of(values):
    rows = 2 ** (int(math.log2(values.numel())) // 2)
    return values[: values.numel() // rows * rows].view(rows, -1)


def orthogonalise(matrix):
    return torch.linalg.qr(matrix).Q


def powersgd(rank):
    def run(values, residual):
        matrix = matrix_of(values + residual)
        q = torch.randn(matrix.shape[1], rank, device=values.device)
        p = orthogonalise(matrix @ q)
        q = matrix.t() @ p
        return p @ q.t()
    return run


def topk(share):
    def run(values, residual):
        dense = values + residual
        k = max(1, int(share * dense.numel()))
        indices = torch.topk(dense.abs(), k, sorted=False).indices
        sent = dense[indices]
        dense[indices] = 0
        return torch.zeros_like(values).index_add_(0, indices, sent)
    return run


def gaussiank(share):
    quantile = math.sqrt(2) * torch.erfinv(torch.tensor(1 - share)).item()

    def run(values, residual):
        dense = values + residual
        threshold = dense.mean() + quantile * dense.std()
        return torch.where(dense.abs() > threshold, dense, 0)
    return run


def int8(values, _):
    blocks = values[: values.numel() // 256 * 256].view(-1, 256)
    scale = blocks.abs().amax(1, keepdim=True) / 127
    return (blocks / scale).round().to(torch.int8).float() * scale


def terngrad(values, _):
    scale = values.abs().max()
    kept = torch.rand_like(values) < values.abs() / scale
    return (torch.sign(values) * kept).to(torch.int8).float() * scale


def qsgd(values, _):
    norm, levels = values.norm(), 127
    scaled = values.abs() / norm * levels
    lower = scaled.floor()
    return torch.sign(values) * (lower + (torch.rand_like(values) < scaled - lower)).to(torch.int8).float() * (norm / levels)


def onebit(values, residual):
    dense = values + residual
    scale = dense.norm() / math.sqrt(dense.numel())
    sent = torch.sign(dense) * scale
    residual.copy_(dense - sent)
    return sent


METHODS = {
    "fp16": lambda values, _: values.half().float(),
    "bf16": lambda values, _: values.bfloat16().float(),
    "int8": int8,
    "topk-1%": topk(0.01),
    "topk-0.1%": topk(0.001),
    "gaussiank-1%": gaussiank(0.01),
    "terngrad": terngrad,
    "qsgd": qsgd,
    "onebit": onebit,
    "powersgd-1": powersgd(1),
    "powersgd-4": powersgd(4),
    "add": lambda values, residual: values.add_(residual),
}


def samples_s(method, values, residual):
    seconds = []
    for i in range(count + 3):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        method(values, residual)
        end.record()
        torch.cuda.synchronize(device)
        if i >= 3:  # the first ones are a warm-up
            seconds.append(begin.elapsed_time(end) / 1e3)
    return seconds


costs = []
for size in (2**14, 2**18, 2**20, 2**22, 2**24, 25_600_000, 2**27):
    values, residual = torch.randn(size, device=device), torch.randn(size, device=device)
    for name, method in METHODS.items():
        seconds = samples_s(method, values.clone(), residual.clone())
        costs.append({"method": name, "values": size, "samples_s": [float(f"{s:.4g}") for s in seconds]})
        print(f"{name}, {size} values: {statistics.median(seconds) * 1e6:.1f} us", flush=True)

source = {
    "grade": "measured", "machine": machine, "date": datetime.date.today().isoformat(),
    "command": " ".join(["tools/gpu_compression.py", *sys.argv[1:]]),
    "versions": {"torch": torch.__version__, "cuda": torch.version.cuda or "none"},
}
with open(path, "w", encoding="utf-8") as out:
    json.dump({"source": source, "device": str(device), "costs": costs}, out, indent=1)
    out.write("\n")
