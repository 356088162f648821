# SPDX-License-Identifier: Apache-2.0
"""docs/clusters.md and its plots."""
import statistics

import formulas
import large_batch
import translate

DOCS = translate.ROOT / "docs"
INTRODUCTION = """# Published clusters, forecast from one node
What somebody knows before buying a cluster is the rate of one device and of one full node. These are forecasts of {rows}
larger configurations of {systems} published systems from such rows. The systems' files state hardware, software and
rows; measured values of the forecast rows were neither in them nor looked up. `make clusters` repeats every forecast,
and `make test` checks that they are complete and those of the program.

A cell is the forecast in the unit of its table and, in parentheses, how far 90 % of measurements should lie from it.
"Beside formulas" counts the table's configurations whose forecast differs from a formula by more than 5 %. Formulas are
linear scaling, the ring bound with a node's whole network and with a part for each device, and the first ring bound
hidden behind two thirds of a batch.

## Assumptions of all systems
The model is described in [simulator](simulator.md#calibration-from-rows). Every figure below is a default of it.
- Rows of one node are given in most systems and hold exactly; a forecast adds what changes beyond them.
- Gradients: as the file states. Overlap: as the file states; "unknown" counts as the mean of hidden and not hidden.
- The optimizer moves 20 bytes per parameter (SGD), 36 (Adam, LARS) or 56 (LAMB), twice as many in TensorFlow 1.
- A transformer starts 12 kernels for each parameter tensor and batch, a convolutional or fused network 3.
- Without a row of a full node: 4 us of a node per image that is loaded from disk, and 3 us per kernel for
  `find_unused_parameters`.
- Without a row of one device or node: 35 % of the device's peak, 6 operations per parameter and token.
- Servers over gRPC: half of a connection's rate; half of what is exchanged overlaps with backward.
- Links that are shaped, and other rows of a system with a measured all-reduce, reach its share of the nominal rate.
- DiLoCo and local SGD: after H steps an all-reduce of all parameters, not overlapped; a shaped link reaches 90 %.
- Gossip (SGP): devices, numbered node by node, send their parameters to the one at distance 1, 2, 4, ... in turn, after
  the step. Decentralized Adam averages during the next step: with the device whose number differs in one bit, or, on
  the alternating ring, among two nodes and within a node by turns.
- Hivemind: rounds of `large-batch` with delayed updates; the cost of collecting follows from two stated figures.
- NCCL 2.4 has no trees for large messages. An InfiniBand port reaches 85 % of its nominal rate, 8.5 GB/s if messages
  are staged in host memory. A TCP port reaches 90 %, at most two connections of 1.7 GB/s.

## Given rows, left out
Constants and widths of intervals were chosen from public sources and from given rows, these among them. Here a given
row is forecast from those of fewer devices of its workload, mostly a full node from one device: what a row of a node
adds.

"""
REMARKS = """- Nodes of 2080 Ti lose most of their time inside a node, in ways that only a row of a node shows.
- Mahti: formulas are nearer (ring 0.8 %). Since PyTorch 2.0 its fp32 nodes lose at most 2 %, so its devices vary less
  than the assumed 1.8 %; its fp16 nodes lose 5 to 10 %, likely as the host is late to feed their shorter batches.
- mlperf-dgx-a100 and mlperf-xe8545-a100-40gb: the divided ring is nearer (1.3 and 2.1 %). It counts a device's part of
  the network for all bytes, and is 19 % off on mlperf-r750xa-a100-pcie, so it is likely near by chance.
- The two DGX rows lie 2 % on opposite sides of their forecasts: full nodes differ by 3.2 % between software versions,
  eight nodes by 0.6 %.
- tf-k80-p2.8xlarge chose no constant and no width. The rows of nvidia-dgx-a100 accumulate 32 to 512 batches."""
EXTRAPOLATED = """Here a given row is forecast from smaller ones only: of fewer nodes, or of a smaller batch per device of
 the same network and job. The second check chose no constant; what it shows is not corrected either."""
MISSING = """- Fixed parts of a batch are the cause of the errors of larger batches. OneFlow's and PyTorch's BERT have less of it
  than 12 kernels for each tensor. TensorFlow's ResNet on K80 and the half-precision Transformer-XL have more.
- A row of another batch does not tell whether a node's loss grows with the batch (a loader) or not (contention).
- Not possible: a precision, a sequence length or a network of which no row is given. Time per sample does not follow
  from another job's."""


def job_name(row):
    parts = row["id"].split("/")[1:-1]
    return " ".join(parts)


def number(value):
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


def cell(forecast):
    low, high = (100 * (forecast[key] / forecast["forecast"] - 1) for key in ("low", "high"))
    return f"{number(forecast['forecast'])} ({low:+.0f} {high:+.0f} %)"


