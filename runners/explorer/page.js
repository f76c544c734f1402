"use strict";
// The page of an enumeration: filter, list and large view of its solutions.  Everything shown
// follows from `data`, which is in the page, and `state`, which is in its address after "#".

/**
 * @typedef {{bits: number, packed: string}} Packed
 * @typedef {{start: string[][], known: string[][], derived: [number, number, string, boolean][][]}} Steps
 * @typedef {{
 *   name: string, look: "numbers"|"queens"|"tour"|"table", form: "rows"|"columns"|"names",
 *   count: number, rows: number, cols: number, header: string[]|null, names: string[]|null,
 *   board: Packed & {values: (string|number)[]}, figures: Record<string, (string|number)[]>,
 *   orbits: {name: string, said: string, of: Packed}[], steps: Steps|null
 * }} Data
 * @typedef {{
 *   cells: Map<number, string>, alike: string, orbit: {name: string, member: number}|null,
 *   sort: string, chosen: number
 * }} State
 */

/** @type {Data} */
const data = JSON.parse(byId("data").textContent ?? "");
const { rows, cols, count, look, figures } = data;
const size = rows * cols;
const values = data.board.values;
const codes = unpacked(data.board, count * size);
/** @type {Map<string, number>} */
const codeOf = new Map(values.map((value, code) => [String(value), code]));
const orbits = data.orbits.map(({ name, said, of }) => ({ name, said, of: unpacked(of, count) }));

/** @type {State} */
let state = read(location.hash);
/** The solutions that agree with the filter. @type {Uint32Array} */
let agreeing = new Uint32Array(0);
/** Those of them in the list, in its order. @type {Uint32Array} */
let shown = new Uint32Array(0);

// ---------------------------------------------------------------------------------------- tools

/** @param {string} id @returns {any} */
function byId(id) {
  return document.getElementById(id);
}

/**
 * An element with attributes and children; text is text, never markup.
 * @param {string} name
 * @param {Record<string, string|number|boolean|null|undefined>} attributes
 * @param {(Node|string|number)[]} children
 * @returns {any}
 */
function make(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** @type {typeof make} */
function draw(name, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

/** @param {Element} element @param {Record<string, any>} attributes @param {any[]} children */
function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...children.map((child) => (child instanceof Node ? child : String(child))));
  return element;
}

/**
 * Numbers of so many bits each, the first bits first.
 * @param {Packed} packed @param {number} length
 */
function unpacked({ bits, packed }, length) {
  const text = atob(packed);
  const numbers = bits <= 8 ? new Uint8Array(length) : new Uint32Array(length);
  let held = 0;
  let have = 0;
  for (let k = 0, at = 0; k < length; k++) {
    for (; have < bits; have += 8) held = (held << 8) | text.charCodeAt(at++);
    have -= bits;
    numbers[k] = held >>> have;
    held &= (1 << have) - 1;
  }
  return numbers;
}

