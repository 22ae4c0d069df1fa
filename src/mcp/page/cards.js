// The card of a device: its picture, name, state, controls, and notes about anything unusual.

/** Makes an element. Strings among its children become text nodes. */
function element(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** Sets the text of a node. Leaves the node alone if it has the text already. */
function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Returns the notes about a device, each as its CSS class and its text. */
function notes(device) {
  const items = [];
  const note = (className, text) => items.push([className, text]);
  if (!device.responding) note("bad", label("dead"));
  if (device.asleep) note("plain", label("asleep"));
  if (device.certainty === "not confirmed") note("warn", label("doubtful"));
  if (device.certainty === "last known") note("plain", label("lastKnown"));
  const charge = device.battery ?? device.lowBattery;
  const isLow = device.lowBattery !== undefined;
  if (charge !== undefined) note(isLow ? "warn" : "plain", label(isLow ? "low" : "battery", percent(charge)));
  const age = device.silentFor ?? device.age;
  if (age) note(device.silentFor ? "bad" : "plain", label("lastHeard", ago(age)));
  return items;
}

/** Returns true if somebody has to look after a device. */
function needsAttention(device) {
  return device.problem !== undefined;
}

/** Returns what to do about a device's problem, in the server's words. The notes name most problems already. */
function advice(device) {
  const { problem = "" } = device;
  return severity(device) === UNNOTED ? problem : problem.split("; ").slice(1).join("; ");
}

/** Returns true if the shown facts of a device may be out of date. */
function isStale(device) {
  return !device.responding || device.silentFor !== undefined || device.certainty === "last known";
}

/** Says what the guard means for a device that opens or unlocks something. */
function guardNote(device) {
  if (!device.guarded || CONTROLS === "none" || GUARD === "allow") return "";
  const isAsked = GUARD === "confirm";
  if (device.kind === "lock") return label(isAsked ? "asksUnlock" : "refusedUnlock");
  return label(isAsked ? "asks" : "refused");
}

/** Shows items in a list. An item is a CSS class and a text. Leaves the list alone if nothing has changed. */
function writeItems(list, items) {
  const content = JSON.stringify(items);
  if (list.shownContent === content) return;
  list.shownContent = content;
  list.replaceChildren(...items.map(([className, text]) => element("li", { class: className }, text)));
  list.hidden = items.length === 0;
}

class Card {
  constructor(device) {
    this.orders = new Orders(() => this.paint());
    this.picture = picture();
    this.title = element("h3", {});
    this.state = element("p", { class: "state" });
    this.readings = element("ul", { class: "readings" });
    this.controls = element("div", { class: "controls" });
    this.head = element("div", { class: "head" }, this.picture,
      element("div", { class: "words" }, this.title, this.state));
    this.notes = element("ul", { class: "notes" });
    this.advice = element("p", { class: "advice", lang: "en" });
    this.guard = element("p", { class: "guard" });
    this.outcome = element("p", { class: "outcome" });
    this.root = element("li", { class: "card" },
      this.head, this.readings, this.controls, this.outcome, this.notes, this.advice, this.guard);
    this.device = device;
  }

  /** The device's name with its room, because several devices may have the same name. */
  get name() {
    return this.device.controlName;
  }

  /** Queues an order for the device. It is sent after `wait` milliseconds without another order. */
  order(order, wait) {
    this.orders.add(this.device, order, wait);
  }

  /** Shows a device as it is in the reading with this number. */
  update(device, readingNumber, stale) {
    this.device = device;
    this.orders.observe(device, readingNumber);
    write(this.title, device.name);
    const { facts = [] } = device;
    const readings = translateStates(device.readings ?? []);
    const needsKind = facts.length === 0 && readings.texts.length === 0 && device.responding;
    const states = translateStates(needsKind ? [device.kind] : facts);
    write(this.state, states.texts.join(", "));
    this.state.lang = states.lang;
    this.state.hidden = this.state.textContent === "";
    writeItems(this.readings, readings.texts.map((text) => ["", text]));
    this.readings.lang = readings.lang;
    this.root.classList.toggle("stale", stale || isStale(device));
    draw(this.picture, device);
    writeItems(this.notes, notes(device));
    write(this.advice, advice(device));
    this.advice.hidden = device.problem === undefined;
    this.build(controlsOf(device));
    const guard = guardNote(device);
    write(this.guard, guard);
    this.guard.hidden = guard === "";
    this.paint();
  }

  /** Makes the controls. Leaves them alone if they would be the same as before. */
  build(kinds) {
    const { controlName, level, temperature, modes, whites } = this.device;
    const basis = JSON.stringify([kinds, controlName, offered(this.device), level, temperature, modes, whites]);
    if (basis === this.basis) return;
    this.basis = basis;
    const focused = this.root.contains(document.activeElement) && document.activeElement.getAttribute("aria-label");
    this.built = kinds.map((kind) => control(kind, this));
    const [picture, words] = this.head.children;
    const inHead = this.built.filter((control) => control.isInHead);
    const below = this.built.filter((control) => !control.isInHead);
    this.head.replaceChildren(picture, words, ...inHead.map(({ node }) => node));
    this.controls.replaceChildren(...below.map(({ node }) => node));
    this.controls.hidden = below.length === 0;
    if (!focused) return;
    const inputs = [...this.root.querySelectorAll("button, input, select")];
    (inputs.find((node) => node.getAttribute("aria-label") === focused) ?? inputs[0])?.focus();
  }

  /** Shows the expected facts in the controls, and the outcome of the last order. */
  paint() {
    const expected = this.orders.expected(this.device);
    for (const control of this.built ?? []) control.show(expected);
    const shown = this.orders.shown();
    this.root.dataset.certainty = shown?.certainty ?? "";
    this.root.setAttribute("aria-busy", String(this.orders.isBusy));
    showOutcome(this.outcome, shown);
  }
}
