#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a residual network with PyTorch's DistributedDataParallel over gloo, one thread a process.

Prints {"parameters": ..., "iteration_s": [...]} of the first process. Samples are CIFAR-10 records
held in memory as bytes; a batch is gathered, converted and normalised, as `epochcast train` does.
"""
import argparse
import json
import os
import pathlib
import tempfile
import time

import torch
import torch.distributed
import torch.multiprocessing
from torch import nn
from torch.nn.parallel import DistributedDataParallel

RECORD_BYTES = 1 + 3 * 32 * 32


def convolution(inputs, outputs, kernel, stride=1):
    return nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False)


class Block(nn.Module):
    """Two 3x3 convolutions, around which the input is led and added."""

    def __init__(self, inputs, outputs, stride, has_padded_shortcut):
        super().__init__()
        self.stride = stride
        self.padding = outputs - inputs
        self.conv1 = convolution(inputs, outputs, 3, stride)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = convolution(outputs, outputs, 3)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = None
        if stride != 1 and not has_padded_shortcut:
            self.downsample = nn.Sequential(
                convolution(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs)
            )

    def shortcut(self, values):
        if self.downsample is not None:
            return self.downsample(values)
        if self.stride == 1:
            return values
        before = self.padding // 2
        subsampled = values[:, :, :: self.stride, :: self.stride]
        return nn.functional.pad(subsampled, (0, 0, 0, 0, before, self.padding - before))

    def forward(self, values):
        output = self.bn1(self.conv1(values)).relu_()
        output = self.bn2(self.conv2(output))
        output += self.shortcut(values)
        return output.relu_()


class ResNet(nn.Module):
    """He et al., CVPR 2016, for images of 32x32: section 4.2, or table 1 with a 3x3 stem."""

    def __init__(self, blocks, width, has_padded_shortcuts):
        super().__init__()
        self.conv1 = convolution(3, width, 3)
        self.bn1 = nn.BatchNorm2d(width)
        layers = []
        inputs = width
        for stage, count in enumerate(blocks):
            for i in range(count):
                stride = 2 if stage > 0 and i == 0 else 1
                layers.append(Block(inputs, width << stage, stride, has_padded_shortcuts))
                inputs = width << stage
        self.layers = nn.Sequential(*layers)
        self.fc = nn.Linear(inputs, 10)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, samples):
        output = self.bn1(self.conv1(samples)).relu_()
        output = self.layers(output)
        return self.fc(nn.functional.adaptive_avg_pool2d(output, (1, 1)).flatten(1))


NETWORKS = {
    "resnet20": lambda: ResNet([3, 3, 3], 16, has_padded_shortcuts=True),
    "resnet18": lambda: ResNet([2, 2, 2, 2], 64, has_padded_shortcuts=False),
}


class Samples:
    """The records of CIFAR-10's training files in a folder."""

    def __init__(self, folder):
        files = sorted(pathlib.Path(folder).glob("data_batch_*.bin"))
        data = bytearray(b"".join(file.read_bytes() for file in files))
        records = torch.frombuffer(data, dtype=torch.uint8).view(-1, RECORD_BYTES)
        self.labels = records[:, 0].long()
        self.images = records[:, 1:].reshape(-1, 3, 32, 32).contiguous()
        values = self.images.float()
        self.mean = values.mean((0, 2, 3)).view(1, 3, 1, 1)
        self.deviation = values.std((0, 2, 3)).view(1, 3, 1, 1)

    def batch(self, indices):
        images = self.images.index_select(0, indices).float()
        return images.sub_(self.mean).div_(self.deviation), self.labels.index_select(0, indices)


def train(rank, arguments, meeting_point):
    torch.set_num_threads(arguments.threads)
    torch.distributed.init_process_group(
        "gloo", init_method="file://" + meeting_point, rank=rank, world_size=arguments.ranks
    )
    samples = Samples(arguments.data)
    torch.manual_seed(1)
    network = NETWORKS[arguments.network]()
    lean = {"broadcast_buffers": False, "gradient_as_bucket_view": True}
    model = DistributedDataParallel(network, **(lean if arguments.lean else {}))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    share = torch.Generator().manual_seed(1)
    iteration_s = []
    order = torch.empty(0, dtype=torch.int64)
    for _ in range(arguments.iterations):
        start = time.perf_counter()
        if len(order) < arguments.batch:
            order = torch.randperm(len(samples.labels), generator=share)[rank :: arguments.ranks]
        images, labels = samples.batch(order[: arguments.batch])
        order = order[arguments.batch :]
        loss = nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        iteration_s.append(time.perf_counter() - start)
    if rank == 0:
        parameters = sum(each.numel() for each in network.parameters())
        print(json.dumps({"parameters": parameters, "iteration_s": iteration_s}))
    torch.distributed.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--network", choices=sorted(NETWORKS), required=True)
    parser.add_argument("--data", required=True, help="folder with data_batch_*.bin")
    parser.add_argument("--batch", type=int, default=32, help="samples per process")
    parser.add_argument("--iterations", type=int, default=50)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument(
        "--lean", action="store_true", help="no broadcast of buffers, gradients as views of buckets"
    )
    arguments = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", str(arguments.threads))
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(
            train, (arguments, os.path.join(folder, "meeting-point")), arguments.ranks
        )


if __name__ == "__main__":
    main()
