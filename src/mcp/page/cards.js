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

/** What is out of the ordinary about a device, each with its word for the style sheet. */
function notes(device) {
  const some = [];
  const note = (word, text) => some.push([word, text]);
  if (!device.responding) note("bad", "not responding");
  if (device.silentFor) note("bad", `not heard of for ${device.silentFor}`);
  if (device.asleep) note("plain", "asleep");
  if (device.certainty === "not confirmed") note("warn", "not confirmed");
  const charge = device.battery ?? device.lowBattery;
  if (charge !== undefined) {
    const low = device.lowBattery !== undefined;
    note(low ? "warn" : "plain", `battery ${percent(charge)}${low ? ", low" : ""}`);
  }
  return some;
}

/** What is said about the guard of a device that opens something. */
function guardNote(device) {
  if (!device.guarded || CONTROLS === "none" || GUARD === "allow") return "";
  if (GUARD === "confirm") return "Opening is guarded: you are asked before it is done.";
  return "Opening is guarded, and not allowed here. The owner allows it with --guard confirm or --guard allow.";
}

class Card {
  constructor(device) {
    this.orders = new Orders(() => this.paint());
    this.picture = picture();
    this.title = element("h3", {});
    this.state = element("p", { class: "state" });
    this.controls = element("div", { class: "controls" });
    this.head = element("div", { class: "head" }, this.picture,
      element("div", { class: "words" }, this.title, this.state));
    this.notes = element("ul", { class: "notes" });
    this.age = element("p", { class: "age" });
    this.guard = element("p", { class: "guard" });
    this.outcome = element("p", { class: "outcome" });
    this.root = element("li", { class: "card" },
      this.head, this.controls, this.outcome, this.notes, this.age, this.guard);
    this.device = device;
  }

  /** What the controls call the device: with its room, as several may have its name. */
  get name() {
    return this.device.controlName;
  }

  want(wish, wait) {
    this.orders.want(this.device, wish, wait);
  }

  /** Takes in the facts of a reading. */
  update(device, reading) {
    this.device = device;
    this.orders.compare(device, reading);
    this.words = folded(`${device.name} ${device.room} ${device.kind} ${device.state ?? ""}`
      + `${device.responding ? "" : " not responding"}${device.asleep ? " asleep" : ""}`);
    write(this.title, device.name);
    write(this.state, device.state ?? (device.responding ? device.kind : "–"));
    this.root.classList.toggle("dead", !device.responding);
    draw(this.picture, device);
    this.note(notes(device));
    // It is another one each time; the rest need not be made anew for that.
    write(this.age, device.age ? `heard of ${device.age} ago` : "");
    this.age.hidden = !device.age;
    this.build(controlsOf(device));
    const guard = guardNote(device);
    write(this.guard, guard);
    this.guard.hidden = guard === "";
    this.paint();
  }

  note(some) {
    const shape = JSON.stringify(some);
    if (shape === this.noted) return;
    this.noted = shape;
    this.notes.replaceChildren(...some.map(([word, text]) => element("li", { class: word }, text)));
    this.notes.hidden = some.length === 0;
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
    this.outcome.hidden = !shown;
    write(this.outcome, shown ? `${MARKS[shown.certainty]} ${shown.text}` : "");
  }
}