def table(rows, forecasts):
    columns = sorted({(r["nodes"], r["devices"]) for r in rows})
    lines = ["| job | unit | " + " | ".join(f"{n} x {d // n}" if d % n == 0 else f"{n} peers, {d} devices" for n, d in columns) + " |", "|---|---" + "|---" * len(columns) + "|"]
    jobs = {}
    for row in rows:
        jobs.setdefault((job_name(row), row["unit"]), {})[(row["nodes"], row["devices"])] = row
    for (job, unit), of_job in jobs.items():
        cells = [cell(forecasts[of_job[c]["id"]]) if c in of_job else "" for c in columns]
        lines.append(f"| {job} | {unit} | " + " | ".join(cells) + " |")
    return lines


def grade(rows, data):
    """What the forecasts rest on, in words."""
    if any("peers" in r for r in rows):
        return "assumed: single peers and their connections are given, and what collecting costs two networks"
    given = [r for r in data["given"] if r.get("measured")]
    has_node = any(r["nodes"] == 1 and r["devices"] > 1 for r in given)
    has_nodes = any(r["nodes"] > 1 for r in given) or data.get("network_given")
    if has_nodes:
        return "fitted: rows of several nodes or messages between nodes are given"
    if has_node:
        return "extrapolated: a full node is given, nothing of the network"
    return "assumed: one device is given, nothing of the node"


def plot(name, rows, forecasts, data):
    """Seconds of a step beside the smallest configuration of the job, over devices, with intervals."""
    width, height, left, top = 640, 300, 56, 16
    series = {}
    for row in rows:
        seconds = in_seconds(data, row, forecasts[row["id"]])
        series.setdefault(row["workload"] if "peers" in row else job_name(row), []).append((row["devices"], seconds))
    points = []
    for values in series.values():
        values.sort()
        first = values[0][1][0]
        points.append([(devices, [s / first for s in triple]) for devices, triple in values])
    devices = sorted({d for values in points for d, _ in values})
    most = max(v for values in points for _, triple in values for v in triple)
    least = min(v for values in points for _, triple in values for v in triple)
    x_of = {d: left + (i + 0.5) * (width - left - 12) / len(devices) for i, d in enumerate(devices)}

    def y_of(value):
        return top + (most - value) / max(most - least, 1e-9) * (height - top - 44)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
           f'font-size="12"><title>{name}</title><rect width="{width}" height="{height}" fill="white"/>']
    for share in (0, 0.25, 0.5, 0.75, 1):
        value = least + share * (most - least)
        out.append(f'<line x1="{left}" x2="{width - 12}" y1="{y_of(value):.1f}" y2="{y_of(value):.1f}" stroke="#ddd"/>'
                   f'<text x="{left - 6}" y="{y_of(value) + 4:.1f}" text-anchor="end">{value:.2f}</text>')
    for device, x in x_of.items():
        out.append(f'<text x="{x:.1f}" y="{height - 26}" text-anchor="middle">{device}</text>')
    out.append(f'<text x="{(left + width) / 2}" y="{height - 8}" text-anchor="middle">devices; time of a step (or '
               'collective) beside that of the job\'s smallest configuration, with intervals</text>')
    for i, values in enumerate(points):
        shift = (i / max(1, len(points) - 1) - 0.5) * 24
        colour = f"hsl({(i * 47) % 360},60%,40%)"
        line = " ".join(f"{x_of[d] + shift:.1f},{y_of(t[0]):.1f}" for d, t in values)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1"/>')
        for d, (middle, low, high) in values:
            x = x_of[d] + shift
            out.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y_of(low):.1f}" y2="{y_of(high):.1f}" stroke="{colour}" '
                       f'opacity="0.5"/><circle cx="{x:.1f}" cy="{y_of(middle):.1f}" r="2" fill="{colour}"/>')
    out.append("</svg>")
    (DOCS / "clusters").mkdir(exist_ok=True)
    (DOCS / "clusters" / f"{name}.svg").write_text("\n".join(out) + "\n")


def in_seconds(data, row, forecast):
    workload = next(w for w in data["workloads"] if w["id"] == row["workload"])
    convert = (lambda v: v / 1000) if row["unit"] == "ms" else (lambda v: translate.step_s(row, workload, v))
    bounds = sorted(convert(forecast[k]) for k in ("low", "high"))
    return [convert(forecast["forecast"])] + bounds


def assumed(data, rows):
    """The assumptions of the system's own forecasts, from its rows file."""
    document, _ = next(translate.questions(data))
    if "rounds" in document:
        return assumed_of_rounds(data)
    cluster = document["cluster"]
    parts = [f"transport {cluster.get('transport', 'rdma')}", f"{cluster.get('ports', 1)} network port(s) a node"]
    if cluster.get("staged-in-node"):
        parts.append("copies inside a node go through host memory")
    overlaps = sorted({translate.job_overlap(r) for r in rows if translate.is_training(r)})
    if overlaps:
        parts.append("overlap " + ", ".join(overlaps))
    return "; ".join(parts)


