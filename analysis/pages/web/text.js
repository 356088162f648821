// SPDX-License-Identifier: Apache-2.0
// Text of figures, as in base/text/units.hpp, and elements. First of all scripts.
"use strict";

/** Functions that draw each kind of data, by its name: (section, data) => nothing. */
const views = {};

/** Three significant digits: "1.50", "230". */
function digits(value) {
  if (!Number.isFinite(value)) return "-";
  if (value === 0) return "0";
  const text = Math.abs(value) >= 100 && Math.abs(value) < 1e6 ? String(Math.round(value)) : value.toPrecision(3);
  return text.includes("e") ? String(Number(text)) : text;
}

function scaled(value, units) {
  const [size, unit] = units.find(([least]) => Math.abs(value) >= least * 0.9995) ?? units[units.length - 1];
  return `${digits(value / size)} ${unit}`;
}

/** "1.50 s", "230 us", "2 h 13 min". */
function secondsText(seconds) {
  if (!Number.isFinite(seconds)) return "-";
  if (seconds === 0) return "0 s";
  if (seconds >= 86400 * 3) return `${digits(seconds / 86400)} days`;
  if (seconds >= 3600) return `${digits(seconds / 3600)} h`;
  if (seconds >= 600) return `${digits(seconds / 60)} min`;
  return scaled(seconds, [[1, "s"], [1e-3, "ms"], [1e-6, "us"], [1e-9, "ns"]]);
}

/** "25.6 MB", in powers of ten. */
function bytesText(bytes) {
  if (bytes === 0) return "0 B";
  return scaled(bytes, [[1e15, "PB"], [1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]]);
}

/** "1.20 kWh". */
function energyText(joules) {
  return joules < 3600 ? `${digits(joules)} J` : scaled(joules / 3600, [[1e6, "MWh"], [1e3, "kWh"], [1, "Wh"]]);
}

function percentText(share) {
  return Number.isFinite(share) ? `${digits(100 * share)} %` : "-";
}

/** "1 run", "3 runs". */
function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** The number with unit at the begin of a text ("10Gbps", "5us", "32") in one scale; NaN without. */
function numberIn(text) {
  const match = /^\s*([-+]?[0-9.]+(?:e[-+]?[0-9]+)?)\s*([A-Za-z/%]*)\s*$/i.exec(String(text));
  if (!match) return NaN;
  const scales = {
    "": 1, "%": 1e-2, ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600, b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12,
    kib: 1024, mib: 1048576, gib: 1073741824, bps: 0.125, kbps: 125, mbps: 125e3, gbps: 125e6, tbps: 125e9,
    flops: 1, mflops: 1e6, gflops: 1e9, tflops: 1e12, pflops: 1e15,
  };
  // "GBps" is bytes, "Gbps" bits: the only unit whose letters' case counts.
  const unit = match[2];
  const isBytes = /Bps$|B\/s$/.test(unit);
  const scale = isBytes ? scales[unit.replace(/(ps|\/s)$/, "").toLowerCase()] : scales[unit.toLowerCase()];
  return scale === undefined ? NaN : Number(match[1]) * scale;
}

/** At most `most` characters; one in the middle replaces the omitted ones. */
function shortened(text, most) {
  const characters = [...text];
  if (characters.length <= most) return text;
  const tail = Math.floor((most - 1) / 2);
  return `${characters.slice(0, most - 1 - tail).join("")}…${characters.slice(characters.length - tail).join("")}`;
}

/** A text in lines of at most `most` characters: canvases do not break them. */
function folded(text, most) {
  const lines = [];
  for (const word of text.split(" ").map((each) => shortened(each, most))) {
    const last = lines[lines.length - 1];
    if (last !== undefined && [...last, ...word].length < most) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** The elements as [name, elements] by `nameOf(element)`, both in the order of their first appearance. */
function groupedBy(elements, nameOf) {
  const groups = new Map();
  for (const element of elements) groups.set(nameOf(element), [...(groups.get(nameOf(element)) ?? []), element]);
  return [...groups];
}

/** An element: make("td", {class: "left"}, "text", child, ...). Attributes that are null are left out. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Calls a function that replaces elements; the focus moves to the new element with the same id. */
function keepingFocus(act) {
  const id = document.activeElement?.id;
  act();
  if (id && document.activeElement?.id !== id) document.getElementById(id)?.focus({ preventScroll: true });
}

/** A <select> with a label; values are [value, text]. `change(value)` when another one is chosen. */
function chooser(label, values, change, chosen, id) {
  const select = make("select", { id, onchange: () => change(select.value) });
  for (const [value, text] of values) select.append(make("option", { value }, text));
  if (chosen !== undefined) select.value = chosen;
  return make("label", {}, label, select);
}

/** A region that may be wider than the page; the keyboard can scroll it. */
function wide(label, ...children) {
  return make("div", { class: "wide", role: "region", "aria-label": label, tabindex: 0 }, ...children);
}
