#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Traces train as scripts do; of files that are no models nothing is run, and what to do is printed.

Usage: check_files.py EPOCHCAST [NAME...]: all claims, or those of these names. Exits with 77 where python3-torch is not installed.
"""
import collections
import functools
import json
import os
import pickle
import subprocess
import zipfile

from claims import EPOCHCAST, check, run, save, report

import numpy
import torch
from torch import nn

NUMBERS = ["--samples", "numbers"]


def blocks():
    return nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Dropout2d(0.3), nn.AdaptiveAvgPool2d(1),
                         nn.Flatten(), nn.Dropout(0.2), nn.Linear(8, 4))


def write_data(folder):
    generator = torch.Generator().manual_seed(1)
    for half, count in (("train", 24), ("val", 10)):
        place = folder / "data" / half
        place.mkdir(parents=True, exist_ok=True)
        numpy.save(place / "inputs.npy", torch.randn(count, 3, 8, 8, generator=generator).numpy())
        numpy.save(place / "targets.npy", torch.randint(0, 4, (count,), generator=generator).numpy())


def check_traces(folder):
    """A trace drops and normalises while it trains, and does not while it is tested."""
    write_data(folder)
    torch.manual_seed(1)
    model = blocks().train()
    weights = {name: value.clone() for name, value in model.state_dict().items()}  # tracing moves the statistics
    traced = torch.jit.trace(model, torch.randn(6, 3, 8, 8), check_trace=False)
    traced.load_state_dict(weights)
    traced.save(str(folder / "traced.pt"))
    scripted = blocks()
    scripted.load_state_dict(weights)
    save(scripted, folder / "scripted.pt")
    curves = []
    for name in ("traced", "scripted"):
        run("train", "--network", f"{name}.pt", "--data", "data", "--batch", 4, "--epochs", 2, "--learning-rate", 0.05,
            "--strategy", "sync", "--ranks", 2, "--metrics", f"{name}.jsonl", folder=folder)
        points = [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]
        curves.append([(point["train_loss"], point["test_loss"], point["test_accuracy"]) for point in points])
    apart = max(abs(a - b) for one, other in zip(*curves) for a, b in zip(one, other))
    return check("trace", apart <= 1e-6, f"two ranks train and test it as a script: {curves[0]}, {apart:.1e} apart")


class Counted(nn.Module):
    """Its trace has the example's number of samples in it."""

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(192, 4)

    def forward(self, samples):
        return self.head(samples.reshape(int(samples.shape[0]), 192))


class Call:
    """Python that pickles as a call of something."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


def archive(file, data, **more):
    with zipfile.ZipFile(file, "w") as content:
        for name, text in {"data.pkl": data, "version": "3\n", **more}.items():
            content.writestr(f"archive/{name}", text)


def newer(file):
    """A script that asks for an operation of PyTorch 2."""
    save(nn.Linear(2, 2), file)
    with zipfile.ZipFile(file) as content:
        records = {name: content.read(name) for name in content.namelist()}
    with zipfile.ZipFile(file, "w") as content:
        for name, text in records.items():
            content.writestr(name, text.replace(b"torch.linear(", b"torch.scaled_dot_product_attention("))


def exported(file, **records):
    with zipfile.ZipFile(file, "w") as content:
        for name, text in records.items():
            content.writestr(name.replace("__", "/"), text)


def trace(model, samples, file):
    torch.jit.trace(model, samples, check_trace=False).save(str(file))


@torch.no_grad()
def trace_fast(model, samples, file):
    """With what replaces a Transformer's layer where it does not train."""
    trace(model.eval(), samples, file)