def assumed_of_rounds(data):
    lost = large_batch.loss_per_parameter(data["software"])
    shares = ", ".join(f"{100 * share:.0f} % for {name}, here {100 / (1 + lost * large_batch.STATED_NETWORKS[name]):.0f} %"
                       for name, share in large_batch.stated_shares(data["software"]).items())
    return (f"collecting makes a sample {lost * 1e10:.0f} % longer for each 100 million parameters (stated: {shares}), with their square root beyond the largest stated; "
            "exchanges overlap the next round and slow it by 8 % of their time; a stream reaches 90 % of its rate, a host half "
            "of its network's, at most 200 MB/s; looking for peers takes 5 s at one site, 12 s between sites, and a round "
            "is no shorter; LAMB moves 56 bytes per parameter at 20 GB/s")


def differences(data, rows, forecasts):
    parts = []
    for name, formula in formulas.FORMULAS.items():
        pairs = [(formula(data, r), in_seconds(data, r, forecasts[r["id"]])[0]) for r in rows]
        pairs = [(f, s) for f, s in pairs if f]
        if pairs:
            parts.append(f"{name} {sum(abs(f / s - 1) > 0.05 for f, s in pairs)} of {len(pairs)}")
    return "; ".join(parts)


def wrapped(text, width=118):
    lines, line = [], ""
    indent = "  " if text.startswith("- ") else ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = indent + word
        else:
            line = f"{line} {word}" if line else word
    return lines + [line]


def bulleted(title, text):
    """One bullet, or one for each part of a text of more than three lines."""
    lines = wrapped(f"- {title}s: {text}.")
    return lines if len(lines) <= 3 else [line for part in text.split("; ") for line in wrapped(f"- {title}: {part}.")]


def errors_table(errors):
    lines = ["| system | rows | median error | within 90 % interval |", "|---|---|---|---|"]
    everything = [found for of_system in errors.values() for found in of_system]
    for system, found in [*errors.items(), ("all", everything)]:
        median = statistics.median(abs(error) for _, error, _ in found)
        lines.append(f"| {system} | {len(found)} | {100 * median:.1f} % | {sum(inside for *_, inside in found)} |")
    return lines


def coverage(found):
    """How many of the rows lie in their interval, and whether that is what an interval of 90 % should reach."""
    inside = sum(inside for *_, inside in found)
    share = inside / len(found)
    verdict = "too few rows to judge" if len(found) < 20 else "below 80 %, too narrow" if share < 0.8 else \
        "above 95 %, too wide" if share > 0.95 else "as it should be"
    return f"{inside} of {len(found)} ({100 * share:.0f} %; {verdict})"


def given_rows(left_out, extrapolated):
    """The sections about given rows that are forecast from other given rows."""
    beyond = [found for of_system in left_out.values() for found in of_system if found[0]["nodes"] > 1]
    larger = [found for of_system in extrapolated.values() for found in of_system]
    out = errors_table(left_out) + [""] + REMARKS.splitlines() + ["", "## Given rows, extrapolated"]
    out += wrapped(EXTRAPOLATED)
    out += [""] + wrapped(f"- More nodes: {len(beyond)} rows, median error "
                          f"{100 * statistics.median(abs(error) for _, error, _ in beyond):.1f} %, within the interval "
                          f"{coverage(beyond)}.")
    out += wrapped(f"- Larger batches: {len(larger)} rows, within the interval {coverage(larger)}.")
    return out + [""] + errors_table(extrapolated) + [""] + MISSING.splitlines()


def write(systems, forecasts, left_out, extrapolated):
    asked = [(data, [r for r in data["asked"] if r["id"] in forecasts]) for data in systems]
    asked = [(data, rows) for data, rows in asked if rows]
    out = INTRODUCTION.format(rows=len(forecasts), systems=len(asked)).splitlines() + given_rows(left_out, extrapolated)
    for data, rows in asked:
        name = data["system"]
        plot(name, rows, forecasts, data)
        out += ["", f"## {name}"]
        out += wrapped(f"{data['title']}. Source: [{data['source']}]({data['url'].split()[0]}).")
        out.append("")
        out += wrapped(f"- Grade: {grade(rows, data)}.")
        out += bulleted("Assumption", assumed(data, rows))
        out += wrapped(f"- Beside formulas: {differences(data, rows, forecasts)}.")
        out += ["", f"![{name}: time over devices](clusters/{name}.svg)", ""]
        out += table(rows, forecasts)
    (DOCS / "clusters.md").write_text("\n".join(out) + "\n")
