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
from typing import Optional

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


class ScoresAndLoss(torch.nn.Module):
    """As nanoGPT: given targets, scores and then the loss, here in double; else scores of the last token alone."""

    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(VOCABULARY, 8)

    def forward(self, tokens, targets: Optional[torch.Tensor] = None):
        values = self.words(tokens)
        if targets is None:
            return values[:, -1:] @ self.words.weight.t(), torch.zeros(1)
        scores = values @ self.words.weight.t()
        return scores, F.cross_entropy(scores.flatten(0, 1), targets.flatten()).double()


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


def compare(name, points, expected, tolerance=1e-5, falls=0.01):
    got = [point["train_loss"] for point in points]
    error = max(abs(a - b) / abs(b) for a, b in zip(got, expected))
    has_learned = expected[-1] < (1 - falls) * expected[0]
    return check(name, len(got) == EPOCHS and error <= tolerance and has_learned,
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
    torch.manual_seed(2)
    returning = ScoresAndLoss()
    torch.jit.script(returning).save(str(folder / "returning.pt"))
    returned = trained("returning", folder, "--data", "text", "--sequence", TOKENS)
    optimizer = torch.optim.SGD(returning.parameters(), lr=RATE, momentum=0.9)
    returned_in_python = loop(returning, optimizer, lambda net: net(samples, targets)[1], clips=False)
    last = points[-1]
    rates = [point["learning_rate"] for point in points]
    told = run("simulate", "--platform", "deep-est-esb", "--nodes", 2, "--network", "tiny.pt", "--dataset", "text", "--sequence",
               TOKENS, "--batch", 2, "--batch-seconds", "gpu=10ms", "--strategy", "sync", "--format", "csv", folder=folder)
    return [compare("language model", points, expected),
            compare("scores and a loss in double", returned, returned_in_python, falls=0.001),
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
    shares = torch.rand(SAMPLES, 2, generator=torch.Generator().manual_seed(6))
    samples = write_arrays(folder, "values", targets)
    write_arrays(folder, "shares", shares)
    results = []
    for name, data, make, loss_of in (
            ("mse", "values", lambda: mlp(2), lambda net: F.mse_loss(net(samples), targets)),
            ("model", "values", Returning, lambda net: net(samples, targets)),
            ("probabilities", "shares", lambda: mlp(2), lambda net: F.binary_cross_entropy_with_logits(net(samples), shares))):
        torch.manual_seed(3)
        model = make()
        torch.jit.script(model).save(str(folder / f"{name}.pt"))
        told = ["--loss", "binary-cross-entropy"] if data == "shares" else []
        points = trained(name, folder, "--data", data, *told)
        optimizer = torch.optim.SGD(model.parameters(), lr=RATE, momentum=0.9)
        results += [compare(name, points, loop(model, optimizer, loss_of, clips=False), falls=0.001),
                    check(f"{name}, accuracy", (points[-1]["test_accuracy"] is None) == (not told), "of what is classified alone")]
    return results


STRATEGIES = ("sync,hetgrad,hetgrad-unweighted,node-based,dlb,local-sgd,unbalanced-local-sgd,biased-local-sgd,post-local-sgd,"
              "one-shot,byteps")


def check_accumulation(folder):
    """A batch of 4 x 2 samples has the gradient of one of 8, whatever is exchanged."""
    generator = torch.Generator().manual_seed(7)
    samples = torch.randn(360, 5, generator=generator)
    (folder / "many").mkdir()
    numpy.save(folder / "many" / "inputs.npy", samples.numpy())
    numpy.save(folder / "many" / "targets.npy", torch.tanh(samples[:, :2]).numpy())
    torch.manual_seed(3)
    torch.jit.script(mlp(2)).save(str(folder / "many.pt"))
    curves = []
    for batch, accumulate in ((8, 1), (2, 4)):
        told = run("rehearse", "--platform", "server-2cpu-8gpu", "--network", "many.pt", "--data", "many", "--batch", batch,
                   "--accumulate", accumulate, "--batch-seconds", f"gpu={10 * batch}ms,cpu={20 * batch}ms", "--epochs", 3,
                   "--strategy", STRATEGIES, "--local-steps", 2, "--averaging-period", 2, "--learning-rate", RATE,
                   "--clip-norm", 1, "--warmup", 0.5, "--schedule", "cosine", "--schedule-by", "step", "--format", "json",
                   folder=folder)
        curves.append([(each["run"]["strategy"], [point["train_loss"] for point in each["curve"]])
                       for each in json.loads(told)["rehearsals"]])
    return [check(f"{strategy}, accumulated", all(abs(a - b) <= 1e-6 * b for a, b in zip(whole, parts)),
                  f"losses {whole} of whole batches, {parts} of parts")
            for (strategy, whole), (_, parts) in zip(*curves)]


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
        results = check_language_model(folder) + check_values(folder) + check_classes(folder) + \
            check_accumulation(folder)
    print("a line for each claim above; FAIL where one does not hold")
    sys.exit(0 if all(results) else 1)


main()
