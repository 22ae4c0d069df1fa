// The house: its rooms with their cards, how they fold, and what is wrong with the house.

const byId = (id) => document.getElementById(id);

/** The cards by what tells devices apart, and the rooms by their names. */
const cards = new Map();
const rooms = new Map();

/** The last reading of the house. */
let house = { devices: [] };

/** With more devices rooms start folded. */
const MANY = 60;

/** The number of devices needing attention that a folded room still shows. */
const WRONG_SHOWN = 3;

/** The minimum width of a column, and the space between two, in pixels. */
const COLUMN = 264;
const GAP = 10;

const keyOf = (device) => JSON.stringify([device.room, device.name, device.controlName]);

/** Compares names as people do: Relay 2 stands before Relay 10. */
const { compare } = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/** Brings nodes into their order; what is in its place is not touched, and so keeps the focus. */
function arrange(parent, nodes) {
  nodes.forEach((node, at) => {
    if (parent.children[at] !== node) parent.insertBefore(node, parent.children[at] ?? null);
  });
  while (parent.children.length > nodes.length) parent.lastElementChild.remove();
}

/** A room: a heading that folds it, and its cards. */
class Room {
  constructor(name, folded) {
    this.name = name;
    this.folded = folded;
    this.strips = new Map();
    const id = `room-${Math.random().toString(36).slice(2)}`;
    this.title = element("button", { type: "button", class: "fold", "aria-controls": `${id}-cards` }, name || label("noRoom"));
    this.title.addEventListener("click", () => this.fold(!this.folded));
    this.count = element("span", { class: "count" });
    this.off = button(label("roomOff"), `${label("roomOff")}: ${name}`, () => this.turnOff());
    this.off.className = "off";
    this.outcome = element("p", { class: "outcome" });
    this.list = element("ul", { class: "cards", role: "list", id: `${id}-cards` });
    this.node = element("section", { class: "room", "aria-labelledby": id },
      element("div", { class: "room-head" }, element("h2", { id }, this.title), this.count, this.off),
      this.outcome, this.list);
    this.jump = button(name || label("noRoom"), name || label("noRoom"), () => this.reveal());
  }

  /** Takes in the room's cards; the parts of one node, as a strip's outlets, stay together. */
  update(own) {
    this.cards = own.toSorted((one, other) => compare(one.device.name, other.device.name));
    const nodes = Map.groupBy(this.cards, ({ device }) => device.partOf ?? device.name);
    this.blocks = [...nodes].map(([name, parts]) => ({ name, parts }));
    const items = this.blocks.map(({ name, parts }) => {
      if (parts.length === 1) return parts[0].root;
      if (!this.strips.has(name)) this.strips.set(name, element("ul", { role: "list" }));
      const list = this.strips.get(name);
      arrange(list, parts.map((card) => card.root));
      return list.parentElement ?? element("li", { class: "strip" }, list);
    });
    arrange(this.list, items);
    const on = this.cards.filter(({ device }) => device.current?.on).length;
    const count = label(own.length === 1 ? "device" : "devices", number(own.length));
    write(this.count, on > 0 ? `${count} · ${label("isOn", number(on))}` : count);
    this.off.hidden = this.name === "" || !this.cards.some(({ device }) => offered(device).includes("off"));
    this.off.classList.toggle("is", on === 0);
  }

  /** Shows the cards that fit the filter and, while it is folded, of these only what is wrong. */
  show(fits, filtered) {
    const folded = this.folded && !filtered;
    const fitting = this.cards.filter(fits);
    const wrong = folded ? fitting.filter(({ device }) => isWrong(device)).slice(0, WRONG_SHOWN) : [];
    const shown = new Set(folded ? wrong : fitting);
    for (const card of this.cards) card.root.hidden = !shown.has(card);
    for (const list of this.strips.values()) list.parentElement.hidden = [...list.children].every((root) => root.hidden);
    this.list.hidden = shown.size === 0;
    this.node.hidden = this.jump.hidden = fitting.length === 0;
    this.title.setAttribute("aria-expanded", String(!folded));
    this.span = Math.max(1, this.blocks.filter(({ parts }) => parts.some((card) => shown.has(card))).length);
    return fitting.length;
  }

  fold(folded) {
    this.folded = folded;
    sift();
  }

  /** Brings the room into sight, unfolded. */
  reveal(card) {
    this.fold(false);
    const node = card?.root ?? this.node;
    node.scrollIntoView({ block: "start" });
    (card?.root.querySelector("button, input, select") ?? this.title).focus({ preventScroll: true });
  }

