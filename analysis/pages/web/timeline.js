// SPDX-License-Identifier: Apache-2.0
// A few iterations in time: a row for each worker, with its computing and blocked time above,
// its exchanges below. Zoom and pan with the mouse, keys or buttons.
"use strict";

const kRow = 22; // pixels of a worker
const kMostRows = 64;

/** Drawing of one strategy's events in `canvas`; `say(text)` gets the event under the pointer. */
class TimelineDrawing {
  constructor(canvas, say) {
    this.canvas = canvas;
    this.say = say;
    this.listen();
  }

  show(data) {
    this.data = data;
    this.rows = Math.min(data.workers.length, kMostRows);
    this.end = Math.max(...data.events.map((event) => event[4]), 1e-12);
    this.all();
  }

  all() {
    this.from = 0;
    this.to = this.end;
    this.draw();
  }

  /** `factor` below 1 zooms in; around `share` of the width. */
  zoom(factor, share = 0.5) {
    const middle = this.from + (this.to - this.from) * share;
    const width = Math.min(this.end, Math.max(this.end / 1e5, (this.to - this.from) * factor));
    this.from = Math.min(Math.max(0, middle - width * share), this.end - width);
    this.to = this.from + width;
    this.draw();
  }

  pan(share) {
    const width = this.to - this.from;
    this.from = Math.min(Math.max(0, this.from + width * share), this.end - width);
    this.to = this.from + width;
    this.draw();
  }

  left() {
    return this.canvas.clientWidth < 560 ? 28 : 190;
  }

  draw() {
    const { canvas } = this;
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth;
    const height = this.rows * kRow + 28;
    canvas.style.height = `${height}px`;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    const left = this.left();
    const x = (seconds) => left + (seconds - this.from) / (this.to - this.from) * (width - left);
    this.drawTicks(context, x, width, height);
    const fills = {
      compute: css("--compute"), communication: striped(css("--exchange"), css("--exchange-line"), true),
      blocked: striped(css("--blocked"), css("--blocked-line"), false),
    };
    for (const [worker, stream, , start, end] of this.data.events) {
      if (worker >= this.rows || end < this.from || start > this.to) continue;
      const kind = this.data.streams[stream];
      const isBelow = kind === "communication";
      const begin = Math.max(left, x(start));
      const top = worker * kRow + (isBelow ? kRow / 2 + 1 : 2);
      const tall = kRow / 2 - 2;
      context.fillStyle = fills[kind];
      const wide = Math.max(0.75, Math.min(width, x(end)) - begin);
      context.fillRect(begin, top, wide, tall);
      // Separates neighbours of one colour.
      if (wide > 3) {
        context.fillStyle = css("--page");
        context.fillRect(begin + wide - 1, top, 1, tall);
      }
    }
    context.fillStyle = css("--text");
    for (let worker = 0; worker < this.rows; ++worker) {
      const text = left < 100 ? String(worker) : this.data.workers[worker];
      context.fillText(text, 4, worker * kRow + kRow / 2, left - 8);
    }
  }