/** @param {number} number @param {string} noun */
function plural(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** @param {number} number of a solution, from 0 @param {number} cell */
function valueAt(number, cell) {
  return values[codes[number * size + cell]];
}

/** @param {number} number @returns {(string|number)[][]} */
function boardOf(number) {
  return Array.from({ length: rows }, (_, r) =>
    Array.from({ length: cols }, (_, c) => valueAt(number, r * cols + c)),
  );
}

/** @param {number} cell */
function cellName(cell) {
  const [r, c] = [Math.floor(cell / cols), cell % cols];
  if (data.names) return data.names[r];
  return data.header ? `${data.header[c]}, row ${r + 1}` : `row ${r}, column ${c}`;
}

/** @param {string|number} value */
function valueName(value) {
  if (look === "queens") return value === "" ? "no queen" : "queen";
  return value === "" ? "empty" : String(value);
}

// ------------------------------------------------------------------------- the state in the address

/** @param {string} hash @returns {State} */
function read(hash) {
  /** @type {State} */
  const found = { cells: new Map(), alike: "", orbit: null, sort: "", chosen: -1 };
  for (const [name, value] of new URLSearchParams(hash.slice(1))) {
    const cell = /^(\d+),(\d+)$/.exec(name);
    const member = Number(value.split(":")[1]);
    if (cell && +cell[1] < rows && +cell[2] < cols && (value || codeOf.has(""))) {
      found.cells.set(+cell[1] * cols + +cell[2], value);
    } else if (name === "different" && orbits.some((orbit) => orbit.name === value)) {
      found.alike = value;
    } else if (name === "orbit" && member >= 1 && member <= count) {
      const orbit = orbits.find(({ name }) => name === value.split(":")[0]);
      if (orbit) found.orbit = { name: orbit.name, member: member - 1 };
    } else if (name === "sort" && Object.hasOwn(figures, value.replace(/^-/, ""))) {
      found.sort = value;
    } else if (name === "show" && +value >= 1 && +value <= count) {
      found.chosen = Math.floor(+value) - 1;
    }
  }
  return found;
}

function written() {
  const said = new URLSearchParams();
  for (const [cell, value] of [...state.cells].sort((a, b) => a[0] - b[0])) {
    said.append(`${Math.floor(cell / cols)},${cell % cols}`, value);
  }
  if (state.alike) said.append("different", state.alike);
  if (state.orbit) said.append("orbit", `${state.orbit.name}:${state.orbit.member + 1}`);
  if (state.sort) said.append("sort", state.sort);
  if (state.chosen !== (shown[0] ?? -1)) said.append("show", String(state.chosen + 1));
  return said.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
}

let addressTimer = 0;

/**
 * Put the state into the address: as a new step of the history, which "back" undoes, or in place
 * of the last.  Browsers allow few such changes a second, so those in place wait a little.
 * @param {boolean} step
 */
function remember(step) {
  clearTimeout(addressTimer);
  const put = () => {
    const address = `${location.pathname}${location.search}#${written()}`;
    if (step) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  };
  if (step) put();
  else addressTimer = setTimeout(put, 200);
}

// ------------------------------------------------------------------------------------- filtering

/**
 * The solutions that agree with the filter; the value asked of one cell may be left out.
 * @param {number} [without]
 */
function filtered(without = -1) {
  const asked = [...state.cells]
    .filter(([cell]) => cell !== without)
    .map(([cell, value]) => [cell, codeOf.get(value) ?? -1]);
  const orbit = orbits.find(({ name }) => name === state.orbit?.name)?.of;
  const wanted = orbit && state.orbit ? orbit[state.orbit.member] : 0;
  const found = new Uint32Array(count);
  let length = 0;
  search: for (let s = 0; s < count; s++) {
    if (orbit && orbit[s] !== wanted) continue;
    for (const [cell, code] of asked) if (codes[s * size + cell] !== code) continue search;
    found[length++] = s;
  }
  return found.slice(0, length);
}

/** The first of each orbit. @param {Uint32Array} numbers */
function different(numbers) {
  const orbit = orbits.find(({ name }) => name === state.alike)?.of;
  if (!orbit) return numbers;
  const seen = new Set();
  return numbers.filter((s) => !seen.has(orbit[s]) && seen.add(orbit[s]));
}

/** @param {Uint32Array} numbers */
function sorted(numbers) {
  if (!state.sort) return numbers;
  const column = figures[state.sort.replace(/^-/, "")];
  const sign = state.sort.startsWith("-") ? -1 : 1;
  const order = new Intl.Collator("en", { numeric: true }).compare;
  const numeric = column.every((value) => typeof value === "number");
  const compare = (/** @type {number} */ a, /** @type {number} */ b) =>
    numeric ? Number(column[a]) - Number(column[b]) : order(String(column[a]), String(column[b]));
  return numbers.slice().sort((a, b) => sign * compare(a, b) || a - b);
}

/**
 * How many solutions have each value in each cell, at `cell * values.length + code`: of those that
 * agree, and in a cell that is asked for, of those that agree elsewhere.
 */
function offered() {
  const found = new Uint32Array(size * values.length);
  const add = (/** @type {Uint32Array} */ numbers, /** @type {number} */ from, to = from + 1) => {
    for (const s of numbers) {
      for (let cell = from; cell < to; cell++) {
        found[cell * values.length + codes[s * size + cell]]++;
      }
    }
  };
  add(agreeing, 0, size);
  for (const cell of state.cells.keys()) {
    found.fill(0, cell * values.length, (cell + 1) * values.length);
    add(filtered(cell), cell);
  }
  return found;
}

/** @type {Uint32Array} */
let offers = new Uint32Array(0);

/** The values a cell can have, with how many. @param {number} cell */
function offersOf(cell) {
  const found = [];
  for (let code = 0, at = cell * values.length; code < values.length; code++, at++) {
    if (offers[at]) found.push({ value: values[code], count: offers[at] });
  }
  return found;
}

/**
 * Whether what is asked of a cell is what leaves nothing, rather than what is asked elsewhere.
 * @param {number} cell
 */
function isImpossible(cell) {
  const asked = state.cells.get(cell);
  if (asked === undefined) return false;
  const open = offersOf(cell);
  if (open.length === 0) return !codeOf.has(asked);
  return !open.some(({ value }) => String(value) === asked);
}

/**
 * Ask for a value in a cell; null asks for nothing there.
 * @param {number} cell @param {string|null} value @param {boolean} [step] of the history
 */
function ask(cell, value, step = true) {
  if (value === null) state.cells.delete(cell);
  else state.cells.set(cell, value);
  changed(step);
}

/** Show a changed state, as a step of the history or as part of the last. @param {boolean} [step] */
function changed(step = true) {
  update();
  remember(step);
}

/** Show what the state says, all of it. */
function update() {
  const began = performance.now();
  agreeing = filtered();
  shown = sorted(different(agreeing));
  offers = offered();
  if (!shown.includes(state.chosen)) state.chosen = shown[0] ?? -1;
  showAsked();
  showCount();
  list.restart();
  showChosen();
  performance.measure("update", { start: began, end: performance.now() });
}

function showCount() {
  byId("count").textContent = `${agreeing.length} of ${count}`;
  byId("noun").textContent = count === 1 ? "solution" : "solutions";
  byId("reset").disabled = state.cells.size === 0 && !state.orbit;
  byId("none").hidden = shown.length > 0;
  byId("list").hidden = shown.length === 0 || count === 1;
  const parts = [];
  if (state.orbit) parts.push(`in the orbit of solution ${state.orbit.member + 1}`);
  if (state.alike) parts.push(`${shown.length} essentially different`);
  byId("narrowed").textContent = parts.join(", ");
}

// ---------------------------------------------------------------------------------- filter board

/** The input, button or list of each cell. @type {any[]} */
const askers = [];
let current = 0;

function buildAsked() {
  const body = make("tbody");
  for (let r = 0; r < rows; r++) {
    const row = make("tr", { role: "row" });
    if (data.names) row.append(make("th", { scope: "row" }, data.names[r]));
    for (let c = 0; c < cols; c++) {
      const cell = r * cols + c;
      askers.push(asker(cell));
      row.append(make("td", { role: "gridcell", class: shade(r, c) }, askers[cell]));
    }
    body.append(row);
  }
  const table = make("table", { class: tableClass(), role: "grid", "aria-label": "Filter" });
  if (data.header) table.append(heading(data.header));
  table.append(body);
  table.addEventListener("keydown", moveInBoard);
  table.addEventListener("focusin", (/** @type {any} */ event) => {
    const cell = askers.indexOf(event.target);
    if (cell >= 0) enter(cell);
  });
  byId("asked").append(table);
}

function tableClass() {
  return look === "table" ? "sheet" : `board ${look}`;
}

/** @param {number} r @param {number} c */
function shade(r, c) {
  return (r + c) % 2 ? "dark" : "light";
}

/** @param {string[]} names */
function heading(names) {
  return make("thead", {}, make("tr", {}, ...names.map((name) => make("th", { scope: "col" }, name))));
}

/** What a cell of the filter is set with. @param {number} cell */
function asker(cell) {
  const tabindex = cell === 0 ? 0 : -1;
  if (look === "table") {
    const made = make("select", { tabindex });
    made.addEventListener("change", () => ask(cell, made.value === "any" ? null : made.value.slice(1)));
    return made;
  }
  if (look === "queens") {
    const made = make("button", { type: "button", tabindex });
    made.addEventListener("click", () => ask(cell, nextOffer(cell)));
    return made;
  }
  const made = make("input", { tabindex, inputmode: "numeric", autocomplete: "off", size: 2 });
  // The first keystroke in a cell is a step of the history, the others belong to it.
  let fresh = true;
  made.addEventListener("focus", () => (fresh = true));
  made.addEventListener("input", () => {
    ask(cell, made.value.trim() || null, fresh);
    fresh = false;
  });
  return made;
}

/** What a click on a square asks for next: a queen, no queen, nothing. @param {number} cell */
function nextOffer(cell) {
  const open = offersOf(cell).map(({ value }) => String(value));
  const turns = open.length > 1 ? open.reverse() : [];
  return turns[turns.indexOf(state.cells.get(cell) ?? "any") + 1] ?? null;
}

/** @param {number} cell */
function enter(cell) {
  askers[current].tabIndex = -1;
  askers[cell].tabIndex = 0;
  current = cell;
  askers[cell].select?.();
  showOffers();
}

/** @param {KeyboardEvent} event */
function moveInBoard(event) {
  const sheet = look === "table";
  const steps = { ArrowUp: -cols, ArrowDown: cols, ArrowLeft: -1, ArrowRight: 1 };
  const step = steps[/** @type {keyof typeof steps} */ (event.key)];
  if (step && !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    const beside = Math.abs(step) === 1;
    const to = current + step;
    const sameRow = Math.floor(to / cols) === Math.floor(current / cols);
    if (to >= 0 && to < size && (!beside || sameRow)) askers[to].focus();
  } else if (event.key === "Delete" || (event.key === "Backspace" && (sheet || look === "queens"))) {
    event.preventDefault();
    ask(current, null);
  } else if (look === "queens" && /^[qQxX]$/.test(event.key) && !event.ctrlKey && !event.metaKey) {
    const value = /[qQ]/.test(event.key) ? values.find((value) => value !== "") : "";
    if (offersOf(current).some((offer) => offer.value === value)) ask(current, String(value));
  }
}

function showAsked() {
  const most = look === "queens" ? Math.max(1, ...askers.map((_, cell) => queensOn(cell))) : 0;
  for (let cell = 0; cell < size; cell++) {
    if (look === "table") showSelect(cell);
    else if (look === "queens") showSquare(cell, most);
    else showInput(cell);
  }
  showOffers();
}

/** @param {number} cell */
function showInput(cell) {
  const asked = state.cells.get(cell);
  const open = offersOf(cell);
  const impossible = isImpossible(cell);
  const input = askers[cell];
  if (input.value.trim() !== (asked ?? "")) input.value = asked ?? "";
  input.placeholder = asked === undefined && open.length === 1 ? String(open[0].value) : "";
  input.parentNode.classList.toggle("asked", asked !== undefined);
  input.setAttribute("aria-invalid", String(impossible));
  const said = impossible ? "impossible" : plural(open.length, "possible value");
  input.setAttribute("aria-label", `${cellName(cell)}: ${said}`);
}

/** How many have a queen on a square. @param {number} cell */
function queensOn(cell) {
  return offersOf(cell).find(({ value }) => value !== "")?.count ?? 0;
}

/** @param {number} cell @param {number} most that have a queen on one square */
function showSquare(cell, most) {
  const asked = state.cells.get(cell);
  const open = offersOf(cell);
  const queens = queensOn(cell);
  const forced = asked === undefined && open.length === 1;
  const button = askers[cell];
  const square = button.parentNode;
  square.classList.toggle("asked", asked !== undefined);
  square.classList.toggle("never", asked === undefined && queens === 0);
  square.style.setProperty("--share", asked === undefined ? String(queens / most) : "0");
  button.setAttribute("aria-disabled", String(forced || open.length === 0));
  button.replaceChildren();
  if (asked || (forced && queens > 0)) button.append(queenIcon());
  else if (asked === "") button.append("×");
  else if (queens) button.append(make("small", {}, queens));
  const said = asked === undefined ? `queen in ${queens} of ${agreeing.length}` : valueName(asked);
  button.setAttribute("aria-label", `${cellName(cell)}: ${said}`);
}

function queenIcon() {
  return draw("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, draw("use", { href: "#queen" }));
}

/** Values are marked by a "=", so that one of them may be "any". @param {number} cell */
function showSelect(cell) {
  const asked = state.cells.get(cell);
  const open = offersOf(cell);
  const select = askers[cell];
  const options = [make("option", { value: "any" }, "any")];
  for (const { value, count } of open) {
    options.push(make("option", { value: `=${value}` }, `${value} · ${count}`));
  }
  if (asked !== undefined && !open.some(({ value }) => String(value) === asked)) {
    options.push(make("option", { value: `=${asked}` }, `${asked} · 0`));
  }
  select.replaceChildren(...options);
  select.value = asked === undefined ? "any" : `=${asked}`;
  select.parentNode.classList.toggle("asked", asked !== undefined);
  select.setAttribute("aria-label", `${cellName(cell)}: ${plural(open.length, "possible value")}`);
}

/** The values of the current cell to choose from. */
function showOffers() {
  if (look === "table" || look === "queens") return;
  const asked = state.cells.get(current);
  const open = offersOf(current);
  const most = Math.max(...open.map(({ count }) => count));
  const focused = document.activeElement?.closest?.("#offers button")?.getAttribute("data-value");
  const title = make("p", {}, make("b", {}, cellName(current)), ` can hold ${plural(open.length, "value")}`);
  if (isImpossible(current)) {
    title.append(make("span", { class: "wrong", role: "status" }, `; ${asked} is impossible`));
  }
  const group = make("div", { class: "offers", role: "group", "aria-label": "Possible values" });
  for (const [k, { value, count }] of open.entries()) {
    const pressed = String(value) === asked;
    const button = make(
      "button",
      {
        type: "button",
        tabindex: k === 0 ? 0 : -1,
        "data-value": value,
        "aria-pressed": String(pressed),
        "aria-label": `${valueName(value)}, in ${plural(count, "solution")}`,
      },
      make("b", {}, valueName(value)),
      make("small", {}, count),
    );
    button.style.setProperty("--share", String(count / most));
    button.addEventListener("click", () => ask(current, pressed ? null : String(value)));
    group.append(button);
  }
  group.addEventListener("keydown", moveInOffers);
  byId("offers").replaceChildren(title, group);
  if (focused != null) {
    const again = [...group.children].find((button) => button.dataset.value === focused);
    (again ?? group.firstChild)?.focus();
  }
}

/** @param {any} event */
function moveInOffers(event) {
  const steps = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
  const step = steps[/** @type {keyof typeof steps} */ (event.key)] ?? 0;
  const buttons = [...event.currentTarget.children];
  const to = buttons[buttons.indexOf(event.target) + step];
  if (!step || !to) return;
  event.preventDefault();
  event.target.tabIndex = -1;
  to.tabIndex = 0;
  to.focus();
}

function reset() {
  state.cells.clear();
  state.orbit = null;
  changed();
}

// ---------------------------------------------------------------------------------- small boards

/** A small picture of a solution. @param {number} number */
function picture(number) {
  if (look === "table") return make("table", { "aria-hidden": "true" }, ...tableRows(number));
  const drawn = draw("svg", { viewBox: `0 0 ${cols} ${rows}`, "aria-hidden": "true" });
  drawn.append(draw("rect", { width: cols, height: rows, class: "ground" }));
  if (look === "numbers") drawn.append(draw("path", { class: "grid", d: gridLines() }), ...numbers(number));
  else drawn.append(draw("rect", { width: cols, height: rows, fill: "url(#checks)" }));
  if (look === "queens") drawn.append(...queens(number));
  if (look === "tour") drawn.append(...tourLine(order(number)));
  return drawn;
}

/** The rows of a table; of a model only the variables that are not zero. @param {number} number */
function tableRows(number) {
  const names = data.names;
  const board = boardOf(number);
  if (!names) return board.map((row) => make("tr", {}, ...row.map((value) => make("td", {}, value))));
  return board.flatMap(([value], r) =>
    value === 0 ? [] : [make("tr", {}, make("th", {}, names[r]), make("td", {}, value))],
  );
}

/** The most rows that {@link tableRows} gives. */
const mostRows = data.names ? mostNonzero() : rows;

function mostNonzero() {
  const zero = codeOf.get("0");
  let most = 1;
  for (let s = 0; s < count; s++) {
    most = Math.max(most, codes.subarray(s * size, (s + 1) * size).filter((code) => code !== zero).length);
  }
  return most;
}

function gridLines() {
  const across = Array.from({ length: rows - 1 }, (_, r) => `M0 ${r + 1}h${cols}`);
  const down = Array.from({ length: cols - 1 }, (_, c) => `M${c + 1} 0v${rows}`);
  return [...across, ...down].join("");
}

/** @param {number} number */
function numbers(number) {
  return boardOf(number).flatMap((row, r) =>
    row.map((value, c) => draw("text", { x: c + 0.5, y: r + 0.5 }, value)),
  );
}

/** @param {number} number */
function queens(number) {
  const found = [];
  for (let cell = 0; cell < size; cell++) {
    if (valueAt(number, cell) === "") continue;
    const [x, y] = [(cell % cols) + 0.1, Math.floor(cell / cols) + 0.1];
    found.push(draw("use", { href: "#queen", x, y, width: 0.8, height: 0.8 }));
  }
  return found;
}

/** The cells in the order of their visits. @param {number} number */
function order(number) {
  const cells = Array.from({ length: size }, (_, cell) => cell);
  return cells.sort((a, b) => Number(valueAt(number, a)) - Number(valueAt(number, b)));
}

/** @param {number} cell */
function centre(cell) {
  return `${(cell % cols) + 0.5} ${Math.floor(cell / cols) + 0.5}`;
}

/** @param {number} a @param {number} b */
function move(a, b) {
  const across = Math.abs((a % cols) - (b % cols));
  const down = Math.abs(Math.floor(a / cols) - Math.floor(b / cols));
  return `${Math.min(across, down)},${Math.max(across, down)}`;
}

/** @param {number[]} visits */
function tourLine(visits) {
  const line = draw("path", { class: "line", d: `M${visits.map(centre).join("L")}` });
  const [x, y] = centre(visits[0]).split(" ");
  const parts = [line, draw("circle", { class: "start", cx: x, cy: y, r: 0.2 })];
  const last = visits[size - 1];
  // Back to the start, where that is a move like the others.
  if (visits.length === size && size > 2 && move(last, visits[0]) === move(visits[0], visits[1])) {
    const d = `M${centre(last)}L${centre(visits[0])}`;
    parts.splice(1, 0, draw("path", { class: "line closing", d }));
  }
  return parts;
}

/** A solution in words. @param {number} number */
function words(number) {
  if (look === "queens") {
    return `queens in columns ${boardOf(number).map((row) => row.findIndex((v) => v !== "")).join(" ")}`;
  }
  return boardOf(number)
    .map((row, r) => (data.names ? `${data.names[r]} ${row[0]}` : row.join(" ")))
    .join("; ");
}

// ------------------------------------------------------------------------------------------ list

/** The list of small boards, of which only those in sight are drawn. */
class List {
  constructor() {
    this.frame = byId("list");
    this.tiles = byId("tiles");
    /** @type {Map<number, HTMLElement>} */
    this.drawn = new Map();
    this.across = 1;
    this.width = this.height = 0;
    // Asking the frame for these after a change would make the browser lay the page out at once.
    this.top = this.tall = 0;
    this.printing = false;
    this.frame.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.frame.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.key(event));
    this.tiles.addEventListener("click", (/** @type {any} */ event) => {
      const tile = event.target.closest("[role=option]");
      if (tile) choose(Number(tile.dataset.number), true);
    });
    new ResizeObserver(() => this.measure()).observe(this.frame);
    addEventListener("beforeprint", () => this.print(true));
    addEventListener("afterprint", () => this.print(false));
  }

  scrolled() {
    this.top = this.frame.scrollTop;
    this.draw();
  }

  /** Fit as many tiles across as there is room for. */
  measure() {
    const wide = this.frame.clientWidth;
    this.tall = this.frame.clientHeight;
    const { least, tall } = tileSize();
    const across = Math.max(1, Math.floor(wide / least));
    const width = data.look === "table" ? Math.min(wide / across, 2 * least) : wide / across;
    const height = tall(width);
    if (across === this.across && width === this.width && height === this.height) {
      this.draw();
      return;
    }
    Object.assign(this, { across, width, height });
    this.restart();
  }

  /** Draw anew. */
  restart() {
    this.tiles.replaceChildren();
    this.drawn.clear();
    this.tiles.style.setProperty("height", `${Math.ceil(shown.length / this.across) * this.height}px`);
    this.draw();
  }

  /** @param {boolean} on */
  print(on) {
    this.printing = on;
    this.measure();
    this.restart();
  }

  /** Draw the tiles in sight and a row more on each side; forget the others. */
  draw() {
    if (!this.height) return;
    const tall = this.printing ? 800 : this.tall;
    const all = Math.ceil(shown.length / this.across) * this.height;
    const top = this.printing ? 0 : Math.max(0, Math.min(this.top, all - tall));
    const first = Math.max(0, Math.floor(top / this.height) - 1) * this.across;
    const last = Math.min(shown.length, (Math.ceil((top + tall) / this.height) + 1) * this.across);
    for (const [place, tile] of this.drawn) {
      if (place >= first && place < last) continue;
      tile.remove();
      this.drawn.delete(place);
    }
    for (let place = first; place < last; place++) {
      if (!this.drawn.has(place)) this.drawn.set(place, this.tile(place));
    }
  }

  /** @param {number} place */
  tile(place) {
    const number = shown[place];
    const said = figureWords(number);
    const tile = make(
      "div",
      {
        role: "option",
        id: `solution-${number + 1}`,
        "data-number": number,
        "aria-selected": String(number === state.chosen),
        "aria-setsize": shown.length,
        "aria-posinset": place + 1,
        "aria-label": `Solution ${number + 1}${said && `, ${said}`}: ${words(number)}`,
      },
      picture(number),
      make("p", {}, make("b", {}, number + 1), said && ` ${said}`),
    );
    tile.style.setProperty("width", `${this.width}px`);
    tile.style.setProperty("height", `${this.height}px`);
    tile.style.setProperty("left", `${(place % this.across) * this.width}px`);
    tile.style.setProperty("top", `${Math.floor(place / this.across) * this.height}px`);
    this.tiles.append(tile);
    return tile;
  }

  /** Mark the chosen tile and bring it into sight. */
  mark() {
    const place = shown.indexOf(state.chosen);
    if (place < 0) return;
    const top = Math.floor(place / this.across) * this.height;
    const outside = () => top < this.top || top + this.height > this.top + this.tall;
    if (outside()) {
      this.tall = this.frame.clientHeight;
      this.top = this.frame.scrollTop;
    }
    if (outside()) {
      this.frame.scrollTop = top < this.top ? top : top + this.height - this.tall;
      this.scrolled();
    }
    for (const [at, tile] of this.drawn) tile.setAttribute("aria-selected", String(at === place));
    this.frame.setAttribute("aria-activedescendant", `solution-${state.chosen + 1}`);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const page = this.across * Math.max(1, Math.floor(this.frame.clientHeight / this.height));
    const steps = {
      ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.across, ArrowDown: this.across,
      PageUp: -page, PageDown: page, Home: -count, End: count,
    };
    const step = steps[/** @type {keyof typeof steps} */ (event.key)];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    go(step);
  }
}

/** The least width of a tile, and its height by its width. */
function tileSize() {
  const words = 26;
  if (look === "table") {
    const least = data.header ? Math.max(200, cols * 76) : 150;
    return { least, tall: () => Math.min(mostRows, 12) * 19 + words + 10 };
  }
  const least = look === "numbers" ? Math.max(92, cols * 26 + 16) : Math.max(112, cols * 9 + 16);
  return { least, tall: (/** @type {number} */ width) => ((width - 16) * rows) / cols + words + 10 };
}

/** @param {number} number */
function figureWords(number) {
  return Object.entries(figures)
    .map(([name, column]) => `${name} ${column[number]}`)
    .join(", ");
}

// ------------------------------------------------------------------------------------ large view

/** @param {number} number @param {boolean} [look] bring the large view into sight */
function choose(number, look = false) {
  state.chosen = number;
  remember(false);
  showChosen();
  const view = byId("view").getBoundingClientRect();
  if (look && (view.bottom < 80 || view.top > innerHeight - 80)) byId("view").scrollIntoView();
}

/** Go so many solutions on in the list. @param {number} step */
function go(step) {
  if (!shown.length) return;
  const to = shown.indexOf(state.chosen) + step;
  choose(shown[Math.max(0, Math.min(shown.length - 1, to))]);
}

function showChosen() {
  const number = state.chosen;
  const none = shown.length === 0;
  const place = shown.indexOf(number);
  byId("view").classList.toggle("empty", none);
  byId("view-title").textContent = none ? "No solution" : `Solution ${number + 1}`;
  byId("previous").disabled = none || place === 0;
  byId("next").disabled = none || place === shown.length - 1;
  byId("copy").disabled = none;
  byId("player").hidden = none || look !== "tour";
  player.stop();
  byId("large").replaceChildren(...(none ? [] : [largeBoard(number)]));
  byId("facts").replaceChildren(...(none ? [] : facts(number)));
  if (look === "tour" && !none) player.show(size);
  list.mark();
}

/** @param {number} number */
function largeBoard(number) {
  const board = boardOf(number);
  const table = make("table", { class: tableClass(), "aria-label": `Solution ${number + 1}` });
  if (data.header) table.append(heading(data.header));
  const body = make("tbody");
  for (const [r, row] of board.entries()) {
    const line = make("tr");
    if (data.names) line.append(make("th", { scope: "row" }, data.names[r]));
    line.append(...row.map((value, c) => largeCell(value, r * cols + c, shade(r, c))));
    if (look === "numbers") line.append(make("td", { class: "sum" }, sum(row)));
    body.append(line);
  }
  if (look === "numbers") {
    const sums = board[0].map((_, c) => sum(board.map((row) => row[c])));
    body.append(make("tr", {}, ...sums.map((total) => make("td", { class: "sum" }, total))));
  }
  table.append(body);
  if (look !== "tour") return table;
  const line = draw("svg", { viewBox: `0 0 ${cols} ${rows}`, "aria-hidden": "true", id: "line" });
  return make("div", { class: "over" }, table, line);
}

/** @param {string|number} value @param {number} cell @param {string} shade */
function largeCell(value, cell, shade) {
  const asked = state.cells.has(cell) ? " asked" : "";
  const td = make("td", { class: shade + asked, "data-visit": look === "tour" && value });
  if (look === "queens" && value !== "") {
    td.append(queenIcon(), make("span", { class: "unseen" }, "queen"));
  } else {
    td.append(look === "tour" ? make("span", {}, value) : String(value));
  }
  return td;
}

/** @param {(string|number)[]} line */
function sum(line) {
  return line.reduce((/** @type {number} */ total, value) => total + Number(value), 0);
}

/** What is known of a solution, as terms and descriptions. @param {number} number */
function facts(number) {
  const said = Object.entries(figures).map(([name, column]) => fact(name, column[number]));
  if (look === "numbers" && rows === cols) {
    const board = boardOf(number);
    const falling = sum(board.map((row, r) => row[r]));
    const rising = sum(board.map((row, r) => row[cols - 1 - r]));
    said.push(fact("diagonals", `${falling}, ${rising}`));
  }
  for (const { name, said: words, of } of orbits) {
    const members = [...of].filter((orbit) => orbit === of[number]).length;
    const here = state.orbit?.name === name && of[state.orbit.member] === of[number];
    const button = make("button", { type: "button" }, here ? "show all" : "show them");
    button.addEventListener("click", () => {
      state.orbit = here ? null : { name, member: number };
      if (!here) state.alike = "";
      byId("alike").value = state.alike;
      changed();
    });
    const line = fact(`orbit under ${words}`, plural(members, "solution"));
    line.lastChild.append(" ", button);
    said.push(line);
  }
  return said;
}

/** @param {string} name @param {string|number} value */
function fact(name, value) {
  return make("div", {}, make("dt", {}, name), make("dd", {}, value));
}

/** A tour played move by move. */
const player = {
  timer: 0,
  shownTo: 0,

  toggle() {
    if (this.timer) {
      this.stop();
      return;
    }
    if (this.shownTo === size) this.show(1);
    byId("play").textContent = "Pause";
    this.timer = setInterval(() => {
      this.show(this.shownTo + 1);
      if (this.shownTo === size) this.stop();
    }, Math.max(60, Math.min(350, 16000 / size)));
  },

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    byId("play").textContent = "Play";
  },

  /** Show the visits up to one. @param {number} visit */
  show(visit) {
    const visits = order(state.chosen).slice(0, visit);
    this.shownTo = visit;
    byId("line").replaceChildren(...tourLine(visits));
    if (visit < size) {
      const [cx, cy] = centre(visits[visit - 1]).split(" ");
      byId("line").append(draw("circle", { class: "now", cx, cy, r: 0.34 }));
    }
    for (const td of byId("large").querySelectorAll("td")) {
      td.classList.toggle("ahead", Number(td.dataset.visit) > visit);
    }
    byId("step").value = String(visit);
    byId("step").setAttribute("aria-valuetext", `visit ${visit} of ${size}`);
    byId("visit").textContent = `${visit} of ${size}`;
  },
};

