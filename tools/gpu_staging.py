#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What copies between pinned host memory and a GPU take, as training stages gradients and parameters: blocking copies of
float32 tensors, timed by the host's clock. Arguments: the device, the file to write, the machine, how many samples."""
import datetime
import json
import statistics
import sys
import time

import torch

device, path, machine, count = torch.device(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
is_gpu = device.type == "cuda"


def samples_s(target, source):
    seconds = []
    for i in range(count + 3):
        if is_gpu:
            torch.cuda.synchronize(device)
        start = time.perf_counter()
        target.copy_(source)
        if is_gpu:
            torch.cuda.synchronize(device)
        if i >= 3:  # the first ones are a warm-up
            seconds.append(time.perf_counter() - start)
    return seconds


costs = []
for exponent in range(2, 28):
    if exponent % 2 and exponent != 27:
        continue
    there = torch.zeros(2**exponent // 4, device=device)
    here = torch.zeros(2**exponent // 4, pin_memory=is_gpu)
    for kind, target, source in (("to-host", here, there), ("to-device", there, here)):
        seconds = samples_s(target, source)
        costs.append({"kind": kind, "bytes": 2**exponent, "samples_s": [float(f"{s:.4g}") for s in seconds]})
        print(f"{kind}, {2**exponent} B: {statistics.median(seconds) * 1e6:.1f} us", flush=True)

source = {
    "grade": "measured",
    "machine": machine,
    "date": datetime.date.today().isoformat(),
    "command": " ".join(["tools/gpu_staging.py", *sys.argv[1:]]),
    "versions": {"torch": torch.__version__, "cuda": torch.version.cuda or "none"},
}
with open(path, "w", encoding="utf-8") as out:
    json.dump({"source": source, "device": str(device), "costs": costs}, out, indent=1)
    out.write("\n")
