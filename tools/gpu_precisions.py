#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training throughput of one GPU by precision, for `epochcast calibrate --roofline`: forward, backward and SGD step of
networks of torchvision, timm and transformers, samples already on the device. `plain` is PyTorch's eager mode with
contiguous tensors; `tuned` has channels last and the fused optimizer, `compiled` torch.compile besides. Writes rows of
epochcast.throughput/1 after each network, so that a run that is cut short keeps what it has."""
import argparse
import datetime
import gc
import json
import statistics
import time

import torch
from torch import nn

IMAGE = [3, 224, 224]
TOKENS = 384
PRECISIONS = {"float32": None, "tf32": None, "float16": torch.float16, "bfloat16": torch.bfloat16}


class QuestionAnswering(nn.Module):
    """BERT with a span head and its loss."""

    def __init__(self, **sizes):
        super().__init__()
        from transformers import BertConfig, BertForQuestionAnswering
        self.model = BertForQuestionAnswering(BertConfig(**sizes))

    def forward(self, tokens, labels):
        return self.model(input_ids=tokens, start_positions=labels, end_positions=labels).loss


class Classifier(nn.Module):
    """An image network with the cross-entropy of its classes."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, images, labels):
        return nn.functional.cross_entropy(self.model(images).float(), labels)


def torchvision_model(name):
    import torchvision
    return Classifier(getattr(torchvision.models, name)(weights=None))


def timm_model(name):
    import timm
    return Classifier(timm.create_model(name, pretrained=False))


# Name in models/networks -> builder, batch sizes.
NETWORKS = {
    "resnet50": (lambda: torchvision_model("resnet50"), [16, 64, 128, 256]),
    "bert-base": (lambda: QuestionAnswering(), [8, 48, 96]),
    "bert-large": (lambda: QuestionAnswering(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16,
                                             intermediate_size=4096), [8, 48]),
    "vit-b": (lambda: timm_model("vit_base_patch16_224"), [16, 128]),
    "resnet18": (lambda: torchvision_model("resnet18"), [32, 256]),
    "efficientnet-b0": (lambda: timm_model("efficientnet_b0"), [32, 256]),
    "resnext101-32x4d": (lambda: timm_model("resnext101_32x4d"), [64, 128]),
    "vgg16": (lambda: torchvision_model("vgg16"), [32, 128]),
    "resnet101": (lambda: torchvision_model("resnet101"), [32, 128]),
    "densenet121": (lambda: torchvision_model("densenet121"), [32, 128]),
    "vit-s": (lambda: timm_model("vit_small_patch16_224"), [32, 256]),
    "mobilenetv2": (lambda: torchvision_model("mobilenet_v2"), [32, 256]),
    "convnext-tiny": (lambda: timm_model("convnext_tiny"), [32, 128]),
    "wide-resnet-50-2": (lambda: torchvision_model("wide_resnet50_2"), [32, 128]),
    "resnet34": (lambda: torchvision_model("resnet34"), [32, 256]),
    "shufflenetv2-1x": (lambda: torchvision_model("shufflenet_v2_x1_0"), [32, 256]),
}


def batch_seconds(build, batch, precision, kernels, device, seconds):
    """Median seconds of a batch."""
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    torch.backends.cudnn.allow_tf32 = precision == "tf32"
    torch.backends.cudnn.benchmark = True
    with device:  # its parameters are drawn there
        model = build().to(device).train()
    is_image = not isinstance(model, QuestionAnswering)
    is_tuned = kernels != "plain"
    if is_tuned and is_image:
        model = model.to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, fused=is_tuned or None)
    if is_image:
        samples = torch.randn(batch, *IMAGE, device=device)
        if is_tuned:
            samples = samples.contiguous(memory_format=torch.channels_last)
        labels = torch.randint(0, 1000, (batch,), device=device)
    else:
        samples = torch.randint(0, 30000, (batch, TOKENS), device=device)
        labels = torch.randint(0, TOKENS, (batch,), device=device)
    compiled = torch.compile(model, dynamic=False) if kernels == "compiled" else model
    half = PRECISIONS[precision]
    scaler = torch.amp.GradScaler(enabled=half == torch.float16)

    def step():
        with torch.autocast("cuda", dtype=half or torch.float16, enabled=half is not None):
            loss = compiled(samples, labels)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)

    for _ in range(4):
        step()
    torch.cuda.synchronize()
    times = []
    end = time.perf_counter() + seconds
    while len(times) < 5 or (time.perf_counter() < end and len(times) < 60):
        start = time.perf_counter()
        for _ in range(2):
            step()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - start) / 2)
    peak = torch.cuda.max_memory_allocated()
    return statistics.median(times), peak


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device-name", required=True, help="of models/devices, for example h100-sxm")
    parser.add_argument("--machine", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--seconds", type=float, default=0.8, help="of timing for each row")
    parser.add_argument("--limit", type=float, default=1e9, help="seconds after which no network is begun")
    parser.add_argument("--kernels", choices=["plain", "tuned", "compiled"], default="plain")
    parser.add_argument("--largest", action="store_true", help="only the largest batch of each network")
    parser.add_argument("--networks", default=",".join(NETWORKS))
    parser.add_argument("--precisions", default=",".join(PRECISIONS))
    options = parser.parse_args()
    device = torch.device(options.device)
    began = time.monotonic()
    rows = []
    for name in options.networks.split(","):
        if time.monotonic() - began > options.limit:
            print(f"{name}: left out, time is up", flush=True)
            continue
        build, batches = NETWORKS[name]
        for precision in options.precisions.split(","):
            for batch in batches[-1:] if options.largest else batches:
                torch.cuda.reset_peak_memory_stats()
                try:
                    seconds, peak = batch_seconds(build, batch, precision, options.kernels, device, options.seconds)
                except torch.cuda.OutOfMemoryError:
                    print(f"{name}, {precision}, batch {batch}: out of memory", flush=True)
                    continue
                except Exception as error:  # one row that does not run leaves the others
                    print(f"{name}, {precision}, batch {batch}: {type(error).__name__}: {str(error)[:300]}", flush=True)
                    continue
                finally:
                    gc.collect()
                    torch.cuda.empty_cache()
                rows.append({
                    "device": options.device_name, "network": name,
                    "input": [TOKENS] if name.startswith("bert") else IMAGE, "precision": precision,
                    "kernels": "plain" if options.kernels == "plain" else "tuned", "batch": batch,
                    "samples_per_second": [float(f"{batch / seconds:.4g}")], "peak_bytes": peak,
                    "reference": f"tools/gpu_precisions.py --kernels {options.kernels}"})
                print(f"{name}, {precision}, batch {batch}: {batch / seconds:.1f} samples/s, {peak / 2**30:.1f} GiB", flush=True)
        torch.compiler.reset()
        with open(options.output, "w", encoding="utf-8") as out:
            source = {"grade": "measured", "machine": options.machine, "date": datetime.date.today().isoformat(),
                      "command": f"tools/gpu_precisions.py --kernels {options.kernels}",
                      "versions": {"torch": torch.__version__, "cuda": torch.version.cuda or "none"}}
            json.dump({"schema": "epochcast.throughput/1", "title": f"Training throughput of {options.device_name} by precision",
                       "source": source, "rows": rows}, out, indent=1)


if __name__ == "__main__":
    main()