// ------------------------------------------------------------------------------- copy and download

/** A solution as it is written everywhere in the package. @param {number} number @returns {any} */
function solution(number) {
  const board = boardOf(number);
  if (data.form === "columns") return board.map((row) => row.findIndex((value) => value !== ""));
  if (data.names) return Object.fromEntries(data.names.map((name, r) => [name, board[r][0]]));
  return board;
}

/** JSON with a space after each comma, as Python writes it. @param {any} value @returns {string} */
function json(value) {
  if (Array.isArray(value)) return `[${value.map(json).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const parts = Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}: ${json(part)}`);
  return `{${parts.join(", ")}}`;
}

/** A row of a table. @param {number} number @returns {Record<string, any>} */
function record(number) {
  const columns = Object.entries(figures).map(([name, column]) => [name, column[number]]);
  const found = { number: number + 1, ...Object.fromEntries(columns) };
  const said = solution(number);
  return data.names ? { ...found, ...said } : { ...found, solution: said };
}

function asCsv() {
  const field = (/** @type {any} */ value) => {
    const text = typeof value === "object" ? json(value) : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const names = Object.keys(record(0));
  const lines = [...shown].map((number) => Object.values(record(number)));
  return [names, ...lines].map((line) => `${line.map(field).join(",")}\n`).join("");
}

function asJson() {
  return `[\n${[...shown].map((number) => json(record(number))).join(",\n")}\n]\n`;
}

/** @param {string} text @param {string} type @param {string} ending */
function download(text, type, ending) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href: address, download: `${data.name}.${ending}` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
  say(`${plural(shown.length, "solution")} written to ${data.name}.${ending}`);
}

