// The house: its rooms with their cards, how they fold, and what is wrong with the house.

const byId = (id) => document.getElementById(id);

/** The cards by the key of their device, and the rooms by their names. */
const cards = new Map();
const rooms = new Map();

/** The last reading of the house. */
let house = { devices: [] };

/** If the house has more devices than this, rooms start folded. */
const MAX_UNFOLDED = 60;

/** A folded room still shows up to this many devices that need attention. */
const MAX_WRONG_SHOWN = 3;

/** The minimum width of a column, and the space between columns, in pixels. */
const COLUMN = 264;
const GAP = 10;

const keyOf = (device) => JSON.stringify([device.room, device.name, device.controlName]);

/** Compares names as people do: Relay 2 is before Relay 10. */
const { compare } = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/** Gives a parent these children, in this order. A child that need not move keeps the focus. */
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

  /** Sets the room's cards. The parts of a node, such as the outlets of a power strip, are kept together as a block. */
  update(roomCards) {
    this.cards = roomCards.toSorted((one, other) => compare(one.device.name, other.device.name));
    const byNode = Map.groupBy(this.cards, ({ device }) => device.partOf ?? device.name);
    this.blocks = [...byNode].map(([name, parts]) => ({ name, parts }));
    const items = this.blocks.map(({ name, parts }) => {
      if (parts.length === 1) return parts[0].root;
      if (!this.strips.has(name)) this.strips.set(name, element("ul", { role: "list" }));
      const list = this.strips.get(name);
      arrange(list, parts.map((card) => card.root));
      return list.parentElement ?? element("li", { class: "strip" }, list);
    });
    arrange(this.list, items);
    const on = this.cards.filter(({ device }) => device.current?.on).length;
    const count = label(roomCards.length === 1 ? "device" : "devices", number(roomCards.length));
    write(this.count, on > 0 ? `${count} · ${label("isOn", number(on))}` : count);
    this.hasOff = this.name !== "" && this.cards.some(({ device }) => offered(device).includes("off"));
    this.off.classList.toggle("is", on === 0);
  }

  /**
   * Shows the cards that fit the filter. Without a filter, a folded room shows only some cards that need
   * attention. Returns the number of cards that fit.
   */
  show(fits, filtered) {
    const folded = this.folded && !filtered;
    const fitting = this.cards.filter(fits);
    const wrong = folded ? fitting.filter(({ device }) => needsAttention(device)).slice(0, MAX_WRONG_SHOWN) : [];
    const shown = new Set(folded ? wrong : fitting);
    for (const card of this.cards) card.root.hidden = !shown.has(card);
    for (const list of this.strips.values()) list.parentElement.hidden = [...list.children].every((root) => root.hidden);
    this.list.hidden = shown.size === 0;
    // "Room off" turns off the whole room. So it is offered only if the filter leaves out no card.
    this.off.hidden = !this.hasOff || fitting.length < this.cards.length;
    this.node.hidden = this.jump.hidden = fitting.length === 0;
    this.title.setAttribute("aria-expanded", String(!folded));
    this.span = Math.max(1, this.blocks.filter(({ parts }) => parts.some((card) => shown.has(card))).length);
    return fitting.length;
  }

  fold(folded) {
    this.folded = folded;
    applyFilter();
  }

  /** Unfolds the room, and scrolls to it, or to a card in it. */
  reveal(card) {
    this.fold(false);
    const node = card?.root ?? this.node;
    node.scrollIntoView({ block: "start" });
    (card?.root.querySelector("button, input, select") ?? this.title).focus({ preventScroll: true });
  }

  /** Turns off everything in the room with one call, and shows the outcome. */
  async turnOff() {
    if (this.off.getAttribute("aria-disabled") === "true") return;
    this.off.setAttribute("aria-disabled", "true");
    this.setOutcome({ certainty: "pending", text: "" });
    const outcome = await command(`everything in the ${this.name}`, { action: "off" });
    this.off.removeAttribute("aria-disabled");
    this.setOutcome(outcome);
    announce(outcome.text, outcome.lang);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.setOutcome(undefined), outcome.certainty === "confirmed" ? CONFIRMED_SHOWN : MAX_SHOWN);
    refresh();
  }

  setOutcome(outcome) {
    this.node.dataset.certainty = outcome?.certainty ?? "";
    showOutcome(this.outcome, outcome);
  }
}

