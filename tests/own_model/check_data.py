#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What NumPy and PyTorch write is a data set for `simulate`, in every type of numbers; what is not only numbers is refused.

Usage: check_data.py EPOCHCAST. Exits with 77 where python3-torch or python3-numpy is not installed.
"""
import csv
import io
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import torch
except ImportError as error:
    print(f"skipped: {error}; install python3-torch and python3-numpy")
    sys.exit(77)

NUMBERS = ["bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "int64", "float16", "float32", "float64"]
TENSORS = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"]
IMAGES = (3, 32, 32)
TEXTS = (128,)
SAMPLES = 64


class Hostile:
    def __reduce__(self):
        return os.system, ("touch epochcast-was-here",)


def simulate(folder, network, *more):
    """The row of the forecast, or what is wrong."""
    ran = subprocess.run(
        [os.path.abspath(sys.argv[1]), "simulate", "--platform", "server-2cpu-8gpu", "--network", network, "--dataset", "data", "--batch", "1",
         "--epochs", "1", "--strategy", "sync", "--batch-seconds", "gpu=20ms,cpu=80ms", "--format", "csv", *more],
        cwd=folder, text=True, capture_output=True)
    return ran.stderr if ran.returncode else next(csv.DictReader(io.StringIO(ran.stdout)))


def check(claim, holds, got):
    print(f"{'ok  ' if holds else 'FAIL'} {claim}" + ("" if holds else f": {got}"))
    return holds


def trains_on(samples):
    return lambda got: isinstance(got, dict) and got["train_samples"] == str(samples) and got["dataset"] == "data"


def mentions(*words):
    return lambda got: isinstance(got, str) and all(word in got for word in words)


def numpy_images(kind):
    def write(data):
        np.save(data / "inputs.npy", np.ones((SAMPLES, *IMAGES)).astype(kind))
        np.save(data / "targets.npy", np.arange(SAMPLES) % 10)
    return write


def torch_images(kind):
    def write(data):
        torch.save(torch.ones((SAMPLES, *IMAGES)).to(getattr(torch, kind)), data / "inputs.pt")
        torch.save((torch.arange(SAMPLES) % 10).to(torch.int64), data / "targets.pt")
    return write


def memory_mapped(data):
    numbers = np.lib.format.open_memmap(data / "inputs.npy", mode="w+", dtype="float32", shape=(SAMPLES, *IMAGES))
    numbers[:] = 1
    numbers.flush()
    np.save(data / "targets.npy", np.zeros((SAMPLES, 1), dtype="int32"))


def halves(data):
    for half, shards in (("train", 3), ("val", 1)):
        (data / half).mkdir()
        for shard in range(shards):
            np.save(data / half / f"inputs-{shard}.npy", np.ones((20, *IMAGES), dtype="float32"))
            torch.save(torch.nn.Parameter(torch.rand(20, 4)), data / half / f"targets-{shard}.pt")


def texts(kind):
    def write(data):
        np.save(data / "inputs.npy", np.full((SAMPLES, *TEXTS), 7, dtype=kind))
        np.save(data / "targets.npy", np.full((SAMPLES, *TEXTS), 9, dtype=kind))
    return write


def tokens(kind, vocabulary):
    def write(data):
        for name in ("train", "val"):
            np.random.default_rng(1).integers(0, vocabulary, 100 * 128 + 1).astype(kind).tofile(data / f"{name}.bin")
    return write


def hostile_torch(data):
    torch.save(Hostile(), data / "inputs.pt")
    np.save(data / "targets.npy", np.zeros(3, dtype="int64"))


def hostile_numpy(data):
    np.save(data / "inputs.npy", np.array([Hostile()], dtype=object), allow_pickle=True)
    np.save(data / "targets.npy", np.zeros(1, dtype="int64"))


def columns(data):
    np.save(data / "inputs.npy", np.asfortranarray(np.ones((4, 3))))
    np.save(data / "targets.npy", np.zeros(4, dtype="int64"))


NINE_TENTHS = SAMPLES - SAMPLES // 10
CASES = (
    [(f"NumPy's {kind}", numpy_images(kind), "resnet20", [], trains_on(NINE_TENTHS)) for kind in NUMBERS]
    + [(f"PyTorch's {kind}", torch_images(kind), "resnet20", [], trains_on(NINE_TENTHS)) for kind in TENSORS]
    + [(f"texts of {kind}", texts(kind), "bert-base", [], trains_on(NINE_TENTHS)) for kind in ("uint16", "int32", "int64")]
    + [("a memory map of NumPy's", memory_mapped, "resnet20", [], trains_on(NINE_TENTHS)),
       ("shards in train and val, of both libraries", halves, "resnet20", [], trains_on(60)),
       ("tokens of two bytes", tokens("uint16", 50257), "bert-base", ["--sequence", "128"], trains_on(100)),
       ("tokens of four bytes", tokens("uint32", 128256), "bert-base", ["--sequence", "128"], trains_on(100)),
       ("tokens of four bytes and a small vocabulary", tokens("uint32", 300), "bert-base", ["--sequence", "128"], trains_on(100)),
       ("a pickle with code is refused", hostile_torch, "resnet20", [], mentions("system", "nothing of it was run")),
       ("an array of objects is refused", hostile_numpy, "resnet20", [], mentions("Python objects, which are pickles")),
       ("columns are refused", columns, "resnet20", [], mentions("np.ascontiguousarray(array)"))])


def main():
    results = []
    for claim, write, network, more, holds in CASES:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "data").mkdir()
            write(folder / "data")
            got = simulate(folder, network, *more)
            results.append(check(claim, holds(got) and not (folder / "epochcast-was-here").exists(), got))
    sys.exit(0 if all(results) else 1)


main()
