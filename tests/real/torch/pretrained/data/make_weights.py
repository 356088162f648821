#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the files of weights beside this file, as PyTorch's users write them (Debian: python3-torch; run it with
/usr/bin/python3).
"""
import collections
import os

import torch

os.chdir(os.path.dirname(os.path.abspath(__file__)))
torch.manual_seed(1)


def state_dict():
    """A state_dict(): an OrderedDict with an attribute _metadata; here with a view and several types."""
    numbers = torch.arange(8, dtype=torch.float32)
    weights = torch.nn.BatchNorm2d(1).state_dict()
    for name in list(weights):
        del weights[name]
    weights["plain"] = numbers[:6].view(2, 3)
    weights["transposed"] = numbers[1:7].view(2, 3).t()
    weights["half"] = torch.tensor([0.5, -2]).half()
    weights["double"] = torch.tensor([0.1], dtype=torch.float64)
    weights["bn.num_batches_tracked"] = torch.tensor(300)
    return weights


def small_cnn():
    """small-cnn for 4 classes, and images of 3 x 16 x 16 or 3 x 32 x 32 pixels.

    To be small: in half precision, and rows of fc1 are one.
    """
    layers = collections.OrderedDict(
        conv1=torch.nn.Conv2d(3, 6, 5), conv2=torch.nn.Conv2d(6, 16, 5), fc1=torch.nn.Linear(400, 120),
        fc2=torch.nn.Linear(120, 4))
    weights = torch.nn.Sequential(layers).half().state_dict()
    weights["fc1.weight"] = weights["fc1.weight"][:1].clone().expand(120, 400)
    return weights


torch.save(state_dict(), "ordered.pt")
torch.save(dict(state_dict()), "dict.pt")
torch.save(state_dict(), "protocol4.pt", pickle_protocol=4)
torch.save({name: torch.nn.Parameter(tensor) for name, tensor in state_dict().items() if tensor.is_floating_point()},
           "parameters.pt")
torch.save(state_dict(), "legacy.pt", _use_new_zipfile_serialization=False)
torch.save({"epoch": 3, "state_dict": state_dict(), "best": 0.75}, "checkpoint.pt")
torch.save({"epoch": 3}, "numbers.pt")
torch.save(torch.nn.Linear(2, 1), "module.pt")
torch.jit.save(torch.jit.script(torch.nn.Linear(2, 1)), "script.pt")
weights = small_cnn()
torch.save(weights, "small-cnn.pt")
# With torch.compile's names, a tensor under a second name (a language model's head) and a causal mask.
tied = {f"_orig_mod.{name}": tensor for name, tensor in weights.items()}
tied["_orig_mod.head.weight"] = tied["_orig_mod.conv1.weight"]
tied["_orig_mod.attn.bias"] = torch.ones(4, 4).tril().view(1, 1, 4, 4)
torch.save(tied, "small-cnn-tied.pt")
for name in ("fc2.weight", "fc2.bias"):
    del weights[name]
torch.save(weights, "small-cnn-headless.pt")