async function copy() {
  try {
    await navigator.clipboard.writeText(json(solution(state.chosen)));
    say(`Solution ${state.chosen + 1} copied`);
    byId("copy").textContent = "Copied";
    setTimeout(() => (byId("copy").textContent = "Copy"), 1500);
  } catch {
    say("The browser does not let this page copy.");
    byId("copy").textContent = "Not allowed";
  }
}

/** To a screen reader. @param {string} text */
function say(text) {
  byId("said").textContent = text;
}

// ------------------------------------------------------------------------------------ explanation

/** A riddle's table as it fills, step by step. @param {Steps} steps */
function explained(steps) {
  const items = [...byId("steps").children];
  let at = 0;

  const show = (/** @type {number} */ to) => {
    at = Math.max(0, Math.min(items.length, to));
    byId("knowledge").replaceChildren(knowledge(steps, at));
    byId("step-at").textContent = `${at} of ${items.length}`;
    byId("step-back").disabled = at === 0;
    byId("step-on").disabled = at === items.length;
    for (const [k, item] of items.entries()) {
      if (k === at - 1) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    }
    const item = items[at - 1];
    const frame = byId("steps");
    frame.scrollTop = item ? item.offsetTop - frame.offsetTop - frame.clientHeight / 3 : 0;
  };
  byId("step-back").addEventListener("click", () => show(at - 1));
  byId("step-on").addEventListener("click", () => show(at + 1));
  byId("steps").addEventListener("click", (/** @type {any} */ event) => {
    const k = items.indexOf(event.target.closest("li"));
    if (k >= 0) show(k + 1);
  });
  show(0);
}

