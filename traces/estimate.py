#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Estimates cost traces for devices nobody here has measured, from published training throughputs.

Usage: traces/estimate.py [--networks DIR] [--out DIR]

Writes OUT/estimated-DEVICE.json for every device below, with one cost for every variant of every file in DIR.
The same input gives the same bytes. Model, for a batch of b samples:

    seconds(b) = overhead + b * per_sample
    overhead   = 3 passes (forward, gradient of inputs, gradient of weights) * layers * steps * LAUNCH_S
    per_sample = 3 * forward_flop / (anchor_flop_per_s * relative)

`anchor_flop_per_s` is what the device reached on the published network (ResNet-50 for convolutions, BERT-base for
transformers); `relative` is how the family compares with ResNet-50. `steps` is the sequence length in recurrent
layers and 1 elsewhere. The optimizer step and data loading are part of the published throughputs, hence included.

Sockets of Xeons with AVX-512 take both terms of a network from one core of such a Xeon that was measured (MEASURED):

    seconds(b) = overhead + b * per_sample * (core's rate on ResNet-50 / socket's rate on ResNet-50)

where `overhead + b * per_sample` is the line through the core's times of small batches, per_sample in proportion to the
variant's FLOPs. A socket's rate is the V100's, divided by a published ratio. What does not grow with the batch is mostly
parameters, gradients and momentum that pass through memory: it shrinks as the socket's memory is faster than a core can use.
"""

import argparse
import json
import math
import pathlib
import re
import statistics
import sys

LAUNCH_S = 10e-6  # one layer's kernels in one pass: assumed, the order of a CUDA launch or of an OpenMP fork and join
PASSES = 3
BATCHES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]

# BERT-base on SQuAD, sequence length 384: 12 layers, per token 24 d^2 (projections, MLP) + 4 s d (attention), d = 768.
BERT_FORWARD_FLOP = 12 * 384 * (24 * 768**2 + 4 * 384 * 768)
BERT_LAYERS = 12 * 16

# One thread of a Xeon with AVX-512, measured: the ratios of networks' costs.
MEASURED = "xeon-spr-1thread-torch1.13"


CORE_GB_PER_S = 12.0  # what one core moves to and from memory: assumed


def skylake(name, cores, ghz, memory_gb_per_s, units=2):
    """One socket of a Xeon with `units` AVX-512 units per core, by its share of a node that was compared with a V100."""
    slower = 3.32 * (48 * 2.1 * 2) / (cores * ghz * units)
    return {
        "class": "cpu",
        "title": f"{name}, one socket, FP32",
        "of": "v100-32gb",
        "slower": slower,
        "overhead_gain": memory_gb_per_s / CORE_GB_PER_S,
        "measured": MEASURED,
        "why": "Jain et al., 'Performance Characterization of DNN Training using TensorFlow and PyTorch on Modern "
               "Clusters' (IEEE Cluster 2019): the fastest Skylake node is up to 3.32 times slower than a V100; taken "
               "as 2 x Xeon Platinum 8160 (48 cores at 2.1 GHz, two AVX-512 units each) and scaled by cores x nominal "
               f"clock x units to one socket of {cores} cores at {ghz} GHz with {units}: {slower:.4g} times slower than "
               "a V100",
    }


# (samples per second, batch of the run, source)
DEVICES = {
    "v100-32gb": {
        "class": "gpu",
        "title": "NVIDIA V100 32 GB, FP32",
        "resnet50": (356.0, 256, "NVIDIA DeepLearningExamples, ResNet50 v1.5 for PyTorch, DGX-1 32 GB, 1 GPU, FP32: "
                                 "356 img/s (batch 256, the script's default)"),
        "bert": (42.0, 24, "Lambda, deeplearning-benchmark, pytorch-train-throughput-fp32.csv, V100 16 GB, "
                           "bert_base_squad: 42 sequences/s, batch 24"),
    },
    "rtx4090": {
        "class": "gpu",
        "title": "NVIDIA RTX 4090 24 GB, FP32 with TF32",
        "resnet50": (721.0, 224, "Lambda, 'RTX 4090 vs RTX 3090 Deep Learning Benchmark' and deeplearning-benchmark, "
                                 "pytorch-train-throughput-fp32.csv, RTX 4090 TF32, ResNet-50: 721 img/s, batch 224"),
        "bert": (137.0, 48, "same table, bert_base_squad: 137 sequences/s, batch 48"),
    },
    # A CPU is a GPU slowed down by a published ratio.
    "epyc-7543": {
        "class": "cpu",
        "title": "AMD EPYC 7543, one socket, FP32",
        "of": "rtx4090",
        "slower": 3.8906 / 0.1737,
        "why": "arXiv 2508.08540 times one Flowers/WRN16 mini-batch at 0.1737 s on an RTX 4090 and 3.8906 s on an "
               "EPYC 7543: 22.40 times slower",
    },
    "xeon-gold-6146": skylake("Intel Xeon Gold 6146", cores=12, ghz=3.2, memory_gb_per_s=128.0),
    "xeon-platinum-8260m": skylake("Intel Xeon Platinum 8260M", cores=24, ghz=2.4, memory_gb_per_s=140.8),
    "xeon-gold-6240": skylake("Intel Xeon Gold 6240", cores=18, ghz=2.6, memory_gb_per_s=140.8),
    "xeon-silver-4215": skylake("Intel Xeon Silver 4215", cores=8, ghz=2.5, memory_gb_per_s=115.2, units=1),
}

# Training throughput of one program on one GPU (img/s, 224 x 224) and multiply-adds per image (10^9):
# timm, results/benchmark-train-amp-nchw-pt112-cu113-rtx3090.csv; multiply-adds from the networks' papers and timm.
TIMM = {
    "resnet18": (2764.22, 1.82),
    "resnet34": (1622.41, 3.67),
    "resnet50": (826.06, 4.11),
    "resnet101": (568.98, 7.83),
    "vgg16": (465.36, 15.47),
    "densenet121": (730.11, 2.87),
    "wide_resnet50_2": (495.68, 11.43),
    "mobilenetv2_100": (1832.14, 0.31),
}

# The rate of a network's FLOPs: that of a network of TIMM, BERT's rate, or an assumed share of ResNet-50's rate.
FAMILIES = {
    "resnet18": "resnet18",
    "resnet34": "resnet34",
    "resnet50": "resnet50",
    "resnet101": "resnet101",
    "resnet20": 0.5,
    "vgg16": "vgg16",
    "densenet121": "densenet121",
    "wide-resnet-16": "wide_resnet50_2",
    "wide-resnet-28": "wide_resnet50_2",
    "shufflenetv2-1x": "mobilenetv2_100",
    "vit-s": "bert",
    "vit-b": "bert",
    "distilbert": "bert",
    "small-cnn": 0.5,
    "gan": 0.5,
    "rnn": 0.1,
    "lstm": 0.1,
    "gru": 0.1,
}
RECURRENT = {"rnn", "lstm", "gru"}  # of their layers, the one of the same name runs once a step
# A GAN's step passes the discriminator three times (real images, generated images, the generator's turn).
REPEATS = {"gan": ("discriminator", 3)}
CLASSES = {"3x224x224": 1000, "3x384x384": 1000, "128": 4}  # else 10; decides only the size of the last layer

UNITS = {"flop": 1.0, "kflop": 1e3, "Mflop": 1e6, "Gflop": 1e9, "Tflop": 1e12}


def flop(quantity):
    match = re.fullmatch(r"([0-9.eE+-]+)\s*([A-Za-z]+)", quantity)
    return float(match.group(1)) * UNITS[match.group(2)]


def repeats(layer, name):
    """The number of times that a training step of network `name` runs this layer."""
    part, count = REPEATS.get(name, ("", 1))
    return count if layer["name"].startswith(part) else 1


def forward_flop(variant, name=""):
    """Floating-point operations of one sample's forward pass, repeated layers counted as often as they run."""
    classes = CLASSES.get("x".join(map(str, variant["input"])), 10)
    total = 0.0
    for layer in variant["layers"]:
        once = flop(layer["forward"]) + classes * flop(layer.get("per_class", {}).get("forward", "0flop"))
        total += repeats(layer, name) * once
    return total


