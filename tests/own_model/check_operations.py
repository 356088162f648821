#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Layers of many kinds: describe counts what formulas on paper say.

Usage: check_operations.py EPOCHCAST [NAME...]: all claims, or those of these names. Exits with 77 where python3-torch is not installed.
"""
import functools
import math
import re

from claims import check, parameters_of, run, save, report, variant_in

import torch
from torch import nn

F = nn.functional
STEPS = 20


def of_lstm(inputs, hidden, outputs):
    return 4 * hidden * (inputs + outputs)


class Rows(nn.Module):
    """A recurrent layer over rows [batch, steps, features], steps first where it wants them so; the last output."""

    def __init__(self, cell, is_batch_first):
        super().__init__()
        self.cell, self.is_batch_first = cell, is_batch_first

    def forward(self, rows):
        return self.cell(rows if self.is_batch_first else rows.transpose(0, 1))[0].mean(1 if self.is_batch_first else 0)


class Stepwise(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(16, 32)

    def forward(self, rows):
        hidden = torch.zeros(rows.shape[0], 32)
        memory = torch.zeros(rows.shape[0], 32)
        for i in range(rows.shape[1]):
            hidden, memory = self.cell(rows[:, i], (hidden, memory))
        return hidden


class Frames(nn.Module):
    """Five pictures of a sample, all of them seen by one convolution."""

    def __init__(self):
        super().__init__()
        self.convolution, self.pool = nn.Conv2d(3, 8, 3, padding=1), nn.AdaptiveAvgPool2d(1)

    def forward(self, films):
        return self.pool(self.convolution(films.flatten(0, 1))).view(films.shape[0], -1)


class Heads(nn.Module):
    """Attention in einsum, over tokens whose embedding also scores them."""

    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(100, 32), nn.Parameter(torch.zeros(1, STEPS, 32))
        self.joint = nn.Linear(32, 96)

    def forward(self, numbers):
        tokens = self.words(numbers) + self.places
        batch, count = numbers.shape
        query, key, value = self.joint(tokens).view(batch, count, 3, 4, 8).permute(2, 0, 3, 1, 4).unbind(0)
        weights = (torch.einsum("bhqd,bhkd->bhqk", query, key) / math.sqrt(8.0)).softmax(-1)
        mixed = torch.einsum("bhqk,bhkd->bqhd", weights, value).reshape(batch, count, 32)
        return F.linear(mixed.mean(1), self.words.weight)


class Bags(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag, self.head = nn.EmbeddingBag(100, 16, mode="mean"), nn.Linear(16, 10)

    def forward(self, numbers):
        return self.head(self.bag(numbers))


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.both = nn.Bilinear(6, 4, 5)

    def forward(self, rows):
        return self.both(rows[:, :6], rows[:, 6:])


class Two(nn.Module):
    """A picture and what is known of it."""

    def __init__(self):
        super().__init__()
        self.seen, self.known, self.head = nn.Conv2d(3, 4, 3), nn.Linear(5, 4), nn.Linear(4, 10)

    def forward(self, picture, facts):
        return self.head(self.seen(picture).mean((2, 3)) + self.known(facts))


class Cut(nn.Module):
    """How the documentation makes one row of several inputs."""

    def __init__(self):
        super().__init__()
        self.model = Two()

    def forward(self, row):
        return self.model(row[:, :192].view(-1, 3, 8, 8), row[:, 192:])


class Forks(nn.Module):
    """Two products, one of them in another thread."""

    def __init__(self):
        super().__init__()
        self.left, self.right = nn.Linear(8, 10), nn.Linear(8, 10)

    def forward(self, rows):
        other = torch.jit.fork(self.right, rows)
        return self.left(rows) + torch.jit.wait(other)


class Spectrum(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(16, 10)

    def forward(self, rows):
        return self.head(torch.fft.fft(rows).abs())


class Chosen(nn.Module):
    """Small work for one half of the samples, large work for the other."""

    def __init__(self):
        super().__init__()
        self.small, self.large = nn.Linear(8, 10), nn.Sequential(nn.Linear(8, 64), nn.Linear(64, 10))

    def forward(self, rows):
        which = rows[:, 0] > 0.5
        scores = torch.zeros(rows.shape[0], 10)
        scores[which] = self.small(rows[which])
        scores[~which] = self.large(rows[~which])
        return scores


# The model, a sample, its multiply-adds on paper, and its other operations where they are few enough to count.
NUMBERS = ["--samples", "numbers"]
COUNTED = {
    "lstm of two layers, both ways": (
        Rows(nn.LSTM(16, 32, 2, bidirectional=True, batch_first=True), True), [STEPS, 16],
        STEPS * 2 * (of_lstm(16, 32, 32) + of_lstm(64, 32, 32)), STEPS * (4 * 13 * 32 + 64)),
    "lstm, steps first": (Rows(nn.LSTM(16, 32), False), [STEPS, 16], STEPS * of_lstm(16, 32, 32), None),
    "lstm, projected": (Rows(nn.LSTM(16, 32, proj_size=8, batch_first=True), True), [STEPS, 16],
                        STEPS * (of_lstm(16, 32, 8) + 32 * 8), None),
    "gru, steps first": (Rows(nn.GRU(16, 32), False), [STEPS, 16], STEPS * 3 * 32 * 48, STEPS * (11 * 32 + 32)),
    "rnn of rectifiers": (Rows(nn.RNN(16, 32, nonlinearity="relu", batch_first=True), True), [STEPS, 16],
                          STEPS * 32 * 48, STEPS * (2 * 32 + 32)),
    "cells of an lstm": (Stepwise(), [STEPS, 16], STEPS * of_lstm(16, 32, 32), None),
    "frames": (Frames(), [5, 3, 8, 8], 5 * 64 * 27 * 8, 5 * 8 * 64),
    "attention in einsum": (Heads(), [STEPS], STEPS * 32 * 96 + 2 * STEPS * STEPS * 32 + 32 * 100,
                            STEPS * 32 + 4 * 5 * STEPS * STEPS + STEPS * 32),
    "bag of embeddings": (Bags(), [STEPS], 160, STEPS * 16),
    "bilinear": (Pair(), [10], 5 * 6 * 4 + 5 * 4, 0),
    "grouped": (nn.Conv2d(8, 16, 3, groups=4, padding=2, dilation=2), [8, 10, 10], 100 * 16 * 2 * 9, 0),
    "depthwise": (nn.Conv2d(8, 8, 3, groups=8), [8, 10, 10], 64 * 8 * 9, 0),
    "transposed": (nn.ConvTranspose2d(8, 4, 4, 2, 1, groups=2), [8, 5, 5], 25 * 8 * 2 * 16, 0),
    "volumes": (nn.Sequential(nn.Conv3d(1, 4, 3, padding=1), nn.MaxPool3d(2), nn.ConvTranspose3d(4, 2, 2, 2)),
                [1, 8, 8, 8], 512 * 27 * 4 + 64 * 4 * 2 * 8, 8 * 4 * 64),
    "lines": (nn.Sequential(nn.Conv1d(2, 8, 5), nn.MaxPool1d(4), nn.AdaptiveAvgPool1d(5)), [2, 64], 60 * 10 * 8,
              4 * 8 * 15 + 8 * 15),
    "upsampled": (nn.Sequential(nn.Conv2d(1, 2, 1), nn.UpsamplingBilinear2d(scale_factor=2)), [1, 4, 4], 32, 8 * 2 * 64),
    "norms": (nn.Sequential(nn.Conv2d(1, 4, 1), nn.GroupNorm(2, 4), nn.InstanceNorm2d(4), nn.LayerNorm([4, 6, 6])), [1, 6, 6],
              144, 3 * 4 * 144),
    "two inputs, cut out of a row": (Cut(), [197], 36 * 27 * 4 + 5 * 4 + 4 * 10, 36 * 4 + 4),
    "forks": (Forks(), [8], 160, 10),
}


def check_count(name, folder):
    model, shape, adds, others = COUNTED[name]
    save(model, folder / "counted.pt")
    printed = run("describe", "counted.pt", "--input", ",".join(map(str, shape)),
               *([] if isinstance(model, (Heads, Bags)) else NUMBERS), "--output", "counted.json", folder=folder)
    variant = variant_in(folder / "counted.json")

    def flop(layers, entry):
        total = 0.0
        for layer in layers:
            number, unit = re.fullmatch(r"([0-9.e+-]+)([kMG]?)flop", entry(layer)).groups()
            total += float(number) * {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}[unit]
        return round(total)

    products = flop(variant["layers"], lambda layer: layer["work"]["products"])
    rest = flop(variant["layers"], lambda layer: layer["forward"]) - products
    count = sum(each.numel() for each in model.parameters())
    return check(name, products == 2 * adds and others in (None, rest) and parameters_of(variant) == count and
                 "Not counted" not in printed and "depends" not in printed,
                 f"{products} flop of products and {rest} others, {2 * adds} and {others} on paper; {count} parameters")


def check_doubts(folder):
    save(Spectrum(), folder / "spectrum.pt")
    save(Chosen(), folder / "chosen.pt")
    shape = ["--input", 16, *NUMBERS]
    unknown = run("describe", "spectrum.pt", *shape, folder=folder)
    depends = run("describe", "chosen.pt", "--input", 8, *NUMBERS, folder=folder)
    return all([check("spectrum", re.search(r"fft_r2c: called 1 times, 16 elements per sample \(\S+ % of all", unknown),
                      "a Fourier transform has no rule, and is listed with its share"),
                check("chosen", "depends on the sample" in depends, "work that depends on the sample is printed")])


report([functools.partial(check_count, each) for each in COUNTED] + [check_doubts])
