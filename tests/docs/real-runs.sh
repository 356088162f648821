#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files that docs/real-runs.md presumes: CIFAR-10's files (of noise), photos in folders by class, weights that PyTorch has saved.
set -e
python3 -c "import torchvision, PIL" 2> /dev/null ||
  { echo "no torchvision for $(readlink -f "$(command -v python3)"); install python3-torchvision and python3-pil"; exit 77; }
python3 "$(dirname "$0")/photos.py" 4 1
python3 - << 'END'
import pathlib

import numpy as np
import torch
import torchvision

folder = pathlib.Path("cifar-10-batches-bin")
folder.mkdir()
random = np.random.default_rng(0)
for name in [*(f"data_batch_{i}.bin" for i in range(1, 6)), "test_batch.bin"]:
    images = random.integers(0, 256, (10000, 1 + 3 * 32 * 32), dtype="uint8")
    images[:, 0] %= 10
    images.tofile(folder / name)
torch.save(torchvision.models.resnet50().state_dict(), "resnet50.pt")
END
