# SPDX-License-Identifier: Apache-2.0
"""Learning curves, as `epochcast rehearse --format json` and `train --metrics` write them."""


def seconds_to(curve, target):
    """Of the first crossing of an accuracy, interpolated; None when there is none."""
    before_s = before = 0.0
    for point in curve:
        now = point["test_accuracy"]
        if now >= target:
            share = (target - before) / (now - before) if now > before else 1
            return before_s + max(0, share) * (point["training_s"] - before_s)
        before_s, before = point["training_s"], now
    return None
