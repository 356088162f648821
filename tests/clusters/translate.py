# SPDX-License-Identifier: Apache-2.0
"""Published clusters as rows files of `epochcast calibrate` (docs/formats.md, epochcast.rows/1)."""
import json
import re
from pathlib import Path

import large_batch

ROOT = Path(__file__).resolve().parents[2]
# Parameters are averaged every H steps; parameters are exchanged with one peer.
PERIODIC = {"local-sgd", "diloco"}
GOSSIP = {"sgp", "decentralized-adam"}
STRATEGIES = {"sync", "byteps", "ps-sync", "none", "collective", "hivemind"} | PERIODIC | GOSSIP
# As the strategies `gossip` and `decentralized` have them.
GRAPHS = {("sgp", "one-peer exponential"): "directed", ("decentralized-adam", "one-peer exponential"): "pairs",
          ("decentralized-adam", "alternating exponential ring"): "node-pairs"}
# Memory traffic per parameter and average, beside the exchange: copies into one buffer and back, a division; DiLoCo
# also takes a difference and makes a step with momentum.
OUTER_BYTES = {"local-sgd": 24, "diloco": 60}

# Networks that models/networks lacks: parameter tensors, and parameters whose gradients are complete only at the end of
# backward (embeddings, also those that the output layer shares). Operations of a sample, if a row of one device is absent:
# 6 for each parameter and token.
NETWORKS = {
    "bert-base": {"tensors": 206, "last": 23_440_896},
    "bert-large": {"tensors": 398, "last": 31_254_528},
    "transformer-xl-base": {"tensors": 230, "last": 137_000_000},
    "transformer-xl-large": {"tensors": 260, "last": 37_000_000},
    "transformer-base": {"tensors": 257, "last": 19_005_440, "operations": 6 * 63_000_000},
    "llama-30m": {"tensors": 57, "last": 12_865_792},
    "resnet101": {"tensors": 314, "last": 0},
    "resnet152": {"tensors": 467, "last": 0},
    "resnet50": {"tensors": 161, "last": 0},
    "resnext50-32x4d": {"tensors": 161, "last": 0},
    "resnext101-32x8d": {"tensors": 314, "last": 0},
    "retinanet-resnext50": {"tensors": 210, "last": 0},
    "inception-v3": {"tensors": 290, "last": 0},
    "alexnet": {"tensors": 16, "last": 0},
    "vgg16": {"tensors": 32, "last": 0},
}
# Memory traffic per parameter and step: float32 states read and written, and one pass for clipping or unscaling.
OPTIMIZER_BYTES = {"SGD": 20, "SGD momentum": 20, "SGD/LARS": 36, "Adam": 36, "AdamW": 36, "LAMB": 56}
# Of a device's peak that training reaches (given rows of one device: 29 to 48 %).
REACHED_PEAK = 0.35
NUMBERS = {"one": 1, "two": 2, "four": 4, "eight": 8}


def expressible(row):
    return row["strategy"] in STRATEGIES


def device_facts(hardware):
    file = ROOT / "models" / "devices" / (hardware["device"] + ".json")
    return hardware.get("device_facts") or (json.loads(file.read_text()) if file.exists() else {})


def device_sample(hardware, workload):
    """Time of a sample from the device's data sheet, if the network's operations are known."""
    peak = device_facts(hardware).get("peak", {}).get(workload["precision"].split()[-1])
    operations = NETWORKS[workload["network"]].get("operations")
    if not peak or not operations:
        return None
    return f"{operations / (REACHED_PEAK * float(peak.removesuffix('Tflops')) * 1e12):.4g}s"


def rate(bytes_per_s):
    return f"{bytes_per_s:.9g}Bps"


