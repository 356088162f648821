#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tensors beside this file, as PyTorch's and NumPy's users write them (Debian: python3-torch, python3-numpy; run
it with /usr/bin/python3).
"""
import os

import numpy
import torch

os.chdir(os.path.dirname(os.path.abspath(__file__)))


class Hostile:
    """Runs a program when it is unpickled."""

    def __reduce__(self):
        return os.system, ("touch epochcast-was-here",)


numbers = torch.arange(12, dtype=torch.float32).view(4, 3)
torch.save(numbers, "plain.pt")
torch.save(torch.nn.Parameter(numbers), "parameter.pt")
torch.save(numbers[1:3], "rows.pt")
torch.save(numbers.t(), "transposed.pt")
torch.save(torch.tensor([3, -1, 2]), "int64.pt")
torch.save(numbers.bfloat16(), "bfloat16.pt")
torch.save(numbers.to_sparse(), "sparse.pt")
torch.save({"x": numbers}, "dictionary.pt")
torch.save([numbers], "list.pt")
torch.save(Hostile(), "hostile.pt")
torch.save(numbers, "legacy.pt", _use_new_zipfile_serialization=False)
numpy.save("half.npy", numpy.array([[0.5, -2, 65504], [6e-8, numpy.inf, 0]], dtype="f2"))
numpy.save("columns.npy", numpy.asfortranarray(numpy.ones((4, 3))))
numpy.save("objects.npy", numpy.array([Hostile()], dtype=object), allow_pickle=True)
numpy.savez("several.npz", x=numpy.ones(3))