/** The values left in each cell after so many steps. @param {Steps} steps @param {number} upTo */
function knowledge(steps, upTo) {
  const holds = new Map();
  const excluded = new Set();
  const fresh = new Set();
  for (const [r, row] of steps.start.entries()) {
    for (const [c, value] of row.entries()) if (value) holds.set(`${r},${c}`, value);
  }
  for (const [k, derived] of steps.derived.slice(0, upTo).entries()) {
    for (const [c, r, value, yes] of derived) {
      if (yes) holds.set(`${r},${c}`, value);
      else excluded.add(`${r},${c},${value}`);
      if (k === upTo - 1) fresh.add(`${r},${c}`);
    }
  }
  const body = make("tbody");
  for (let r = 0; r < steps.start.length; r++) {
    const row = make("tr");
    for (let c = 0; c < steps.known.length; c++) {
      const at = `${r},${c}`;
      const open = steps.known[c].filter((value) => !excluded.has(`${at},${value}`));
      const inside = holds.has(at) ? make("b", {}, holds.get(at)) : make("small", {}, open.join(", "));
      row.append(make("td", { class: fresh.has(at) && "fresh" }, inside));
    }
    body.append(row);
  }
  const names = data.header ?? [];
  return make("table", { class: "sheet", "aria-label": "What is known" }, heading(names), body);
}