WHAT_TO_DO = "torch.jit.script(model).save("
REFUSED = {
    "model.pt": (lambda file: torch.save(nn.Linear(2, 2), file), "it holds a torch.nn.modules.linear.Linear", WHAT_TO_DO),
    "weights.pt": (lambda file: torch.save(nn.Linear(2, 2).state_dict(), file), "weights without their model", WHAT_TO_DO),
    "checkpoint.pt": (lambda file: torch.save({"model": nn.Linear(2, 2).state_dict(), "epoch": 3}, file),
                      "weights without their model", WHAT_TO_DO),
    "old.pt": (lambda file: torch.save(nn.Linear(2, 2), file, _use_new_zipfile_serialization=False), "bare pickle", WHAT_TO_DO),
    "newer.pt": (newer, "Unknown builtin op: aten::scaled_dot_product_attention", "write it with PyTorch"),
    "program.pt2": (lambda file: exported(file, **{"serialized_exported_program.json": "{}", "version": "5.1"}),
                    "a program that torch.export wrote", WHAT_TO_DO),
    "later.pt2": (lambda file: exported(file, later__archive_format="pt2", later__models__model="{}", later__version="0"),
                  "a program that torch.export wrote", WHAT_TO_DO),
    "compiled.pt2": (lambda file: exported(file, it__archive_format="pt2", it__data__aotinductor__model="", it__version="0"),
                     "a package that AOTInductor has compiled", WHAT_TO_DO),
    "two.pt": (lambda file: trace(Counted(), torch.randn(2, 3, 8, 8), file), "takes batches of 2 samples alone", "torch.jit.script"),
    "four.pt": (lambda file: trace(Counted(), torch.randn(4, 3, 8, 8), file), "takes batches of 4 samples alone", "torch.jit.script"),
    "evaluated.pt": (lambda file: trace(blocks().eval(), torch.randn(4, 3, 8, 8), file), "traced as it is in evaluation",
                     "call model.train() before torch.jit.trace"),
    "attention.pt": (lambda file: trace_fast(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), torch.randn(4, 3, 8), file),
                     "_transformer_encoder_layer_fwd was traced as it is in evaluation", "call model.train() before torch.jit.trace"),
    "half.pt": (lambda file: save(nn.Sequential(nn.Flatten(), nn.Linear(192, 4)).half(), file), "1.weight is Half",
                "model.float() before it is scripted"),
}


def write_trace(file, network, device, seconds, samples=(3, 8, 8)):
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({
        "schema": "epochcast.trace/1", "name": "mine", "title": "Mine", "device": device, "source": {"grade": "estimated", "method": "m"},
        "costs": [{"network": network, "input": list(samples), "batches": [{"batch": 4, "seconds": [seconds]}]}]}))


def forecast(model, folder, *more, dataset="data", platform="cloud-1xa10-10g"):
    """The run of `sync` on two nodes."""
    out = run("simulate", "--network", model, "--dataset", dataset, "--platform", platform, "--nodes", 2, "--batch", 4, "--strategy", "sync",
              "--epochs", 1, "--deterministic", "--format", "json", *more, folder=folder)
    return json.loads(out)["runs"][0]


class Loud(nn.Module):
    """Prints while it is looked into."""

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(192, 4)

    def forward(self, samples):
        print("I am", samples.size(0))
        return self.head(samples.flatten(1))


NAMES = {"my model \u00fc.pt": "my-model---", "a,b.pt": "a-b", "x&y.pt": "x-y", "n" * 240 + ".pt": "n" * 100}


def check_name(file, folder):
    """Any name that a file may have is one for a model; what it prints is not what was asked for."""
    write_data(folder)
    save(Loud(), folder / file)
    network = forecast(file, folder)["network"]
    run("describe", file, "--input", "3x8x8", "--classes", 4, "--output", "it.json", folder=folder)
    run("train", "--network", file, "--data", "data", "--batch", 4, "--ranks", 1, "--epochs", 1, "--strategy", "sync", folder=folder)
    return check("name", network == NAMES[file], f"{file} is {network}")


def check_same_name(folder):
    """The catalogue's costs of a network of that name are not used; one's own traces are."""
    for name in ("resnet50.pt", "other.pt"):
        save(nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(3, 1000)), folder / name)

    def seconds(model):
        return forecast(model, folder, "--train-samples", 8, dataset="imagenet", platform="deep-est-esb")["compute_s"]

    ours, other = seconds("resnet50.pt"), seconds("other.pt")
    write_trace(folder / "traces" / "mine.json", "resnet50", "v100-32gb", 5, [3, 224, 224])
    own = seconds("resnet50.pt")
    return check("same name", ours == other and own == 5, f"resnet50.pt takes {ours} s, other.pt {other} s; {own} s by its own trace")


def check_calibrated(folder):
    """Estimates are scaled by a trace of the model itself, of samples of another size."""
    write_data(folder)
    save(nn.Sequential(nn.Conv2d(3, 4, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 4)), folder / "mine.pt")
    before = forecast("mine.pt", folder)["compute_s"]
    write_trace(folder / "measured" / "mine.json", "mine", "a10", 1)
    after = forecast("mine.pt", folder, "--calibrate-on", "measured/mine.json")["compute_s"]
    return check("calibrated", after > 2 * before, f"{before} s before, {after} s after")


