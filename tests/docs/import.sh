#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files that docs/import.md presumes: profiles of both ranks of a job, with shapes; its network, described; a platform file of one's own.
python3 -c "import torch" 2> /dev/null || { echo "no torch for $(readlink -f "$(command -v python3)"); install python3-torch"; exit 77; }
python3 - << 'END'
import gzip
import json

import torch

# PyTorch without Kineto, which recorded these, leaves out the shapes of operators.
for rank in ("rank0", "rank1"):
    with gzip.open(f"tests/analysis/data/cnn-{rank}.json.gz", "rt") as file:
        events = json.load(file)
    for event in events:
        if event["name"] == "aten::conv2d":
            event["args"] = {"Input Dims": [[64, 1, 28, 28], [6, 1, 5, 5]]}
    with gzip.open(f"{rank}.json.gz", "wt") as file:
        json.dump(events, file)

# As in tests/analysis/data/make_profiles.py.
network = torch.nn.Sequential(
    torch.nn.Conv2d(1, 6, 5, padding=2), torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Conv2d(6, 16, 5), torch.nn.ReLU(),
    torch.nn.MaxPool2d(2), torch.nn.Flatten(), torch.nn.Linear(400, 120), torch.nn.ReLU(), torch.nn.Linear(120, 10))
torch.jit.script(network).save("my-network.pt")
END
epochcast describe my-network.pt --input 1,28,28 --output my-network.json
cp models/platforms/deep-est-esb.json my-cluster.json
