"use strict";
for (const table of document.querySelectorAll("table.sort")) {
  const body = table.tBodies[0];
  // A name that begins with digits is no number. Cells whose units differ say in data-v what they are worth.
  const worth = (cell) => {
    const text = cell.dataset.v ?? cell.textContent.trim().replace(/ ?[%✕]$/, "");
    return [/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? parseFloat(text) : NaN, text];
  };
  const compare = ([x, a], [y, b]) => isNaN(x) !== isNaN(y) ? isNaN(x) - isNaN(y) : isNaN(x) ? a.localeCompare(b, undefined, {numeric: true}) : x - y;
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows].map((row) => [row, worth(row.cells[column])]);
      rows.sort(([, a], [, b]) => (down ? -compare(a, b) : compare(a, b)));
      body.append(...rows.map(([row]) => row));
    });
  });
}
for (const inside of document.querySelectorAll("[data-packed]")) {
  inside.parentNode.addEventListener("toggle", async () => {
    const bytes = Uint8Array.from(atob(inside.dataset.packed), (c) => c.charCodeAt(0));
    inside.innerHTML = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  }, {once: true});
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
for (const code of document.querySelectorAll("code.copy")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    getSelection().selectAllChildren(code); // where nothing may be put into the clipboard, there is the keyboard
    await navigator.clipboard?.writeText(code.textContent).then(() => { button.textContent = "Copied"; }, () => {});
  });
  code.after(" ", button);
}
for (const map of document.querySelectorAll(".map")) { // one stop of the keyboard, in which arrows lead on
  const cells = [...map.querySelectorAll("a")];
  for (const cell of cells.slice(1)) cell.tabIndex = -1;
  map.addEventListener("keydown", (event) => {
    const at = cells.indexOf(event.target), line = cells.findIndex((cell) => cell.offsetTop > cells[0].offsetTop), wide = line < 0 ? cells.length : line;
    const to = {ArrowRight: at + 1, ArrowLeft: at - 1, ArrowDown: at + wide, ArrowUp: at - wide, Home: 0, End: cells.length - 1}[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = cells[Math.max(0, Math.min(to, cells.length - 1))];
    cells[at].tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
}
