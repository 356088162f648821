# SPDX-License-Identifier: Apache-2.0
"""Hivemind's rows as rounds of a rows file.

How much collecting gradients slows a peer is stated for two networks. The assumption for all: after each micro-batch the
host copies and adds the gradients, whose time grows with parameters, and a micro-batch that fills the device's memory
takes about as long for each network. So a sample takes 1 + c parameters times as long as in plain training. The two
figures agree on c within 8 % of their geometric mean, which is taken. Networks that are larger than both lose the
geometric mean of what the largest loses and of what is in proportion. The figures are stated for a peer, whatever its
device: slow devices have small micro-batches, and slow hosts.
"""
import math
import re

STATED_NETWORKS = {"ResNet-152": 60_200_000, "ConvNeXt-Large": 197_800_000}
# Hivemind's documentation: 3 to 5 s for small local runs, 10 to 15 s over the internet.
MATCHMAKING = {"local": "5s", "internet": "12s"}
LAMB_BYTES = 56


def stated_shares(software):
    """{network: share of plain PyTorch's rate}, as the system's file states it."""
    return {name: float(re.search(r"(\d+) % (?:of plain PyTorch )?for " + name, software).group(1)) / 100
            for name in STATED_NETWORKS}


def loss_per_parameter(software):
    """Time that collecting adds, as a share of plain training, per parameter."""
    losses = [(1 / share - 1) / STATED_NETWORKS[name] for name, share in stated_shares(software).items()]
    return math.exp(sum(math.log(loss) for loss in losses) / len(losses))


def plain_rate(data, workload, device):
    rows = [r for r in data["given"] if r["workload"] == workload["id"] and r.get("device", data["hardware"]["device"]) == device]
    return rows[0]["measured"]


def slowdown(data, workload):
    """Time of a sample while gradients are collected, beside plain training."""
    largest = max(STATED_NETWORKS.values())
    parameters = workload["parameters"]
    # Beyond the stated networks: between no further loss and one in proportion.
    if parameters > largest:
        parameters = math.sqrt(largest * parameters)
    return 1 + loss_per_parameter(data["software"]) * parameters


def links(data, sites):
    """Streams between peers of these sites, one way."""
    stated = data["hardware"].get("links", {})
    found = []
    for key, value in stated.items():
        pair = key.split("-")
        if key != "unit" and set(pair) <= sites:
            found.append({"sites": pair, "bandwidth": f"{value[0]}Gbps", "latency": f"{value[1] / 2:.9g}ms"})
    if not stated:
        given = {m["kind"]: m["measured"] for m in data["network_given"]}
        found.append({"sites": ["local", "local"], "bandwidth": f"{given['iperf']}Gbps",
                      "latency": f"{given['ping'] / 2:.9g}ms"})
    return found


def round_of(data, workload, row):
    peers = [{"count": p["count"], "rate": plain_rate(data, workload, p["device"]),
              "slowdown": round(slowdown(data, workload), 4), "site": p.get("site", "local")}
             for p in row["peers"]]
    sites = {p["site"] for p in peers}
    return {"target-batch": workload["global_batch"], "parameters": workload["parameters"],
            "gradient": f"{workload['parameters'] * workload['gradient_bytes_per_parameter']}B",
            "optimizer-bytes-per-parameter": LAMB_BYTES,
            "matchmaking": MATCHMAKING["local" if len(sites) == 1 else "internet"],
            "delayed-updates": "delayed parameter updates" in data["software"],
            "peers": peers, "links": links(data, sites)}


def plain_step(data, row):
    """Seconds of a target batch if all peers trained plainly and exchanges were free."""
    workload = next(w for w in data["workloads"] if w["id"] == row["workload"])
    return workload["global_batch"] / sum(p["count"] * plain_rate(data, workload, p["device"]) for p in row["peers"])


def add_single_rates(data):
    """Speedups are over the given row of one device."""
    for row in data["asked"]:
        if row.get("unit") == "speedup over one device":
            row["single"] = next(r["measured"] for r in data["given"] if r["workload"] == row["workload"] and r["devices"] == 1)
    return data
