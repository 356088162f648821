#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Losses, schedules and data of one's own: each training equals the same loop in Python.

Usage: check_losses.py EPOCHCAST. Exits with 77 where python3-torch is not installed.
"""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
    import torch
except ImportError as error:
    print(f"skipped: {error}; install python3-torch")
    sys.exit(77)

F = torch.nn.functional
EPOCHCAST = os.path.abspath(sys.argv[1])
SAMPLES = 16
TOKENS = 12
VOCABULARY = 20
EPOCHS = 6
WARMUP = 2
FINAL = 0.1
RATE = 0.01
CLIP = 0.5


class Tiny(torch.nn.Module):
    """A language model of one layer of attention, whose embedding scores the tokens."""

    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(VOCABULARY, 8)
        self.places = torch.nn.Embedding(TOKENS, 8)
        self.joint = torch.nn.Linear(8, 24)
        self.norm = torch.nn.LayerNorm(8)
        self.head = torch.nn.Linear(8, VOCABULARY, bias=False)
        self.head.weight = self.words.weight

    def forward(self, tokens):
        values = self.words(tokens) + self.places(torch.arange(tokens.shape[1]))
        query, key, value = self.joint(self.norm(values)).chunk(3, -1)
        scores = query @ key.transpose(1, 2) / math.sqrt(8.0)
        behind = torch.ones(tokens.shape[1], tokens.shape[1], dtype=torch.bool).triu(1)
        weights = scores.masked_fill(behind, -1e9).softmax(-1)
        return self.head(values + weights @ value)


def mlp(outputs):
    return torch.nn.Sequential(torch.nn.Linear(5, 16), torch.nn.Tanh(), torch.nn.Linear(16, outputs))


class Returning(torch.nn.Module):
    """Absolute errors: a loss that epochcast does not know."""

    def __init__(self):
        super().__init__()
        self.layers = mlp(2)

    def forward(self, samples, targets):
        return (self.layers(samples) - targets).abs().mean()


def run(*words, folder):
    done = subprocess.run([EPOCHCAST, *map(str, words)], cwd=folder, text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check(name, holds, text):
    print(f"{'ok  ' if holds else 'FAIL'} {name}: {text}")
    return holds


def trained(name, folder, *words):
    """Epochs of one step each: the order of samples does not matter."""
    run("train", "--network", f"{name}.pt", "--batch", SAMPLES // 2, "--accumulate", 2, "--epochs", EPOCHS,
        "--learning-rate", RATE, "--strategy", "sync", "--ranks", 1, "--metrics", f"{name}.jsonl", *words, folder=folder)
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]


def rate_of(step):
    """--schedule cosine --schedule-by step --warmup 2 --final-rate 0.1, a step an epoch."""
    done = max(0.0, step - WARMUP) / (EPOCHS - WARMUP)
    rate = FINAL * RATE + (1 - FINAL) * RATE * (1 + math.cos(math.pi * done)) / 2
    return rate * min(1.0, (step + 1) / WARMUP)


def loop(model, optimizer, loss_of, clips):
    model.train()
    losses = []
    for step in range(EPOCHS):
        for group in optimizer.param_groups:
            group["lr"] = rate_of(step) if clips else RATE
        optimizer.zero_grad()
        loss = loss_of(model)
        loss.backward()
        if clips:
            torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
        losses.append(loss.item())
    return losses


def compare(name, points, expected, tolerance=1e-5):
    got = [point["train_loss"] for point in points]
    error = max(abs(a - b) / abs(b) for a, b in zip(got, expected))
    falls = expected[-1] < 0.99 * expected[0]
    return check(name, len(got) == EPOCHS and error <= tolerance and falls,
                 f"losses {got} in epochcast, {expected} in Python: {error:.1e} apart")


def check_language_model(folder):
    tokens = numpy.random.default_rng(1).integers(0, VOCABULARY, SAMPLES * TOKENS + 1).astype(numpy.uint16)
    tokens[5] = VOCABULARY - 1
    (folder / "text").mkdir()
    tokens.tofile(folder / "text" / "train.bin")
    tokens[:2 * TOKENS + 1].tofile(folder / "text" / "val.bin")
    torch.manual_seed(2)
    model = Tiny()
    torch.jit.script(model).save(str(folder / "tiny.pt"))
    points = trained("tiny", folder, "--data", "text", "--sequence", TOKENS, "--optimizer", "adamw", "--beta2", 0.95,
                     "--weight-decay", 0.1, "--schedule", "cosine", "--schedule-by", "step", "--warmup", WARMUP,
                     "--final-rate", FINAL, "--clip-norm", CLIP)
    row = torch.from_numpy(tokens.astype(numpy.int64))
    samples = row[:-1].view(SAMPLES, TOKENS)
    targets = row[1:].view(SAMPLES, TOKENS)
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1)
    expected = loop(model, optimizer,
                    lambda net: F.cross_entropy(net(samples).flatten(0, 1), targets.flatten()), clips=True)
    last = points[-1]
    rates = [point["learning_rate"] for point in points]
    told = run("simulate", "--platform", "deep-est-esb", "--nodes", 2, "--network", "tiny.pt", "--dataset", "text", "--sequence",
               TOKENS, "--batch", 2, "--batch-seconds", "gpu=10ms", "--strategy", "sync", "--format", "csv", folder=folder)
    return [compare("language model", points, expected),
            check("perplexity", abs(last["test_perplexity"] - math.exp(last["test_loss"])) < 1e-9,
                  f"{last['test_perplexity']:.3f} is e to the test loss"),
            check("schedule", max(abs(a - rate_of(i)) for i, a in enumerate(rates)) < 1e-12,
                  f"learning rates {rates}"),
            check("forecast", "sync" in told, "simulate takes the model and its tokens")]


def write_arrays(folder, name, targets):
    samples = torch.randn(SAMPLES, 5, generator=torch.Generator().manual_seed(4))
    for half in ("train", "val"):
        place = folder / name / half
        place.mkdir(parents=True)
        numpy.save(place / "inputs.npy", samples.numpy())
        numpy.save(place / "targets.npy", targets.numpy())
    return samples


def check_values(folder):
    targets = torch.randn(SAMPLES, 2, generator=torch.Generator().manual_seed(5))
    samples = write_arrays(folder, "values", targets)
    results = []
    for name, make, loss_of in (
            ("mse", lambda: mlp(2), lambda net: F.mse_loss(net(samples), targets)),
            ("model", Returning, lambda net: net(samples, targets))):
        torch.manual_seed(3)
        model = make()
        torch.jit.script(model).save(str(folder / f"{name}.pt"))
        points = trained(name, folder, "--data", "values")
        optimizer = torch.optim.SGD(model.parameters(), lr=RATE, momentum=0.9)
        results += [compare(name, points, loop(model, optimizer, loss_of, clips=False)),
                    check(f"{name}, accuracy", points[-1]["test_accuracy"] is None, "nothing is classified")]
    return results


def check_classes(folder):
    labels = torch.tensor([0, 1] * (SAMPLES // 2))
    samples = write_arrays(folder, "classes", labels)
    results = []
    for name, outputs, loss_of in (
            ("cross-entropy", 2, lambda net: F.cross_entropy(net(samples), labels)),
            ("binary-cross-entropy", 1,
             lambda net: F.binary_cross_entropy_with_logits(net(samples).squeeze(1), labels.float()))):
        torch.manual_seed(3)
        model = mlp(outputs)
        torch.jit.script(model).save(str(folder / f"{name}.pt"))
        points = trained(name, folder, "--data", "classes", "--loss", name)
        optimizer = torch.optim.SGD(model.parameters(), lr=RATE, momentum=0.9)
        results.append(compare(name, points, loop(model, optimizer, loss_of, clips=False)))
    return results


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        results = check_language_model(folder) + check_values(folder) + check_classes(folder)
    print("a line for each claim above; FAIL where one does not hold")
    sys.exit(0 if all(results) else 1)


main()
