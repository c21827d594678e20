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
for (const summary of document.querySelectorAll(".node > summary")) summary.addEventListener("click", () => summary.parentNode.classList.add("asked")); // paper has it
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
const tip = document.createElement("div"); // says what a mark is
tip.className = "tip";
tip.setAttribute("role", "status");
tip.hidden = true;
document.body.append(tip);
const svg = (name, attributes) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};
const spot = svg("circle", {class: "spot", r: 7});
for (const article of document.querySelectorAll("article")) {
  const cells = [...article.querySelectorAll(".map [title]")], names = cells.map((cell) => cell.title.split(" ")[0]);
  const plots = [...article.querySelectorAll("[data-unit]")];
  let marked = -1;
  // mark a node everywhere, or nowhere.
  const mark = (node) => {
    marked = node === marked ? -1 : node;
    cells.forEach((cell, i) => cell.classList.toggle("chosen", i === marked));
    for (const row of article.querySelectorAll(".nodes tbody tr")) row.classList.toggle("chosen", row.cells[0].textContent === names[marked]);
    for (const plot of plots.filter((plot) => !plot.closest(".graph"))) {
      const inner = plot.querySelector("svg"), {width, height} = inner.viewBox.baseVal;
      for (const old of inner.querySelectorAll(".chosen")) old.remove();
      if (marked < 0) continue;
      const wide = +plot.dataset.node || 2, outer = +plot.dataset.outer || width, gap = (outer - names.length * wide) >> 1;
      for (let x = gap + marked * wide; x < width; x += outer) inner.prepend(svg("rect", {class: "chosen", x, width: wide, y: 0, height}));
      if (!plot.dataset.node) inner.prepend(svg("rect", {class: "chosen", x: 0, width, y: marked * wide, height: wide}));
    }
  };
  // pointsOf a plot, from left to right: its paths say where they are, and what that means.
  const pointsOf = (plot) => {
    const {node, outer, low, high, unit} = plot.dataset, parts = (plot.dataset.parts ?? "").split(" "), points = [];
    const {width, height} = plot.querySelector("svg").viewBox.baseVal;
    for (const path of plot.querySelectorAll("svg > svg:first-of-type > :not(.curve, .ideal, .chosen)")) {
      const values = path.dataset.v?.split(" "), sizes = path.dataset.sizes?.split(",");
      let x = 0, y = 0;
      [...path.getAttribute("d").matchAll(/m(-?\d+) ?(-?\d+)h0/gi)].forEach(([, dx, dy], i) => {
        x += +dx;
        y += +dy;
        if (sizes) return points.push({x: x / width, y: y / height, node: -1, text: path.dataset.name + " at " + sizes[i] + ": " + values[i] + " " + unit + ", the median"});
        const within = x % (outer || width) - ((outer - names.length * node) >> 1), at = node ? Math.floor(within / node) : x >> 1;
        const who = node ? names[at] + " " + parts[within % node - ((node - parts.length + 1) >> 1)] : names[y >> 1] + " to " + names[at];
        const value = values ? values[i] : low - -(high - low) * (1 - y / height);
        points.push({x: x / width, y: y / height, node: at, text: who.replace(/ (node)?$/, "") + ": " + +(+value).toPrecision(4) + " " + unit + (node ? ", " + (path.dataset.note ?? "attempt 1") : "")});
      });
    }
    return points.sort((a, b) => a.x - b.x || a.y - b.y);
  };
  for (const plot of plots) {
    let points, at = -1;
    const show = (i) => {
      at = i;
      tip.hidden = i < 0;
      if (i < 0) return spot.remove();
      const p = points[i], box = plot.getBoundingClientRect();
      spot.setAttribute("cx", 100 * p.x + "%");
      spot.setAttribute("cy", 100 * p.y + "%");
      plot.append(spot);
      tip.textContent = p.text;
      tip.style.left = Math.max(4, Math.min(scrollX + box.x + p.x * box.width + 12, scrollX + document.documentElement.clientWidth - tip.offsetWidth - 4)) + "px";
      tip.style.top = scrollY + box.y + p.y * box.height - 34 + "px";
    };
    plot.tabIndex = 0;
    const point = (event) => {
      points ??= pointsOf(plot);
      const box = plot.getBoundingClientRect();
      let best = -1, least = 24 ** 2;
      points.forEach((p, i) => {
        const far = (box.x + p.x * box.width - event.clientX) ** 2 + (box.y + p.y * box.height - event.clientY) ** 2;
        if (far < least) [best, least] = [i, far];
      });
      show(best);
    };
    plot.addEventListener("pointermove", point);
    plot.addEventListener("pointerdown", point);
    plot.addEventListener("pointerleave", (event) => event.pointerType === "touch" || show(-1)); // a finger leaves before its click comes
    plot.addEventListener("blur", () => show(-1));
    plot.addEventListener("focus", () => {
      points ??= pointsOf(plot);
      if (at < 0 && points.length && plot.matches(":focus-visible")) show(0);
    });
    plot.addEventListener("click", () => at >= 0 && points[at].node >= 0 && mark(points[at].node));
    plot.addEventListener("keydown", (event) => {
      const to = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: points.length - 1}[event.key];
      if (to !== undefined && points.length) show(Math.max(0, Math.min(to, points.length - 1)));
      else if (event.key === "Enter" && points?.[at]?.node >= 0) mark(points[at].node);
      else if (event.key === "Escape") mark(marked);
      else return;
      event.preventDefault();
    });
  }
  cells.forEach((cell, i) => cell.addEventListener("click", () => i === marked || mark(i)));
}