  drawTicks(context, x, width, height) {
    const space = (width - this.left()) / 90;
    const raw = (this.to - this.from) / Math.max(1, space);
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= raw);
    context.strokeStyle = css("--line");
    context.fillStyle = css("--muted");
    context.textAlign = "center";
    for (let n = Math.ceil(this.from / step); n * step <= this.to; ++n) {
      const at = x(n * step);
      context.beginPath();
      context.moveTo(at, 0);
      context.lineTo(at, height - 22);
      context.stroke();
      if (at > this.left() + 20 && at < width - 30) context.fillText(secondsText(n * step), at, height - 10);
    }
    context.textAlign = "left";
  }

  /** The event under a place of the canvas. */
  at(px, py) {
    const left = this.left();
    const seconds = this.from + (px - left) / (this.canvas.clientWidth - left) * (this.to - this.from);
    const worker = Math.floor(py / kRow);
    const isBelow = py - worker * kRow > kRow / 2;
    return this.data.events.find((event) => event[0] === worker && event[3] <= seconds && event[4] >= seconds &&
      (this.data.streams[event[1]] === "communication") === isBelow);
  }

  describe(event) {
    if (!event) return;
    const [worker, , name, start, end, bytes] = event;
    this.say(`worker ${this.data.workers[worker]}: ${this.data.names[name]}, ${secondsText(end - start)}` +
      ` from ${secondsText(start)}${bytes > 0 ? `, ${bytesText(bytes)}` : ""}`);
  }

  listen() {
    const { canvas } = this;
    let dragged = null;
    canvas.addEventListener("pointerdown", (event) => { dragged = event.offsetX; });
    canvas.addEventListener("pointerup", () => { dragged = null; });
    canvas.addEventListener("pointerleave", () => { dragged = null; });
    canvas.addEventListener("pointermove", (event) => {
      if (dragged === null) {
        this.describe(this.at(event.offsetX, event.offsetY));
        return;
      }
      this.pan((dragged - event.offsetX) / (canvas.clientWidth - this.left()));
      dragged = event.offsetX;
    });
    canvas.addEventListener("wheel", (event) => {
      // The wheel scrolls the page; it zooms with Ctrl, or if the drawing has the focus.
      if (!event.ctrlKey && document.activeElement !== canvas) return;
      event.preventDefault();
      const share = (event.offsetX - this.left()) / (canvas.clientWidth - this.left());
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, Math.min(1, Math.max(0, share)));
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      const acts = {
        "+": () => this.zoom(0.6), "=": () => this.zoom(0.6), "-": () => this.zoom(1 / 0.6), 0: () => this.all(),
        Home: () => this.pan(-1e9), End: () => this.pan(1e9), ArrowLeft: () => this.pan(-0.2), ArrowRight: () => this.pan(0.2),
      };
      if (!acts[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      acts[event.key]();
    });
    new ResizeObserver(() => { if (this.data) this.draw(); }).observe(canvas);
    const again = () => {
      if (!canvas.isConnected) drawn.delete(again);
      else if (this.data) this.draw();
    };
    drawn.add(again);
  }
}

/** The canvas's description as text: the parts of each worker's time. */
function timelineLabel(data) {
  const seconds = { compute: 0, communication: 0, blocked: 0 };
  for (const event of data.events) seconds[data.streams[event[1]]] += event[4] - event[3];
  return `The first iterations of ${data.name} on ${data.workers.length} workers: computing ${secondsText(seconds.compute)}, ` +
    `exchanging ${secondsText(seconds.communication)}, blocked ${secondsText(seconds.blocked)} in all. ` +
    "Plus, minus and 0 zoom, arrow keys move.";
}

/** `kept`: {name} of the shown one, for the view that replaces this one. */
views.timelines = (section, all, kept = {}) => {
  const status = make("p", { class: "status muted" }, "Point at a slice to see what it is.");
  const canvas = make("canvas", { id: "timeline-drawing", tabindex: 0, role: "img" });
  const drawing = new TimelineDrawing(canvas, (text) => { status.textContent = text; });
  const more = make("p", { class: "muted" });
  const show = (index) => {
    const data = all[index];
    kept.name = data.name;
    canvas.setAttribute("aria-label", timelineLabel(data));
    more.textContent = [
      data.workers.length > kMostRows ? `The first ${kMostRows} of ${data.workers.length} workers.` : "",
      data.is_whole ? "" : "Only the beginning is shown; --timeline writes all of it for Perfetto.",
    ].join(" ");
    drawing.show(data);
  };
  const button = (text, label, act) => 
    make("button", { type: "button", id: `timeline-${label.replace(" ", "-")}`, "aria-label": label, onclick: act }, text);
  const first = Math.max(0, all.findIndex((data) => data.name === kept.name));
  section.append(
    make("h2", {}, "A few iterations in time"),
    make("p", {}, "Costs are medians. Each row is a worker: above, what it computes and where it waits for others (blocked); below, " +
      "exchanges. Drag to move, Ctrl and the wheel to zoom; or click, then +, -, 0 and the arrow keys."),
    make("div", { class: "controls" },
      chooser("of", all.map((data, index) => [index, data.name]), show, first, "timeline-of"),
      button("+", "zoom in", () => drawing.zoom(0.6)), button("\u2212", "zoom out", () => drawing.zoom(1 / 0.6)),
      button("\u2190", "earlier", () => drawing.pan(-0.3)), button("\u2192", "later", () => drawing.pan(0.3)),
      button("all", "show all", () => drawing.all())),
    make("ul", { class: "legend" }, ...["compute", "exchange", "blocked"].map((name) =>
      make("li", {}, make("span", { class: `swatch ${name}` }), name))),
    make("div", { class: "timeline" }, canvas), status, more);
  requestAnimationFrame(() => show(first));
};
