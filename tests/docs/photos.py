#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A folder `photos` as pages of the documentation presume it: images of four trees, by colour, in folders by class.

Usage: photos.py TRAIN VAL   (images of each class)
"""
import pathlib
import sys

import numpy as np
from PIL import Image

COLOURS = {"birch": (200, 190, 170), "maple": (190, 90, 50), "oak": (110, 120, 50), "pine": (40, 90, 70)}

random = np.random.default_rng(0)
for half, count in zip(("train", "val"), sys.argv[1:]):
    for tree, colour in COLOURS.items():
        folder = pathlib.Path("photos", half, tree)
        folder.mkdir(parents=True)
        for i in range(int(count)):
            pixels = np.clip(np.array(colour) + random.normal(0, 40, (80, 100, 3)), 0, 255)
            Image.fromarray(pixels.astype("uint8")).save(folder / f"{i}.jpg")
