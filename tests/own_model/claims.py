# SPDX-License-Identifier: Apache-2.0
"""What the checks of this folder have in common: commands of epochcast, and claims about them."""
import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import torch
except ImportError as error:
    print(f"skipped: {error}; install python3-torch")
    sys.exit(77)

EPOCHCAST = os.path.abspath(sys.argv[1])


def run(*words, folder, status=0):
    """What the command printed; of one that is to fail, its errors."""
    done = subprocess.run([EPOCHCAST, *map(str, words)], cwd=folder, text=True, capture_output=True)
    if done.returncode != status:
        sys.exit(f"{' '.join(map(str, words))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stderr if status else done.stdout


def save(model, file):
    torch.jit.script(model).save(str(file))


def check(name, holds, text):
    print(f"{'ok  ' if holds else 'FAIL'} {name}: {text}")
    return holds


def elements(shape, classes):
    count = 1
    for size in shape:
        count *= classes if size == "classes" else size
    return count


def parameters_of(variant, classes=0):
    return sum(elements(shape, classes) for layer in variant["layers"] for _, shape in layer["tensors"])


def variant_in(file):
    return json.loads(file.read_text())["variants"][0]


def name_of(each):
    """Its first argument, or what follows "check_" in its own name."""
    return each.args[0] if isinstance(each, functools.partial) else each.__name__.removeprefix("check_")


def report(checks):
    """Ends with 0 if all claims hold that the functions make, or those of the names behind EPOCHCAST on the command line."""
    names = sys.argv[2:]
    if unknown := set(names) - set(map(name_of, checks)):
        sys.exit(f"no check is named {', '.join(sorted(unknown))}; there are {', '.join(map(name_of, checks))}")
    checks = [each for each in checks if not names or name_of(each) in names]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        results = [each(folder) for each in checks]
    print("a line for each claim above; FAIL where one does not hold")
    sys.exit(0 if all(results) else 1)
