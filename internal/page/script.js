"use strict";
for (const table of document.querySelectorAll("table.sort")) {
  const body = table.tBodies[0];
  const number = (text) => (/^[-+]?[\d.]/.test(text) ? parseFloat(text) : NaN);
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows].map((row) => [row, row.cells[column].textContent.trim()]);
      rows.sort(([, a], [, b]) => {
        const x = number(a), y = number(b);
        const order = isNaN(x) || isNaN(y) ? a.localeCompare(b, undefined, {numeric: true}) : x - y;
        return down ? -order : order;
      });
      body.append(...rows.map(([row]) => row));
    });
  });
}
for (const table of document.querySelectorAll("table.filter")) {
  const rows = [...table.tBodies[0].rows];
  if (rows.length < 8) continue;
  const label = document.createElement("label");
  label.className = "filterbox";
  label.textContent = "Filter ";
  const input = document.createElement("input");
  input.type = "search";
  label.append(input);
  table.parentNode.before(label);
  input.addEventListener("input", () => {
    const wanted = input.value.toLowerCase();
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
}
