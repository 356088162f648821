# SPDX-License-Identifier: Apache-2.0
"""What formulas without an experience of clusters forecast, seconds of a step or a collective."""
import large_batch
import translate


def base_step(data, row):
    """The step of the given row with the most devices, of the same job if there is one, in the asked row's batch."""
    if "peers" in row:
        return large_batch.plain_step(data, row)
    workload = next(w for w in data["workloads"] if w["id"] == row["workload"])
    rows = [r for r in data["given"] if r["workload"] == row["workload"] and r.get("measured")
            and (not r.get("known") or r.get("calibration")) and translate.is_training(r) and r["devices"] <= row["devices"]]
    same = [r for r in rows if translate.same_job(r, row)] or rows
    if not same:
        return None
    given = max(same, key=lambda r: r["devices"])
    per_device = translate.samples_of(given, workload) / given["devices"]
    return translate.step_s(given, workload, given["measured"]) * (
        translate.samples_of(row, workload) / row["devices"] / per_device)


def exchanged_bytes(data, row):
    if "bytes" in row:
        return row["bytes"]
    workload = next(w for w in data["workloads"] if w["id"] == row["workload"])
    return workload["parameters"] * workload["gradient_bytes_per_parameter"]


def ring(data, row, share):
    hardware = data["hardware"]
    rate = row.get("network_bytes_per_s") or hardware["network_bytes_per_s"] * share
    if row["nodes"] == 1:
        rate = hardware["node_bytes_per_s"]
    return 2 * (row["devices"] - 1) / row["devices"] * exchanged_bytes(data, row) / rate if rate else None


def linear(data, row):
    return base_step(data, row) if translate.is_training(row) else None


def ring_bound(data, row, share=1.0):
    exchange = ring(data, row, share)
    if not translate.is_training(row):
        return exchange
    base = base_step(data, row)
    return base + exchange if base and exchange else base


def divided_ring_bound(data, row):
    return ring_bound(data, row, 1 / data["hardware"]["devices_per_node"])


def hidden_ring_bound(data, row):
    base = base_step(data, row) if translate.is_training(row) else None
    exchange = ring(data, row, 1.0)
    return max(base, base / 3 + exchange) if base and exchange else ring_bound(data, row)


FORMULAS = {"linear": linear, "ring": ring_bound, "divided ring": divided_ring_bound, "hidden ring": hidden_ring_bound}