  /** Turns off what is in the room, in one call, and says what became of it. */
  async turnOff() {
    if (this.off.getAttribute("aria-disabled") === "true") return;
    this.off.setAttribute("aria-disabled", "true");
    this.say({ certainty: "pending", text: "" });
    const outcome = await command(`everything in the ${this.name}`, { action: "off" });
    this.off.removeAttribute("aria-disabled");
    this.say(outcome);
    say(outcome.text);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.say(undefined), outcome.certainty === "confirmed" ? TICK : MAX_SHOWN);
    refresh();
  }

  say(outcome) {
    this.node.dataset.certainty = outcome?.certainty ?? "";
    showOutcome(this.outcome, outcome);
  }
}

/** Shows the house as a reading tells it. */
function showHouse(read, reading) {
  house = read;
  const devices = house.devices ?? [];
  const seen = new Set();
  const inRooms = Map.groupBy(devices.map((device) => {
    const key = keyOf(device);
    seen.add(key);
    if (!cards.has(key)) cards.set(key, new Card(device));
    const card = cards.get(key);
    card.update(device, reading, house.valuesAge !== undefined);
    return card;
  }), (card) => card.device.room);
  for (const key of cards.keys()) if (!seen.has(key)) cards.delete(key);
  for (const name of rooms.keys()) if (!inRooms.has(name)) rooms.delete(name);
  for (const [name, own] of inRooms) {
    if (!rooms.has(name)) rooms.set(name, new Room(name, devices.length > MANY));
    rooms.get(name).update(own);
  }
  const inOrder = [...inRooms.keys()].map((name) => rooms.get(name));
  arrange(byId("rooms"), inOrder.map((room) => room.node));
  arrange(byId("jump"), inOrder.map((room) => room.jump));
  byId("jump").hidden = inOrder.length < 2;
  root.classList.remove("stale");
  summarize();
  showProblems([...(house.problems ?? [])]);
  glance();
  sift();
}

/** Shows the cards that the filter leaves, and how wide each room is. */
function sift() {
  const fits = ({ device }) => !found || found.has(device.controlName);
  let left = 0;
  for (const room of rooms.values()) left += room.show(fits, found !== null);
  byId("now").hidden = found !== null || cards.size === 0;
  const nothing = byId("nothing");
  nothing.hidden = left > 0;
  write(nothing, cards.size === 0 ? label("nothing") : label("noMatch", wanted));
  spread();
}

/** Lays the rooms out in columns of one width; a room is as wide as it has cards. */
function spread() {
  const columns = Math.max(1, Math.floor((byId("rooms").clientWidth + GAP) / (COLUMN + GAP)));
  byId("rooms").style.setProperty("--columns", columns);
  for (const room of rooms.values()) room.node.style.setProperty("--span", Math.min(columns, room.span));
}

new ResizeObserver(spread).observe(byId("rooms"));

function summarize() {
  const count = house.count ?? cards.size;
  const parts = [label(count === 1 ? "device" : "devices", number(count))];
  if (house.notResponding > 0) parts.push(label("notResponding", number(house.notResponding)));
  if (house.leftOut > 0) parts.push(label("notShown", number(house.leftOut)));
  parts.push(house.valuesAge ? label("valuesFrom", ago(house.valuesAge)) : label("readAt", clock()));
  write(byId("summary"), parts.join(" · "));
}

/** Shows what is wrong with the house, in the server's sentences. */
function showProblems(sentences) {
  const list = byId("problems");
  const before = list.shape;
  writeItems(list, sentences.map((words) => ["", words]));
  if (sentences.length > 0 && list.shape !== before) say(sentences.join(" "));
}

/** Makes everything anew in another language. */
function relabel() {
  writeLabels();
  const folded = new Map([...rooms].map(([name, room]) => [name, room.folded]));
  cards.clear();
  rooms.clear();
  if (!house.devices.length) return;
  showHouse(house, readingCount);
  for (const [name, room] of rooms) room.folded = folded.get(name);
  sift();
}

/** Finds the only card of a name, with its room or without. */
function findCard(name) {
  const said = String(name ?? "").trim();
  const own = [...cards.values()];
  const is = (text) => compare(text, said) === 0;
  const whole = own.filter((card) => is(card.name));
  const short = own.filter((card) => is(card.device.name));
  if (whole.length === 1) return whole[0];
  return short.length === 1 ? short[0] : undefined;
}
