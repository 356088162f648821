#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes models/networks/*.json of networks that torchvision and BERT's paper define, by `epochcast describe`.

Usage: tools/describe_published.py EPOCHCAST_DESCRIBE [FOLDER]   (needs torch and torchvision)
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile

import torch
import torchvision
from torch import Tensor, nn

CLASSES = 997  # a prime that is no extent of any tensor: where it stands, the number of classes does


class BertLayer(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.attention_norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(0.1)

    def split(self, values: Tensor) -> Tensor:
        return values.view(values.size(0), values.size(1), self.heads, -1).transpose(1, 2)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = torch.matmul(query, key.transpose(2, 3)) / math.sqrt(query.size(3))
        mixed = torch.matmul(self.dropout(torch.softmax(scores, -1)), value)
        attended = self.out(mixed.transpose(1, 2).reshape(x.size(0), x.size(1), -1))
        x = self.attention_norm(x + self.dropout(attended))
        return self.norm(x + self.dropout(self.down(torch.nn.functional.gelu(self.up(x)))))


class Bert(nn.Module):
    """Devlin et al., NAACL 2019; scores from the first token, as for classification."""

    def __init__(self, layers: int, width: int, heads: int, longest: int = 512, words: int = 30522):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = nn.Embedding(longest, width)
        self.norm = nn.LayerNorm(width)
        self.layers = nn.Sequential(*(BertLayer(width, heads) for _ in range(layers)))
        self.pooler = nn.Linear(width, width)
        self.scores = nn.Linear(width, CLASSES)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.words(tokens) + self.places(torch.arange(tokens.size(1)))
        x = self.layers(self.norm(x))
        return self.scores(torch.tanh(self.pooler(x[:, 0])))


def resnext101_32x4d() -> nn.Module:
    return torchvision.models.ResNet(torchvision.models.resnet.Bottleneck, [3, 4, 23, 3], num_classes=CLASSES, groups=32,
                                     width_per_group=4)


IMAGE = [[3, 224, 224]]
TEXT = [[128], [384]]
NETWORKS = {
    "mobilenetv2": ("MobileNetV2", lambda: torchvision.models.mobilenet_v2(num_classes=CLASSES), IMAGE,
                    "Sandler et al., MobileNetV2, CVPR 2018"),
    "efficientnet-b0": ("EfficientNet-B0", lambda: torchvision.models.efficientnet_b0(num_classes=CLASSES), IMAGE,
                        "Tan and Le, EfficientNet, ICML 2019"),
    "convnext-tiny": ("ConvNeXt-T", lambda: torchvision.models.convnext_tiny(num_classes=CLASSES), IMAGE,
                      "Liu et al., A ConvNet for the 2020s, CVPR 2022"),
    "wide-resnet-50-2": ("Wide ResNet-50-2", lambda: torchvision.models.wide_resnet50_2(num_classes=CLASSES), IMAGE,
                         "Zagoruyko and Komodakis, Wide Residual Networks, BMVC 2016"),
    "resnext101-32x4d": ("ResNeXt-101 32x4d", resnext101_32x4d, IMAGE,
                         "Xie et al., Aggregated Residual Transformations, CVPR 2017"),
    "bert-base": ("BERT-base", lambda: Bert(12, 768, 12), TEXT, "Devlin et al., BERT, NAACL 2019"),
    "bert-large": ("BERT-large", lambda: Bert(24, 1024, 16), TEXT, "Devlin et al., BERT, NAACL 2019"),
}


def per_class(layer):
    """The layer with the number of classes left open, where it has one output for each."""
    if not any(CLASSES in shape for _, shape in layer["tensors"]):
        return layer
    for tensor in layer["tensors"]:
        tensor[1] = ["classes" if size == CLASSES else size for size in tensor[1]]
    inputs = layer["tensors"][0][1][1]
    work = layer.pop("work") | {"products": "0flop"}
    return layer | {"forward": "0flop", "activation": "0B",
                    "per_class": {"forward": f"{2 * inputs}flop", "activation": "4B"}, "work": work}


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def text_of(network):
    """One line for each layer, as our own networks are written."""
    lines = ["{"] + [f'  "{key}": {compact(network[key])},' for key in ("schema", "name", "title", "source")]
    lines.append('  "variants": [')
    for number, variant in enumerate(network["variants"]):
        layers = ",\n".join("        " + compact(layer) for layer in variant["layers"])
        lines.append(f'    {{\n      "input": {compact(variant["input"])},\n      "buffers": {variant["buffers"]},\n'
                     f'      "layers": [\n{layers}\n      ]\n    }}' + ("," if number + 1 < len(network["variants"]) else ""))
    return "\n".join(lines + ["  ]", "}", ""])


def main():
    describe = sys.argv[1]
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "models/networks")
    with tempfile.TemporaryDirectory() as temporary:
        for name, (title, make, shapes, reference) in NETWORKS.items():
            model = pathlib.Path(temporary) / f"{name}.pt"
            torch.jit.script(make()).save(str(model))
            variants = []
            for shape in shapes:
                output = pathlib.Path(temporary) / "described.json"
                subprocess.run([describe, str(model), "--input", ",".join(map(str, shape)), "--classes", str(CLASSES),
                                "--output", str(output), "--quiet"], check=True)
                network = json.loads(output.read_text())
                variants += network["variants"]
            for variant in variants:
                variant["layers"] = [per_class(layer) for layer in variant["layers"]]
            network |= {"name": name, "title": title, "variants": variants,
                        "source": {"grade": "published", "reference": reference,
                                   "method": f"tools/describe_published.py, torchvision {torchvision.__version__}"}}
            (folder / f"{name}.json").write_text(text_of(network))
            print(folder / f"{name}.json")


if __name__ == "__main__":
    main()