def check_cache(folder):
    """A cache that cannot be written to is no reason to stop."""
    write_data(folder)
    save(Loud(), folder / "cached.pt")
    (folder / "tmp").mkdir()
    usual = os.environ["XDG_CACHE_HOME"]
    os.environ |= {"XDG_CACHE_HOME": "/proc/nowhere", "TMPDIR": str(folder / "tmp")}
    network = forecast("cached.pt", folder)["network"]
    os.environ["XDG_CACHE_HOME"] = usual
    del os.environ["TMPDIR"]
    kept = [each.name for each in (folder / "tmp").glob("epochcast-*/models/cached-*.json")]
    return check("cache", network == "cached" and len(kept) == 1, f"kept as {kept}")


def check_first_use(folder):
    """That loading a model runs it is printed once for each."""
    save(nn.Linear(3, 2), folder / "first.pt")
    words = [EPOCHCAST, "describe", "first.pt", "--input", "3", *NUMBERS]
    printed = [subprocess.run(words, cwd=folder, text=True, capture_output=True).stderr for _ in range(2)]
    return check("first use", printed == ["loading first.pt runs what is in it; use model files that you trust\n", ""], printed[0].strip())


def check_refused(name, folder):
    make, reason, advice = REFUSED[name]
    make(folder / name)
    printed = run("describe", name, "--input", "3,8,8", "--classes", 4, folder=folder, status=2)
    return check(name, reason in printed and advice in printed, printed.strip())


def hostile_pickles(mark):
    command = f"touch {mark}"
    call = Call(os.system, command)
    return {
        "called": pickle.dumps(call, 2),
        "called by name": pickle.dumps(call, 4),
        "in a dictionary": pickle.dumps({"fc.weight": call}, 2),
        "in an ordered one": pickle.dumps(collections.OrderedDict(weight=Call(eval, f"__import__('os').system('{command}')")), 2),
        "text opcodes": b"cos\nsystem\n(S'" + command.encode() + b"'\ntR.",
        "an instance": b"(S'" + command.encode() + b"'\nios\nsystem\n.",
        "an object": b"(cos\nsystem\nS'" + command.encode() + b"'\no.",
        "nothing to call": b"\x80\x02R.",
        "itself": b"\x80\x02]q\x00h\x00a.",
        "a long text": b"\x80\x02X\xff\xff\xff\xffabc.",
        "deep": b"\x80\x02)" + b"\x85" * 900000 + b".",
    }


TRAIN = ["train", "--ranks", 1, "--epochs", 1, "--strategy", "sync", "--batch", 8]
FEW_IMAGES = ["--network", "small-cnn", "--dataset", "cifar10", "--data", "procedural", "--train-samples", 8, "--test-samples", 8]


def check_hostile(name, folder):
    """As a model, as weights and as data: nothing is run, and each time it is bad input."""
    mark = folder / "mark"
    text = hostile_pickles(mark)[name]
    (folder / "hostile").mkdir(exist_ok=True)
    numpy.save(folder / "hostile" / "targets.npy", numpy.zeros(4, dtype=numpy.int64))
    archive(folder / "hostile.pt", text)
    archive(folder / "scripted.pt", text, **{"constants.pkl": b"\x80\x02)."})
    archive(folder / "hostile" / "inputs.pt", text)
    printed = [run("describe", "hostile.pt", "--input", 2, *NUMBERS, folder=folder, status=2)]
    if text.startswith(b"\x80") and b"system" in text:  # LibTorch's own reader: of a damaged pickle it may die
        printed.append(run("describe", "scripted.pt", "--input", 2, *NUMBERS, folder=folder, status=2))
    printed.append(run(*TRAIN, *FEW_IMAGES, "--pretrained", "hostile.pt", folder=folder, status=2))
    printed.append(run(*TRAIN, "--network", "hostile.pt", "--data", "hostile", folder=folder, status=2))
    return check(name, not mark.exists() and all(printed), printed[-1].strip())


def check_repeated(folder):
    """Weights of a few bytes that stand for more than there is memory for."""
    torch.save({"conv1.weight": torch.zeros(1).expand(1 << 31, 1 << 31)}, folder / "repeated.pt")
    printed = run(*TRAIN, *FEW_IMAGES, "--pretrained", "repeated.pt", folder=folder, status=2)
    return check("repeated", "repeats its 1 numbers more often" in printed, printed.strip())


report([check_first_use, check_traces, check_same_name, check_calibrated, check_cache, check_repeated]
     + [functools.partial(check_name, each) for each in NAMES]
     + [functools.partial(check_hostile, each) for each in hostile_pickles("mark")]
     + [functools.partial(check_refused, each) for each in REFUSED])
