// Sorts a table by a column when its head is pressed. The page must not need it.
"use strict";
const UNITS = { k: 1e3, M: 1e6, KiB: 1024, MiB: 2 ** 20, GiB: 2 ** 30, s: 1e3 };
function sizeOf(cell) {
  const text = cell.textContent.replaceAll(",", "").trim();
  const clock = text.match(/^(\d+):([\d.]+)/);
  if (clock) return (Number(clock[1]) * 60 + Number(clock[2])) * 1e3;
  const found = text.match(/^(-?[\d.]+(?:e-?\d+)?)\s*([A-Za-zµ]*)/);
  return found ? Number(found[1]) * (UNITS[found[2]] ?? 1) : Infinity;
}
function order(table, column, isDescending) {
  const body = table.tBodies[0];
  const sign = isDescending ? -1 : 1;
  const byText = (row) => row.cells[column].textContent;
  const rows = [...body.rows].sort((first, second) => {
    if (column === 0) return sign * byText(first).localeCompare(byText(second));
    const [one, other] = [sizeOf(first.cells[column]), sizeOf(second.cells[column])];
    if (one === other) return 0;
    if (one === Infinity || other === Infinity) return one === Infinity ? 1 : -1;
    return sign * (one - other);
  });
  body.append(...rows);
}
for (const table of document.querySelectorAll("table.sortable")) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const isDescending = head.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", isDescending ? "descending" : "ascending");
      order(table, column, isDescending);
    });
  });
}
