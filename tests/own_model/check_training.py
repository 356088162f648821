#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""An epoch of torchvision's models in epochcast is the same loop in Python.

To 1e-5 after one step. Further steps of untrained models may blow up what the last bit of a number is rounded to: after these, losses
may also differ by as much as Python's do when it begins with weights that are one rounding off.

Usage: check_training.py EPOCHCAST [NAME...]: all models, or these. Exits with 77 where python3-torchvision is not installed.
"""
import copy
import functools
import json
import sys

from claims import check, run, save, report

try:
    import numpy
    import torch
    import torchvision
except ImportError as error:
    print(f"skipped: {error}; install python3-torchvision")
    sys.exit(77)

SAMPLES = 48
BATCH = 16
CLASSES = 10
# At 64 pixels the last maps are 2 x 2: 64 values of a channel are normalised, not 16. (Of single
# pixels, deviations are now and then next to nothing, and divide rounding errors into something.)
PIXELS = 64
MODELS = {
    "resnet18": {},
    "mobilenet_v2": {},  # with dropout
    "efficientnet_b0": {},  # with dropout, and blocks that are left out at random
    "convnext_tiny": {},
    "vit_b_16": {"image_size": PIXELS},
    "googlenet": {"aux_logits": True, "init_weights": False},  # with auxiliary classifiers
}
SEED = 1
# Streams of random numbers that epochcast draws: the order of samples, and whatever a rank's model draws.
SHUFFLE_STREAM = 1
RANK_STREAM = 1000


class SplitMix:
    """splitmix64 (Steele, Lea, Flood, OOPSLA 2014), and how epochcast shuffles with it."""
    MASK = 2**64 - 1

    def __init__(self, seed):
        self.state = seed & self.MASK

    def next(self):
        self.state = (self.state + 0x9e3779b97f4a7c15) & self.MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xbf58476d1ce4e5b9) & self.MASK
        z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & self.MASK
        return z ^ (z >> 31)

    @classmethod
    def mixed(cls, seed, stream):
        return cls(seed ^ ((stream * 0xd1342543de82ef95 + 0x2545f4914f6cdd1d) & cls.MASK)).next()

    def shuffled(self, count):
        order = list(range(count))
        for i in range(count, 1, -1):
            j = int((self.next() >> 11) * 2.0**-53 * i)
            order[i - 1], order[j] = order[j], order[i - 1]
        return order


def order_of_epoch(epoch, samples):
    return SplitMix(SplitMix.mixed(SplitMix.mixed(SEED, SHUFFLE_STREAM), epoch)).shuffled(samples)


def rounding(samples, labels, model):
    """How far apart two epochs in Python are whose weights differ in the last bit."""
    other = copy.deepcopy(model)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for weights in other.parameters():
            weights.mul_(1 + torch.finfo(torch.float32).eps * torch.randn(weights.shape, generator=generator).sign())
    return apart(epoch_in_python(other, samples, labels), epoch_in_python(copy.deepcopy(model), samples, labels))


def apart(losses, others):
    return max(abs(a / b - 1) for a, b in zip(losses, others))


def write_data(folder):
    generator = torch.Generator().manual_seed(1)
    samples = torch.randn(SAMPLES, 3, PIXELS, PIXELS, generator=generator)
    labels = torch.randint(0, CLASSES, (SAMPLES,), generator=generator)
    for name, count in (("data", SAMPLES), ("batch", BATCH)):
        for half in ("train", "val"):
            place = folder / name / half
            place.mkdir(parents=True)
            numpy.save(place / "inputs.npy", samples[:count].numpy())
            numpy.save(place / "targets.npy", labels[:count].numpy())


def loss_of(outputs, labels):
    entropy = torch.nn.functional.cross_entropy
    if isinstance(outputs, torch.Tensor):
        return entropy(outputs, labels), entropy(outputs, labels)
    loss = entropy(outputs.logits, labels)
    return loss, loss + 0.3 * (entropy(outputs.aux_logits1, labels) + entropy(outputs.aux_logits2, labels))


def epoch_in_python(model, samples, labels):
    """The mean of the samples' losses, scores of each class alone."""
    model.train()
    torch.manual_seed(SplitMix.mixed(SEED, RANK_STREAM))  # what is dropped, the same as in epochcast's first rank
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    losses = []
    for batch in torch.tensor(order_of_epoch(0, len(samples))).split(BATCH):
        optimizer.zero_grad()
        loss, trained = loss_of(model(samples[batch]), labels[batch])
        trained.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        tested = torch.nn.functional.cross_entropy(model(samples), labels).item()
    return sum(losses) / len(losses), tested


def check_epoch(name, data, folder):
    if not (folder / data).exists():
        write_data(folder)
    samples = torch.from_numpy(numpy.load(folder / data / "train" / "inputs.npy"))
    labels = torch.from_numpy(numpy.load(folder / data / "train" / "targets.npy"))
    torch.manual_seed(3)
    model = getattr(torchvision.models, name)(weights=None, num_classes=CLASSES, **MODELS[name])
    save(model, folder / "mine.pt")
    run("train", "--network", "mine.pt", "--data", data, "--batch", BATCH, "--epochs", 1, "--learning-rate", 0.01,
        "--momentum", 0.9, "--strategy", "sync", "--ranks", 1, "--seed", SEED, "--metrics", "mine.jsonl", folder=folder)
    point = json.loads((folder / "mine.jsonl").read_text().splitlines()[-1])
    got = point["train_loss"], point["test_loss"]
    expected = epoch_in_python(copy.deepcopy(model), samples, labels)
    error = apart(got, expected)
    bound = 1e-5
    if error > bound and len(samples) > BATCH:
        bound = rounding(samples, labels, model)
    steps = len(samples) // BATCH
    return check(name, error <= bound,
                 f"an epoch of {steps} step{'s' * (steps > 1)}, then tested: losses {got} in epochcast, {expected} in Python: "
                 f"{error:.1e} apart, at most {bound:.1e}")


report([functools.partial(check_epoch, each, data) for each in MODELS for data in ("batch", "data")])