def overhead_s(layers):
    return PASSES * layers * LAUNCH_S


def launches(layer, name, variant):
    """The number of kernel starts for this layer in a training step of network `name`, in layers."""
    steps = variant["input"][-2] if name in RECURRENT and layer["name"] == name else 1
    return steps * repeats(layer, name)


def anchor_rate(throughput, batch, forward, layers):
    """FLOP/s of a published throughput, without the launch overhead."""
    per_sample_s = 1.0 / throughput - overhead_s(layers) / batch
    return PASSES * forward / per_sample_s


def rates(device, resnet50):
    """FLOP/s of `device` on ResNet-50 and on BERT-base."""
    spec = DEVICES[device]
    if "of" in spec:
        conv, bert = rates(spec["of"], resnet50)
        return conv / spec["slower"], bert / spec["slower"]
    conv_throughput, conv_batch, _ = spec["resnet50"]
    bert_throughput, bert_batch, _ = spec["bert"]
    return (anchor_rate(conv_throughput, conv_batch, forward_flop(resnet50), len(resnet50["layers"])),
            anchor_rate(bert_throughput, bert_batch, BERT_FORWARD_FLOP, BERT_LAYERS))


def relative(family):
    throughput, multiply_adds = TIMM[family]
    base_throughput, base_multiply_adds = TIMM["resnet50"]
    return throughput * multiply_adds / (base_throughput * base_multiply_adds)