def cluster_of(data):
    hardware = data["hardware"]
    network = hardware["network"]
    text = network + " " + hardware.get("notes", "")
    node = {"devices-per-node": hardware["devices_per_node"]}
    if hardware["node_bytes_per_s"]:
        node["node"] = rate(hardware["node_bytes_per_s"])
    if "no peer-to-peer" in hardware["node_interconnect"]:
        node["staged-in-node"] = True
    if hardware["network_bytes_per_s"]:
        node["network"] = rate(hardware["network_bytes_per_s"])
    found = re.match(r"(\d+) x ", network) or re.match(r"(one|two|four|eight) ", network)
    node["ports"] = (NUMBERS.get(found.group(1)) or int(found.group(1))) if found else 1
    if re.search(r"TCP|Ethernet", network):
        node["transport"] = "tcp"
    elif "GPUDirect RDMA is not mentioned" in text or "no peer-to-peer" in hardware["node_interconnect"]:
        node["transport"] = "staged"
    memory = device_facts(hardware).get("bandwidth")
    if memory:
        node["memory"] = memory
    return node


def measured_of(data):
    """Rates that the system's own benchmarks reach: the largest all-reduce."""
    messages = [m for m in data.get("network_given", []) if m["kind"].startswith("NCCL all-reduce")]
    if not messages:
        return {}
    return {"network": f"{max(messages, key=lambda m: m['bytes'])['measured']}Gbps"}


def row_value(row, workload, name, default=None):
    return row[name] if row.get(name) is not None else workload.get(name, default)


def batch_of(row, workload):
    if row_value(row, workload, "global_batch"):
        return row_value(row, workload, "global_batch") / row["devices"]
    return row_value(row, workload, "batch_per_device")


def samples_of(row, workload):
    accumulation = row_value(row, workload, "accumulation", 1)
    return batch_of(row, workload) * (accumulation if isinstance(accumulation, int) else 1) * row["devices"]


def step_s(row, workload, value):
    """A measured or forecast value of the row's unit as seconds of a step; from_step() is the inverse."""
    samples = samples_of(row, workload)
    unit = row["unit"]
    if unit == "samples/s":
        return samples / value
    if unit == "speedup over one device":
        return samples / (value * row["single"])
    if unit == "tokens/s":
        return samples * workload["tokens_per_sample"] / value
    if unit == "s per epoch":
        return value * samples / row_value(row, workload, "epoch_samples")
    if unit == "s per iteration":
        return value
    if unit in ("ms per iteration", "ms"):
        return value / 1000
    raise ValueError(row["id"] + ": unit " + unit)


def from_step(row, workload, seconds):
    unit = row["unit"]
    if unit in ("samples/s", "tokens/s", "speedup over one device"):
        return step_s(row, workload, 1.0) / seconds
    return seconds / step_s(row, workload, 1.0)


def job_overlap(row):
    bucket = row.get("bucket", "")
    # Servers over gRPC: pushes go on during backward, pulls do not.
    if "parameter_servers" in row:
        return "unknown"
    if row.get("overlap") is True or (row["strategy"] == "ps-sync" and "overlap" not in row):
        return "priority" if "priority" in bucket else "tensor" if re.search("per tensor|tensor by", bucket) else "bucket"
    return "none" if row.get("overlap") is False else "unknown"


