// SPDX-License-Identifier: Apache-2.0
// Tables that sort by a column when its heading is pressed. Cells that tell their number in
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

/** Makes a table's headings buttons. `sorted`: {column, isAscending} it is sorted by at first. */
function makeSortable(table, sorted) {
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const press = () => sortBy(table, column, heading.getAttribute("aria-sort") !== "ascending");
    heading.replaceChildren(make("button", { type: "button", onclick: press }, ...heading.childNodes));
  });
  if (sorted) sortBy(table, sorted.column, sorted.isAscending);
}

/**
 * A sortable table. `columns`: {title, explain, isLeft, cell(row) => {text, value, range} or text}.
 */
function tableOf(label, columns, rows) {
  const heading = make("tr", {}, ...columns.map((column) =>
    make("th", { scope: "col", class: column.isLeft ? "left" : null, title: column.explain }, column.title)));
  const body = make("tbody", {}, ...rows.map((row) => make("tr", {}, ...columns.map((column, index) => {
    const shown = column.cell(row);
    const cell = typeof shown === "object" ? shown : { text: shown };
    return make(index === columns.findIndex((each) => each.isLeft) ? "th" : "td",
      { class: column.isLeft ? "left" : null, scope: column.isLeft ? "row" : null, "data-value": cell.value },
      cell.text, cell.range ? make("span", { class: "range" }, cell.range) : null);
  }))));
  const table = make("table", {}, make("caption", { class: "muted left" }, label), make("thead", {}, heading), body);
  makeSortable(table);
  return wide(label, table);
}