/** Returns true if the values are a minute old or more, or if their age comes from an outage. */
function areValuesOld({ valuesAge, problems = [] }) {
  return valuesAge !== undefined && (problems.length > 0 || !valuesAge.endsWith(" s"));
}

/** Shows the house as the reading with this number has found it. */
function showHouse(read, readingNumber) {
  house = read;
  const areOld = areValuesOld(house);
  const devices = house.devices ?? [];
  const seen = new Set();
  const inRooms = Map.groupBy(devices.map((device) => {
    const key = keyOf(device);
    seen.add(key);
    if (!cards.has(key)) cards.set(key, new Card(device));
    const card = cards.get(key);
    card.update(device, readingNumber, areOld);
    return card;
  }), (card) => card.device.room);
  for (const key of cards.keys()) if (!seen.has(key)) cards.delete(key);
  for (const name of rooms.keys()) if (!inRooms.has(name)) rooms.delete(name);
  for (const [name, roomCards] of inRooms) {
    if (!rooms.has(name)) rooms.set(name, new Room(name, devices.length > MAX_UNFOLDED));
    rooms.get(name).update(roomCards);
  }
  const inOrder = [...inRooms.keys()].map((name) => rooms.get(name));
  arrange(byId("rooms"), inOrder.map((room) => room.node));
  arrange(byId("jump"), inOrder.map((room) => room.jump));
  byId("jump").hidden = inOrder.length < 2;
  root.classList.remove("stale");
  summarize();
  showProblems([...(house.problems ?? [])]);
  glance();
  applyFilter();
}

/** Shows the cards that fit the filter, and lays the rooms out again. */
function applyFilter() {
  const fits = ({ device }) => !matchingNames || matchingNames.has(device.controlName);
  let fitting = 0;
  for (const room of rooms.values()) fitting += room.show(fits, matchingNames !== null);
  byId("now").hidden = matchingNames !== null || cards.size === 0;
  const nothing = byId("nothing");
  nothing.hidden = fitting > 0;
  const near = nearestNames.length > 0 ? ` ${label("nearest", nearestNames.join(", "))}` : "";
  write(nothing, cards.size === 0 ? label("nothing") : label("noMatch", filterWords) + near);
  layOut();
}

/** Lays the rooms out in columns of equal width. A room spans as many columns as it shows blocks. */
function layOut() {
  const columns = Math.max(1, Math.floor((byId("rooms").clientWidth + GAP) / (COLUMN + GAP)));
  byId("rooms").style.setProperty("--columns", columns);
  for (const room of rooms.values()) room.node.style.setProperty("--span", Math.min(columns, room.span));
}

new ResizeObserver(layOut).observe(byId("rooms"));

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
  const before = list.shownContent;
  writeItems(list, sentences.map((words) => ["", words]));
  if (sentences.length > 0 && list.shownContent !== before) announce(sentences.join(" "));
}

/** Makes all labels, rooms and cards again, because the language has changed. */
function relabel() {
  writeLabels();
  const folded = new Map([...rooms].map(([name, room]) => [name, room.folded]));
  cards.clear();
  rooms.clear();
  if (!house.devices.length) return;
  showHouse(house, readingCount);
  for (const [name, room] of rooms) room.folded = folded.get(name);
  applyFilter();
}

/** Finds a card by its name, with or without the room. Returns undefined if none matches, or several do. */
function findCard(name) {
  const wanted = String(name ?? "").trim();
  const isWanted = (text) => compare(text, wanted) === 0;
  const byFullName = [...cards.values()].filter((card) => isWanted(card.name));
  const byShortName = [...cards.values()].filter((card) => isWanted(card.device.name));
  if (byFullName.length === 1) return byFullName[0];
  return byShortName.length === 1 ? byShortName[0] : undefined;
}