def job_of(data, workload, row):
    software = data["software"] + " " + workload.get("notes", "")
    network = NETWORKS[workload["network"]]
    bytes_each = workload["gradient_bytes_per_parameter"]
    job = {"parameters": workload["parameters"],
           "gradient": f"{workload['parameters'] * bytes_each}B",
           "tensors": network["tensors"],
           "last-gradient": f"{network['last'] * bytes_each}B",
           "optimizer-bytes-per-parameter": OPTIMIZER_BYTES.get(workload.get("optimizer", "SGD"), 20)}
    if workload.get("gradient_bytes_grade") == "assumed":
        job["gradient-assumed"] = True
    # Parameter servers on all machines, each fed with its machine's sum, are BytePS's exchange.
    if row["strategy"] == "byteps" or row["strategy"] == "ps-sync" and "summed on the GPUs of a machine" in software:
        job["exchange"] = "byteps"
    elif row["strategy"] == "ps-sync":
        job["exchange"] = "grpc" if "gRPC" in software else "parameter-server"
    else:
        # NCCL 2.4 has trees for small messages only.
        job["exchange"] = "ring" if "NCCL 2.4" in software else "nccl"
    if row["strategy"] in PERIODIC:
        job["gradient"] = f"{4 * workload['parameters']}B"
        job["outer-bytes-per-parameter"] = OUTER_BYTES[row["strategy"]]
    bucket = row.get("bucket", "")
    job["overlap"] = job_overlap(row)
    horovod = row.get("variant") == "horovod" or "Horovod" in workload.get("notes", "")
    job["bucket"] = "4MiB" if "partitions" in bucket else "16MB" if "up to 16 MB" in software and "oneflow" in \
        workload["id"] else "64MiB" if horovod else "25MiB"
    # A rule that merges tensors where that hides more: few messages, and a short last one.
    if "merged" in bucket:
        job["overlap"], job["tensors"] = "tensor", 10
    # Transformers start some 12 kernels for each parameter tensor, convolutional networks and fused ones 3.
    is_transformer = workload["network"].startswith(("bert", "transformer", "llama"))
    is_fused = "distributed fused LAMB" in data["software"]
    job["kernels"] = network["tensors"] * (3 if not is_transformer or is_fused else 12)
    if device_sample(data["hardware"], workload):
        job["device-sample"] = device_sample(data["hardware"], workload)
    if "find_unused_parameters" in software:
        job["distributed-step"] = f"{job['kernels'] * 3}us"
    if re.search("real ImageNet|DALI, ImageNet", software):
        job["node-sample"] = "4us"
    if "TensorFlow 1" in software:
        job["optimizer-bytes-per-parameter"] *= 2
    if "sharded optimizer" in data["software"] and workload.get("optimizer") == "LAMB":
        job["sharded-optimizer"] = True
    return job


def is_training(row):
    return row["strategy"] != "collective" and "collective" not in row


def is_shaped(row):
    return bool(row.get("network_bytes_per_s"))


def same_job(row, other):
    return all(row.get(k) == other.get(k) for k in ("strategy", "variant", "overlap", "bucket"))


def measured_rows(data, workload, row):
    """The given rows that a forecast of `row` may use: those of its job, and what other jobs of the workload have instead."""
    rows = [r for r in data["given"] if r["workload"] == workload["id"] and r.get("measured") and is_training(r)]
    if row["strategy"] in GOSSIP:
        return [r for r in rows if r["strategy"] == "sync"], []
    if row["strategy"] in PERIODIC:
        return [r for r in rows if r["devices"] == 1 or r["strategy"] in PERIODIC and is_shaped(r) == is_shaped(row)], []
    same = [r for r in rows if same_job(r, row)]
    others = [r for r in rows if not same_job(r, row)]
    if not any(r["devices"] == 1 for r in same):
        same += [r for r in others if r["devices"] == 1][:1]
    if not any(r["nodes"] == 1 and r["devices"] > 1 for r in same):
        same += [r for r in others if r["nodes"] == 1 and r["devices"] > 1][:1]
    after = [r for r in rows if job_overlap(row) != "none" and r["strategy"] == row["strategy"] and r not in same
             and r["nodes"] == 1 and r["devices"] > 1 and r.get("overlap") is False]
    return same, after[:1] if any(same_job(r, row) and r["nodes"] == 1 and r["devices"] > 1 for r in same) else []


def without_batch(workload):
    return re.sub(r"-b\d+", "", workload)


def sibling_rows(data, workload, row):
    """The same job with other batches per device."""
    workloads = {w["id"]: w for w in data["workloads"]}
    return [(r, workloads[r["workload"]]) for r in data["given"]
            if r["workload"] != workload["id"] and without_batch(r["workload"]) == without_batch(workload["id"])
            and same_job(r, row) and r.get("measured")]


