// The house: its rooms with their cards, its troubles, and the filter.

const byId = (id) => document.getElementById(id);

/** The cards by what tells devices apart, and the sections by their rooms. */
const cards = new Map();
const sections = new Map();

/** Letters without case and accents, for comparing. */
function folded(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

const keyOf = (device) => JSON.stringify([device.room, device.name, device.controlName]);

/** A section for a room, made where there is none yet. */
function section(room) {
  let own = sections.get(room);
  if (!own) {
    const id = `room-${sections.size}-${cards.size}`;
    const list = element("ul", { class: "cards", role: "list" });
    const title = element("h2", { id }, room || "Without a room");
    own = { list, node: element("section", { "aria-labelledby": id }, title, list) };
    sections.set(room, own);
  }
  return own;
}

/** Brings nodes into their order; what is in its place is not touched, and so keeps the focus. */
function arrange(parent, nodes) {
  nodes.forEach((node, at) => {
    if (parent.children[at] !== node) parent.insertBefore(node, parent.children[at] ?? null);
  });
  while (parent.children.length > nodes.length) parent.lastElementChild.remove();
}

/** Shows the house as a reading tells it. */
function showHouse(house, reading) {
  const devices = house.devices ?? [];
  const rooms = new Map();
  const seen = new Set();
  for (const device of devices) {
    const key = keyOf(device);
    seen.add(key);
    let card = cards.get(key);
    if (!card) cards.set(key, card = new Card(device));
    card.update(device, reading);
    if (!rooms.has(device.room)) rooms.set(device.room, []);
    rooms.get(device.room).push(card.root);
  }
  for (const key of cards.keys()) if (!seen.has(key)) cards.delete(key);
  for (const room of sections.keys()) if (!rooms.has(room)) sections.delete(room);
  for (const [room, roots] of rooms) arrange(section(room).list, roots);
  arrange(byId("rooms"), [...rooms.keys()].map((room) => section(room).node));
  summarize(house);
  showProblems([...(house.problems ?? [])]);
  sift();
}

function summarize(house) {
  const count = house.count ?? cards.size;
  const parts = [`${number(count)} ${count === 1 ? "device" : "devices"}`];
  if (house.notResponding > 0) parts.push(`${number(house.notResponding)} not responding`);
  if (house.leftOut > 0) parts.push(`${number(house.leftOut)} not shown`);
  parts.push(house.valuesAge ? `values as of ${house.valuesAge} ago` : `read at ${clock()}`);
  write(byId("summary"), parts.join(" · "));
}

/** What is wrong with the house, in the server's sentences. */
function showProblems(sentences) {
  const list = byId("problems");
  const shape = JSON.stringify(sentences);
  if (list.dataset.shape === shape) return;
  list.dataset.shape = shape;
  list.replaceChildren(...sentences.map((words) => element("li", {}, words)));
  list.hidden = sentences.length === 0;
  if (sentences.length > 0) say(sentences.join(" "));
}

/** Leaves only what has all words of the filter in its name, room, kind or state. */
function sift() {
  const said = byId("filter").value.trim();
  const words = folded(said).split(/\s+/).filter(Boolean);
  let left = 0;
  for (const card of cards.values()) {
    const fitting = words.every((word) => card.words.includes(word));
    if (card.root.hidden === fitting) card.root.hidden = !fitting;
    if (fitting) left += 1;
  }
  for (const { list, node } of sections.values()) {
    const empty = [...list.children].every((root) => root.hidden);
    if (node.hidden !== empty) node.hidden = empty;
  }
  const nothing = byId("nothing");
  nothing.hidden = left > 0;
  write(nothing, cards.size === 0 ? "There is no device to show." : `No device matches “${said}”.`);
}

byId("filter").addEventListener("input", sift);

/** Filters by what the conversation asked for; the server knows more words than the page. */
function narrow(words) {
  byId("filter").value = words;
  sift();
  if (!byId("nothing").hidden) byId("filter").value = "";
  sift();
}

/** The one card that is called so, with its room or without. */
function called(name) {
  const said = folded(String(name ?? "")).trim();
  const own = [...cards.values()];
  const whole = own.filter((card) => folded(card.name) === said);
  const short = own.filter((card) => folded(card.device.name) === said);
  if (whole.length === 1) return whole[0];
  return short.length === 1 ? short[0] : undefined;
}
