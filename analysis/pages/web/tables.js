// SPDX-License-Identifier: Apache-2.0
// Tables that sort by a column when its heading is pressed. Cells with a number in
// data-value are sorted by it, others as text; rows of a <tbody> stay within it.
"use strict";

function cellValue(row, column) {
  const cell = row.cells[column];
  if (!cell) return "";
  const value = cell.dataset.value ?? cell.textContent.trim();
  const number = Number(value);
  return value !== "" && Number.isFinite(number) ? number : value;
}

function compareCells(a, b) {
  const isNumber = [typeof a === "number", typeof b === "number"];
  if (isNumber[0] && isNumber[1]) return a - b;
  if (isNumber[0] !== isNumber[1]) return isNumber[0] ? -1 : 1;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

function sortBy(table, column, isAscending) {
  for (const body of table.tBodies) {
    const rows = [...body.rows].filter((row) => !row.querySelector("[scope=rowgroup]"));
    rows.sort((a, b) => compareCells(cellValue(a, column), cellValue(b, column)) * (isAscending ? 1 : -1));
    body.append(...rows);
  }
  [...table.tHead.rows[0].cells].forEach((heading, index) => {
    if (index === column) heading.setAttribute("aria-sort", isAscending ? "ascending" : "descending");
    else heading.removeAttribute("aria-sort");
  });
}

/**
 * Makes a table's headings buttons. `kept`: {id, title, isAscending}, which keeps its order for the table that
 * replaces it; `id` begins the buttons' ids.
 */
function makeSortable(table, kept) {
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    const title = heading.textContent;
    const press = () => {
      const isAscending = heading.getAttribute("aria-sort") !== "ascending";
      sortBy(table, column, isAscending);
      if (kept) Object.assign(kept, { title, isAscending });
    };
    const id = kept ? `${kept.id}-${title.replace(/\s+/g, "-")}` : null;
    heading.replaceChildren(make("button", { type: "button", id, onclick: press }, ...heading.childNodes));
  });
  const column = headings.findIndex((heading) => heading.textContent === kept?.title);
  if (column >= 0) sortBy(table, column, kept.isAscending);
}

/** As in strategies/learning.hpp. */
const kNotRanked = "Not ranked: all workers average at most once an epoch, and learn less from as many samples";
const kAccuracyIsElsewhere = "How accurate the model gets is not compared here, but by epochcast choose.";

/** Reasons, each once, with the names concerned: "byteps; dlb: ..."; without names if it concerns all of `count`. */
function reasonList(reasons, count) {
  const names = new Map();
  for (const { name, reason } of reasons) names.set(reason, (names.get(reason) ?? new Set()).add(name));
  const who = (set) => (set.size > 1 && set.size === count ? "" : `${[...set].join("; ")}: `);
  return make("ul", { class: "notes" }, ...[...names].map(([reason, set]) => make("li", {}, who(set) + reason)));
}

/**
 * A sortable table of groups: {heading: elements or null, rows}. `columns`: {title, explain, isLeft,
 * cell(row) => {text, value, range, span} or text}; a cell with a span takes the place of so many columns. `kept`: as of
 * makeSortable().
 */
function groupedTable(label, columns, groups, kept) {
  const heading = make("tr", {}, ...columns.map((column) =>
    make("th", { scope: "col", class: column.isLeft ? "left" : null, title: column.explain }, column.title)));
  const name = columns.findIndex((column) => column.isLeft); // the column of the rows' headings
  const rowOf = (row) => {
    const cells = [];
    for (let index = 0; index < columns.length;) {
      const shown = columns[index].cell(row);
      const cell = typeof shown === "object" ? shown : { text: shown };
      cells.push(make(index === name ? "th" : "td", {
        class: columns[index].isLeft || cell.span ? "left" : null, scope: index === name ? "row" : null, colspan: cell.span,
        "data-value": cell.value,
      }, cell.text, cell.range ? make("span", { class: "range" }, cell.range) : null));
      index += cell.span ?? 1;
    }
    return make("tr", {}, ...cells);
  };
  const titleOf = (text) => make("tr", {}, make("th", { scope: "rowgroup", colspan: columns.length, class: "group" }, ...text));
  const bodies = groups.map((group) =>
    make("tbody", {}, group.heading ? titleOf(group.heading) : null, ...group.rows.map(rowOf)));
  const table = make("table", {}, make("caption", { class: "muted left" }, label), make("thead", {}, heading), ...bodies);
  makeSortable(table, kept);
  return wide(label, table);
}

/** A sortable table. Rows for which `isBelow` holds are a separate group below the others, under `kNotRanked`. */
function tableOf(label, columns, rows, kept, isBelow = () => false) {
  const below = rows.filter(isBelow);
  return groupedTable(label, columns, [
    { rows: rows.filter((row) => !isBelow(row)) }, ...(below.length > 0 ? [{ heading: [kNotRanked], rows: below }] : [])], kept);
}