def like_rows(data, workload, row):
    """Groups of rows of the same network and precision, if a group has several batches per device."""
    groups = []
    for other in data["workloads"]:
        if other["id"] == workload["id"] or any(other.get(k) != workload.get(k) for k in ("network", "precision")):
            continue
        rows = [r for r in data["given"] if r["workload"] == other["id"] and same_job(r, row) and r.get("measured")]
        if len({batch_of(r, other) for r in rows}) > 1:
            groups.append([measured_json(r, other) for r in rows])
    return groups


def row_json(row, workload):
    accumulation = row_value(row, workload, "accumulation", 1)
    found = {"nodes": row["nodes"], "devices": max(1, row["devices"] // row["nodes"]), "batch": batch_of(row, workload),
             "accumulation": accumulation if isinstance(accumulation, int) else 1}
    if row.get("network_bytes_per_s"):
        found["network"] = rate(row["network_bytes_per_s"])
    if row.get("parameter_servers"):
        found["servers"] = row["parameter_servers"]
    if row["strategy"] in PERIODIC:
        window = row["window"]
        found["exchanges"] = window["exchanges"] / (window["steps"] - window["dropped"])
    if row["strategy"] in GOSSIP:
        found.update({"exchange": "peer", "overlap": "bucket" if row["overlap"] else "none",
                      "graph": GRAPHS[row["strategy"], row["topology"]]})
    return found


def measured_json(row, workload):
    return dict(row_json(row, workload), step=f"{step_s(row, workload, row['measured']):.9g}s")


def collective_json(row):
    kind = {"reduce + broadcast": "central-server", "all-to-all + all-gather": "sharded-servers"}
    return {"library": row["library"], "collective": kind.get(row["collective"], row["collective"]),
            "size": f"{row['bytes']}B", "nodes": row["nodes"], "latency": f"{row['latency_s']:.9g}s",
            "bandwidth": rate(row["network_bytes_per_s"])}


def questions(data, asked=None):
    """(rows file, asked rows) for every job of the system."""
    workloads = {w["id"]: w for w in data["workloads"]}
    asked = [r for r in (data["asked"] if asked is None else asked) if expressible(r)]
    jobs = {}
    for row in asked:
        key = "collectives" if not is_training(row) else json.dumps(
            [row["workload"]] + [row.get(k) for k in ("strategy", "variant", "overlap", "bucket")] +
            [row["strategy"] in PERIODIC and is_shaped(row)])
        jobs.setdefault(key, []).append(row)
    for key, rows in jobs.items():
        document = {"schema": "epochcast.rows/1", "cluster": cluster_of(data)}
        if key == "collectives":
            document["messages"] = [
                {"library": m["library"], "size": f"{m['bytes']}B", "time": f"{m['measured'] / 1000:.9g}s",
                 "latency": f"{m['latency_s']:.9g}s", "bandwidth": rate(m["network_bytes_per_s"])}
                for m in data.get("network_given", [])]
            document["collectives"] = [collective_json(r) for r in rows]
        elif rows[0]["strategy"] == "hivemind":
            document["rounds"] = [large_batch.round_of(data, workloads[r["workload"]], r) for r in rows]
        else:
            workload = workloads[rows[0]["workload"]]
            same, after = measured_rows(data, workload, rows[0])
            document["job"] = job_of(data, workload, same[0] if rows[0]["strategy"] in GOSSIP else rows[0])
            # An all-reduce without a shaped link is limited by connections, one with it by the link.
            if measured_of(data) and not (rows[0]["strategy"] in PERIODIC and is_shaped(rows[0])):
                document["measured"] = measured_of(data)
            document["rows"] = [measured_json(r, workload) for r in same] + [
                dict(measured_json(r, workload), overlap="none") for r in after] + [
                measured_json(r, w) for r, w in sibling_rows(data, workload, rows[0])]
            like = like_rows(data, workload, rows[0])
            if like:
                document["like"] = like
            document["forecast"] = [row_json(r, workload) for r in rows]
        yield document, rows