// ------------------------------------------------------------------------------------------ start

function buildControls() {
  for (const name of ["reset", "reset-too"]) byId(name).addEventListener("click", reset);
  byId("previous").addEventListener("click", () => go(-1));
  byId("next").addEventListener("click", () => go(1));
  byId("copy").addEventListener("click", copy);
  byId("csv").addEventListener("click", () => download(asCsv(), "text/csv", "csv"));
  byId("json").addEventListener("click", () => download(asJson(), "application/json", "json"));
  byId("step").max = String(size);
  byId("play").addEventListener("click", () => player.toggle());
  byId("step").addEventListener("input", () => {
    player.stop();
    player.show(Number(byId("step").value));
  });
  const typing = "table, input, select, .offers, .scroll, .mathematics";
  document.addEventListener("keydown", (event) => {
    const free = !(event.target instanceof Element) || !event.target.closest(typing);
    const plain = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (free && plain && event.key === "ArrowLeft") go(-1);
    if (free && plain && event.key === "ArrowRight") go(1);
  });
}

/** The lists of what to show and how to sort it. */
function buildChoices() {
  const alike = byId("alike");
  alike.append(make("option", { value: "" }, "all"));
  for (const { name, said, of } of orbits) {
    const classes = new Set(of).size;
    alike.append(make("option", { value: name }, `up to ${said} (${classes})`));
  }
  byId("alike-label").hidden = orbits.length === 0;
  alike.addEventListener("change", () => {
    state.alike = alike.value;
    changed();
  });
  const sort = byId("sort");
  sort.append(make("option", { value: "" }, "order found"));
  for (const name of Object.keys(figures)) {
    sort.append(make("option", { value: name }, `${name}, rising`));
    sort.append(make("option", { value: `-${name}` }, `${name}, falling`));
  }
  byId("sort-label").hidden = Object.keys(figures).length === 0 || count === 1;
  sort.addEventListener("change", () => {
    state.sort = sort.value;
    changed();
  });
}

/** Take the state from the address: at the start, and when somebody goes back. */
function restore() {
  state = read(location.hash);
  byId("alike").value = state.alike;
  byId("sort").value = state.sort;
  update();
}

/** @type {List} */
let list;
if (count) {
  document.documentElement.style.setProperty("--cols", String(cols));
  document.documentElement.style.setProperty("--rows", String(rows));
  list = new List();
  buildAsked();
  buildControls();
  buildChoices();
  list.measure();
  restore();
  addEventListener("popstate", restore);
  performance.mark("open");
}
if (data.steps) explained(data.steps);