def line(batches):
    """Least-squares overhead and seconds per sample of a measured cost; medians of each size, overhead not below 0."""
    points = [(b["batch"], statistics.median(b["seconds"])) for b in batches]
    fit = statistics.linear_regression(*zip(*points))
    if fit.intercept < 0:
        return 0.0, statistics.linear_regression(*zip(*points), proportional=True).slope
    return fit.intercept, fit.slope


def measured_lines(trace, networks):
    """By network: overhead of a batch, and FLOP/s beyond it, both of the core that was measured."""
    variants = {(n["name"], tuple(v["input"])): v for n in networks for v in n["variants"]}
    lines = {}
    for each in trace["costs"]:
        variant = variants[each["network"], tuple(each["input"])]
        fixed_s, per_sample_s = line(each["batches"])
        lines[each["network"]] = fixed_s, PASSES * forward_flop(variant, each["network"]) / per_sample_s
    return lines


def core_cost(name, variant, conv, gain, lines):
    """A socket's cost of a variant, from a core's."""
    fixed_s, rate = lines[name]
    per_sample_s = PASSES * forward_flop(variant, name) / (rate * conv / lines["resnet50"][1])
    return batches_of(name, variant, fixed_s / gain, per_sample_s)


def family_rate(name, conv, bert):
    family = FAMILIES[name]
    if family == "bert":
        return bert
    return conv * (family if isinstance(family, float) else relative(family))


def rounded(seconds):
    """Six significant digits: enough for an estimate, and free of platform-dependent last bits."""
    return round(seconds, 5 - math.floor(math.log10(seconds)))


def batches_of(name, variant, fixed_s, per_sample_s):
    return {"network": name, "input": variant["input"],
            "batches": [{"batch": b, "seconds": [rounded(fixed_s + b * per_sample_s)]} for b in BATCHES]}


def cost(name, variant, conv, bert):
    per_sample_s = PASSES * forward_flop(variant, name) / family_rate(name, conv, bert)
    fixed_s = overhead_s(sum(launches(layer, name, variant) for layer in variant["layers"]))
    return batches_of(name, variant, fixed_s, per_sample_s)


def method(device, conv, bert):
    spec = DEVICES[device]
    base = DEVICES[spec.get("of", device)]
    text = (f"seconds(b) = overhead + b * per_sample; overhead = 3 passes x layers x 10 us (x 28 steps in recurrent "
            f"layers), per_sample = 3 x forward FLOPs / rate. Rate {conv / 1e12:.4g} TFLOP/s for ResNet-50 from "
            f"{base['resnet50'][2]}; {bert / 1e12:.4g} TFLOP/s for transformers from {base['bert'][2]}. ")
    if "of" in spec:
        text += f"Both divided by {spec['slower']:.4g}: {spec['why']}. "
    text += ("Other networks relative to ResNet-50 as in timm's RTX 3090 AMP training benchmark (PyTorch 1.12): "
             + ", ".join(f"{n} {relative(n):.3g}" for n in TIMM if n != "resnet50")
             + " (WideResNet as wide_resnet50_2, ShuffleNetV2 as mobilenetv2_100); assumed: networks of few channels "
               "(ResNet-20, small CNN, GAN) 0.5, recurrent 0.1. A GAN's discriminator counts three times. Expect "
               "errors of a factor of two, more at small batches.")
    return text


