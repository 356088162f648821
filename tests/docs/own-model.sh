#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files that docs/own-model.md presumes: photos in folders by class, images and labels of one's own, a text, a language model.
python3 -c "import torch, torchvision, PIL" 2> /dev/null ||
  { echo "no torchvision for $(readlink -f "$(command -v python3)"); install python3-torchvision and python3-pil"; exit 77; }
python3 "$(dirname "$0")/photos.py" 32 8
python3 - << 'END'
import pathlib

import numpy as np
import torch

random = np.random.default_rng(0)
for folder in ("mine", "text"):
    pathlib.Path(folder).mkdir()
np.save("mine/inputs.npy", random.normal(size=(1200, 3, 32, 32)).astype("float32"))
np.save("mine/targets.npy", np.arange(1200) % 10)
random.integers(0, 65, 70000).astype("uint16").tofile("text/train.bin")
random.integers(0, 65, 1000).astype("uint16").tofile("text/val.bin")
torch.jit.script(torch.nn.Sequential(torch.nn.Embedding(65, 65))).save("model.pt")  # scores of the next token by the last one
END
# As if it had been measured on an A100.
epochcast measure batches --network resnet20 --dataset cifar10 --batch 8 --max-samples 30 --device-name a100-80gb-sxm --precision bfloat16 --output my-a100.json
