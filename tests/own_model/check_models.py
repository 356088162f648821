#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Descriptions of models of other authors: torchvision's, and our networks written again.

Usage: check_models.py EPOCHCAST [NAME...]: all claims, or those of these names. Exits with 77 where python3-torchvision is not installed.
"""
import functools
import json
import pathlib
import re
import sys

from claims import check, parameters_of, run, save, report, variant_in
from our_networks import OUR_NETWORKS

try:
    import torchvision
except ImportError as error:
    print(f"skipped: {error}; install python3-torchvision")
    sys.exit(77)

NETWORKS = pathlib.Path(__file__).resolve().parents[2] / "models" / "networks"
# Billions of multiply-adds for a sample of 3 x 224 x 224, and parameters: torchvision's table of
# classification weights (pytorch.org/vision/stable/models.html).
PUBLISHED = {
    "mobilenet_v2": (0.30, 3504872, {}),
    "efficientnet_b0": (0.39, 5288548, {}),
    "convnext_tiny": (4.46, 28589128, {}),
    "vit_b_16": (17.56, 86567656, {}),
    "googlenet": (1.50, 6624904, {"aux_logits": False, "init_weights": False}),
}
# Our networks that torchvision has, too.
LARGE = [3, 224, 224]
TWINS = {name: (functools.partial(getattr(torchvision.models, theirs), weights=None), LARGE, 1000, [])
         for name, theirs in {
             "resnet18": "resnet18", "resnet34": "resnet34", "resnet50": "resnet50", "resnet101": "resnet101",
             "vgg16": "vgg16", "densenet121": "densenet121", "shufflenetv2-1x": "shufflenet_v2_x1_0",
             "vit-b": "vit_b_16"}.items()} | OUR_NETWORKS


def check_published(name, folder):
    published, parameters, settings = PUBLISHED[name]
    save(getattr(torchvision.models, name)(weights=None, **settings), folder / f"{name}.pt")
    printed = run("describe", f"{name}.pt", "--input", "3,224,224", "--output", f"{name}.json", folder=folder)
    count = parameters_of(variant_in(folder / f"{name}.json"))
    adds = float(re.search(r"convolutions ([0-9.e+-]+) G", printed).group(1))
    # Published figures have two digits behind the point.
    error = max(0, abs(adds - published) - 0.005) / published
    forecast = run("simulate", "--platform", "deep-est-esb", "--nodes", "4", "--network", f"{name}.json",
                   "--dataset", "imagenet", "--batch", "8", "--epochs", "1", "--strategy", "sync",
                   "--batch-seconds", "gpu=100ms", "--format", "json", folder=folder)
    epoch_s = json.loads(forecast)["runs"][0]["epoch_s"]
    return all([
        check(name, count == parameters, f"{count} parameters, published {parameters}"),
        check(name, error <= 0.02, f"{adds} G multiply-adds, published {published}"),
        check(name, epoch_s > 0, f"an epoch on four nodes of the ESB is forecast to take {epoch_s:.0f} s"),
        check(name, "Not counted" not in printed, "every operation has a rule"),
    ])


def amount(text):
    number, unit = re.fullmatch(r"([0-9.e+-]+)([A-Za-z]+)", text).groups()
    scale = {"flop": 1, "kflop": 1e3, "Mflop": 1e6, "Gflop": 1e9, "B": 1, "kB": 1e3, "MB": 1e6, "KiB": 2**10, "MiB": 2**20}
    return float(number) * scale[unit]


def sums_of(variant, classes):
    sums = dict.fromkeys(("forward", "activation", "products", "moved"), 0)
    for layer in variant["layers"]:
        per_class = layer.get("per_class", {"forward": "0flop", "activation": "0B"})
        for figure in ("forward", "activation"):
            sums[figure] += amount(layer[figure]) + classes * amount(per_class[figure])
        sums["products"] += amount(layer["work"]["products"]) + classes * amount(per_class["forward"])
        # Outputs of classes move once; what is computed of them is little.
        sums["moved"] += amount(layer["work"]["moved"]) + classes * amount(per_class["activation"])
    return sums | {"parameters": parameters_of(variant, classes)}


def check_twin(name, folder):
    """A network of ours, scripted by another author, is described as ours is."""
    make, shape, classes, options = TWINS[name]
    save(make(), folder / "twin.pt")
    printed = run("describe", "twin.pt", "--input", ",".join(map(str, shape)), "--classes", classes, *options,
               "--output", "twin.json", folder=folder)
    ours = json.loads((NETWORKS / f"{name}.json").read_text())["variants"]
    mine = sums_of(next(variant for variant in ours if variant["input"] == shape), classes)
    theirs = sums_of(variant_in(folder / "twin.json"), classes)
    errors = {figure: abs(theirs[figure] / mine[figure] - 1) for figure in mine}
    # The bytes of the statistics of normalisation count once for a batch: here of two samples, where one is not enough.
    allowed = {figure: 0.02 if figure == "moved" else 0.01 for figure in errors}
    return check(name, all(errors[figure] <= allowed[figure] for figure in errors) and "Not counted" not in printed,
                 "described as its equal, except " + ", ".join(f"{figure} {error:.2%}" for figure, error in errors.items()))


def check_auxiliary(folder):
    """GoogLeNet's auxiliary classifiers train with it."""
    model = torchvision.models.googlenet(weights=None, num_classes=10, aux_logits=True, init_weights=False)
    save(model, folder / "aux.pt")
    run("describe", "aux.pt", "--input", "3,96,96", "--classes", "10", "--output", "aux.json", folder=folder)
    count = sum(p.numel() for p in model.parameters())
    return check("googlenet", parameters_of(variant_in(folder / "aux.json")) == count and
                 "aux1" in (folder / "aux.json").read_text(),
                 f"{count} parameters with both auxiliary classifiers")


report([functools.partial(check_published, each) for each in PUBLISHED] +
     [functools.partial(check_twin, each) for each in TWINS] + [check_auxiliary])