def core_method(device, conv, lines):
    spec = DEVICES[device]
    base = DEVICES[spec["of"]]
    core = lines["resnet50"][1]
    return (f"seconds(b) = overhead + b * 3 x forward FLOPs / rate. Overhead and the networks' rates relative to ResNet-50 "
            f"({', '.join(f'{n} {rate / core:.3g}' for n, (_, rate) in sorted(lines.items()) if n != 'resnet50')}) are "
            f"those of one core of a Xeon with AVX-512, measured: traces/{MEASURED}.json ({core / 1e9:.3g} GFLOP/s on "
            f"ResNet-50). The socket's rate on ResNet-50, {conv / 1e12:.4g} TFLOP/s, is that of a V100 "
            f"({base['resnet50'][2]}) divided by {spec['slower']:.4g}: {spec['why']}. The overhead is divided by "
            f"{spec['overhead_gain']:.3g}, the socket's memory bandwidth (vendor) over {CORE_GB_PER_S:g} GB/s of a core "
            "(assumed). Expect errors of a factor of two, more at small batches.")


def dump(value, indent=0):
    """JSON with two spaces, lists and objects of plain values on one line where they fit."""
    line = json.dumps(value)
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    if not parts or (len(line) + indent <= 120 and not any(isinstance(part, dict) for part in parts)):
        return line
    pad = " " * (indent + 2)
    if isinstance(value, dict):
        body = ",\n".join(f"{pad}{json.dumps(k)}: {dump(v, indent + 2)}" for k, v in value.items())
        return "{\n" + body + "\n" + " " * indent + "}"
    return "[\n" + ",\n".join(pad + dump(v, indent + 2) for v in value) + "\n" + " " * indent + "]"


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description="Estimate cost traces from published training throughputs.")
    parser.add_argument("--networks", type=pathlib.Path, default=root / "models" / "networks")
    parser.add_argument("--out", type=pathlib.Path, default=root / "traces")
    args = parser.parse_args()

    # Others are estimated from devices' data sheets on demand (models/roofline.json).
    networks = [network for network in (json.loads(path.read_text()) for path in sorted(args.networks.glob("*.json")))
                if network["name"] in FAMILIES]
    by_name = {network["name"]: network for network in networks}
    resnet50 = [v for v in by_name.get("resnet50", {}).get("variants", []) if v["input"] == [3, 224, 224]]
    if not resnet50:
        sys.exit(f"estimate.py: {args.networks}/resnet50.json with a variant [3, 224, 224] is the anchor, not found")

    lines = measured_lines(json.loads((root / "traces" / f"{MEASURED}.json").read_text()), networks)
    unmeasured = sorted(set(by_name) - set(lines))
    if unmeasured:
        sys.exit(f"estimate.py: traces/{MEASURED}.json lacks {', '.join(unmeasured)}; its command says how to measure")

    for device, spec in DEVICES.items():
        conv, bert = rates(device, resnet50[0])
        if "measured" in spec:
            how = core_method(device, conv, lines)
            costs = [core_cost(n["name"], variant, conv, spec["overhead_gain"], lines) for n in networks for variant in n["variants"]]
        else:
            how = method(device, conv, bert)
            costs = [cost(n["name"], variant, conv, bert) for n in networks for variant in n["variants"]]
        trace = {
            "schema": "epochcast.trace/1",
            "name": f"estimated-{device}",
            "title": f"{spec['title']}: estimated from published throughputs",
            "source": {"grade": "estimated", "method": how},
            "device": device,
            "costs": costs,
        }
        path = args.out / f"estimated-{device}.json"
        path.write_text(dump(trace) + "\n")
        print(f"{path}: {len(trace['costs'])} costs")


if __name__ == "__main__":
    main()
