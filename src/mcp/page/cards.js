// One device: a card with its picture, name, state, what is out of the ordinary, and its controls.

/** An element; texts among its children stay texts. */
function element(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** Puts a text into a node, and touches nothing where it is there already. */
function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** The notes about a device, each with its word for the style sheet. */
function notes(device) {
  const some = [];
  const note = (word, text) => some.push([word, text]);
  if (!device.responding) note("bad", label("dead"));
  if (device.asleep) note("plain", label("asleep"));
  if (device.certainty === "not confirmed") note("warn", label("doubtful"));
  if (device.certainty === "last known") note("plain", label("lastKnown"));
  const charge = device.battery ?? device.lowBattery;
  const low = device.lowBattery !== undefined;
  if (charge !== undefined) note(low ? "warn" : "plain", label(low ? "low" : "battery", percent(charge)));
  const age = device.silentFor ?? device.age;
  if (age) note(device.silentFor ? "bad" : "plain", label("lastHeard", ago(age)));
  return some;
}

/** Checks whether somebody has to look after a device. */
function isWrong(device) {
  return !device.responding || device.silentFor !== undefined || device.lowBattery !== undefined;
}

/** Checks whether what is shown of a device may long be otherwise. */
function isStale(device) {
  return !device.responding || device.silentFor !== undefined || device.certainty === "last known";
}

/** Says what the guard means for a device that opens something. */
function guardNote(device) {
  if (!device.guarded || CONTROLS === "none" || GUARD === "allow") return "";
  return label(GUARD === "confirm" ? "asks" : "refused");
}

/** Writes texts as items of a list, anew only where they are others. */
function writeItems(list, items) {
  const shape = JSON.stringify(items);
  if (list.shape === shape) return;
  list.shape = shape;
  list.replaceChildren(...items.map(([word, text]) => element("li", { class: word }, text)));
  list.hidden = items.length === 0;
}

class Card {
  constructor(device) {
    this.orders = new Orders(() => this.paint());
    this.picture = picture();
    this.title = element("h3", {});
    this.state = element("p", { class: "state", lang: "en" });
    this.readings = element("ul", { class: "readings", lang: "en" });
    this.controls = element("div", { class: "controls" });
    this.head = element("div", { class: "head" }, this.picture,
      element("div", { class: "words" }, this.title, this.state));
    this.notes = element("ul", { class: "notes" });
    this.guard = element("p", { class: "guard" });
    this.outcome = element("p", { class: "outcome" });
    this.root = element("li", { class: "card" },
      this.head, this.readings, this.controls, this.outcome, this.notes, this.guard);
    this.device = device;
  }

  /** The device's name with its room, as several may have its name. */
  get name() {
    return this.device.controlName;
  }

  want(wish, wait) {
    this.orders.want(this.device, wish, wait);
  }

  /** Takes in the facts of a reading. */
  update(device, reading, stale) {
    this.device = device;
    this.orders.compare(device, reading);
    write(this.title, device.name);
    const { facts = [], readings = [] } = device;
    write(this.state, facts.join(", ") || (readings.length > 0 || !device.responding ? "" : device.kind));
    this.state.hidden = this.state.textContent === "";
    writeItems(this.readings, readings.map((text) => ["", text]));
    this.root.classList.toggle("stale", stale || isStale(device));
    draw(this.picture, device);
    writeItems(this.notes, notes(device));
    this.build(controlsOf(device));
    const guard = guardNote(device);
    write(this.guard, guard);
    this.guard.hidden = guard === "";
    this.paint();
  }

  /** Makes the controls anew, only where the device has others than before. */
  build(kinds) {
    const { controlName, level, temperature, modes } = this.device;
    const shape = JSON.stringify([kinds, controlName, offered(this.device), level, temperature, modes]);
    if (shape === this.shape) return;
    this.shape = shape;
    const focused = this.root.contains(document.activeElement) && document.activeElement.getAttribute("aria-label");
    this.made = kinds.map((kind) => control(kind, this));
    const [first, rest] = [this.made.filter((one) => one.first), this.made.filter((one) => !one.first)];
    this.head.replaceChildren(...[...this.head.children].slice(0, 2), ...first.map((one) => one.node));
    this.controls.replaceChildren(...rest.map((one) => one.node));
    this.controls.hidden = rest.length === 0;
    if (!focused) return;
    const all = [...this.root.querySelectorAll("button, input, select")];
    (all.find((node) => node.getAttribute("aria-label") === focused) ?? all[0])?.focus();
  }

  /** Shows the facts, what is wished, and what became of it. */
  paint() {
    const hoped = this.orders.hoped(this.device);
    for (const one of this.made ?? []) one.show(hoped);
    const shown = this.orders.shown();
    this.root.dataset.certainty = shown?.certainty ?? "";
    this.root.setAttribute("aria-busy", String(this.orders.busy));
    showOutcome(this.outcome, shown);
  }
}
