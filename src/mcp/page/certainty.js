// Orders for a device, and the certainty of their outcomes. An order is a command that the user has given on the
// page: an action and its arguments.

/** The time limit of a command, in milliseconds. It is long because a person may have to consent first. */
const COMMAND_TIMEOUT = 300_000;

/**
 * The time that a confirmed outcome is shown, and the maximum time that any other outcome is shown, in
 * milliseconds. A device's card shows the outcomes "moving" and "queued" without this maximum.
 */
const CONFIRMED_SHOWN = 8_000;
const MAX_SHOWN = 90_000;

/**
 * While its outcome is "moving", a device counts as standing still if its facts stay the same for one of
 * these times, in milliseconds: the first if the facts have changed since the order, the second if not.
 */
const STILL_AFTER_CHANGE = 7_000;
const STILL_WITHOUT_CHANGE = 40_000;

/** The property that an action sets. A later order replaces an earlier one for the same property. */
const PROPERTIES = {
  on: "power", off: "power", dim: "power",
  open: "place", close: "place", stop: "place",
  lock: "bolt", unlock: "bolt",
  set_temperature: "warmth", set_mode: "mode", set_color: "color",
};

/** The certainties that a later reading can turn into "confirmed". */
const PROVABLE = ["moving", "accepted", "queued", "unknown"];

/** The symbol before the sentence of an outcome. */
const MARKS = {
  pending: "…", confirmed: "✓", moving: "⇅", accepted: "?", queued: "⏾", unknown: "⚠", failed: "✗",
};

/** Shows an outcome and its sentence in a paragraph. Hides the paragraph if there is no outcome. */
function showOutcome(node, outcome) {
  node.hidden = !outcome;
  const { certainty, name = certainty, text, lang = root.lang } = outcome ?? { certainty: "", text: "" };
  const words = Object.hasOwn(LABELS, name) ? ` ${label(name)}` : "";
  const shown = outcome ? `${MARKS[certainty]}${words} ${text}`.trimEnd() : "";
  node.lang = lang;
  write(node, shown);
}

/** Returns the facts that an order leads to. */
function goal({ action, level, mode, color }, now = {}) {
  switch (action) {
    case "on": return { on: true };
    case "off": return { on: false };
    case "dim": return level > 0 ? { on: true, level } : { on: false };
    case "open":
      return now.position === undefined ? { open: true } : { position: level ?? 100 };
    case "close": return now.position === undefined ? { open: false } : { position: 0 };
    case "lock": return { locked: true };
    case "unlock": return { locked: false };
    case "set_temperature": return { target: level };
    case "set_mode": return { mode };
    case "set_color": return { color };
    default: return {};
  }
}

/** Returns the facts that an order leads to and that a device does not have, within 1 % or 0.05 degrees. */
function missing(order, now) {
  return Object.entries(goal(order, now)).filter(([fact, value]) => typeof value === "number"
    ? !(Math.abs(now[fact] - value) <= (fact === "target" ? 0.05 : 1))
    : now[fact] !== value);
}

/** Returns true if a device's facts are those that an order leads to. */
function isFulfilled(order, { current = {} }) {
  return Object.keys(goal(order, current)).length > 0 && missing(order, current).length === 0;
}

/**
 * Returns true if a device is in another state than the one that an order leads to. A call in the conversation may
 * name a mode or a color in other words than the device. Therefore these count only if they have changed.
 */
function isContradicted({ order, hasChanged }, { current = {} }) {
  return missing(order, current).some(([fact, value]) =>
    current[fact] !== undefined && (hasChanged || typeof value !== "string"));
}

/** Describes a device in a sentence, from its facts. */
function describe({ controlName, facts = [], responding }) {
  const { texts } = translateStates(facts.length > 0 ? facts : ["state unknown"]);
  return `${controlName}: ${responding ? texts.join(", ") : label("dead")}.`;
}

/**
 * The orders for one device and their outcomes. `sent` is the order under way, and `next` has the waiting orders
 * by the property that they set. `changed` is called when there is something new to show.
 */
class Orders {
  constructor(changed) {
    this.changed = changed;
    this.turn = 0;
    this.sent = null;
    this.next = new Map();
    this.outcome = null;
  }

  get isBusy() {
    return this.sent !== null || this.next.size > 0;
  }

  /** Returns the device's facts as they will be if all orders are fulfilled. */
  expected(device) {
    const now = device.current ?? {};
    const last = this.outcome?.isExpected ? [this.outcome.order] : [];
    const orders = [...last, ...(this.sent ? [this.sent.order] : []), ...this.next.values()];
    return Object.assign({}, now, ...orders.map((order) => goal(order, now)));
  }

  /** Queues an order. It is sent after `wait` milliseconds without another order. */
  add(device, order, wait = 0) {
    this.device = device;
    this.outcome = null;
    clearTimeout(this.timer);
    // A stop is sent at once, even while another command is under way.
    if (order.action === "stop") {
      this.next.clear();
      this.send(order);
    } else {
      this.next.delete(PROPERTIES[order.action]);
      this.next.set(PROPERTIES[order.action], order);
      if (wait === 0) this.proceed();
      else this.timer = setTimeout(() => this.proceed(), wait);
    }
    this.changed();
  }

  /** Sends the next order, unless a command is under way. */
  proceed() {
    if (this.sent || this.next.size === 0) return;
    const [property, order] = this.next.entries().next().value;
    this.next.delete(property);
    this.send(order);
  }

  async send(order) {
    const turn = ++this.turn;
    this.sent = { order };
    this.changed();
    const outcome = await command(this.device.controlName, order, this.device);
    // A stop was sent in the meantime.
    if (turn !== this.turn) return;
    this.sent = null;
    for (const [property, next] of this.next) {
      const isSame = JSON.stringify(next) === JSON.stringify(order);
      if (isSame && outcome.certainty === "confirmed") this.next.delete(property);
    }
    this.conclude(order, outcome);
    this.proceed();
    refresh();
  }

  /**
   * Shows the outcome of an order. Unless the outcome is "failed" or "unknown", the facts that the order
   * leads to are expected until the next reading. If the outcome is "queued", they stay expected as long as
   * the outcome is shown.
   */
  conclude(order, { certainty, text, lang }) {
    const isExpected = certainty !== "failed" && certainty !== "unknown";
    this.outcome = { order, certainty, text, lang, isExpected, at: Date.now(), after: readingCount };
    announce(text, lang);
    this.changed();
  }

  /** Updates the outcome from the reading with this number, if that reading began after the outcome came. */
  observe(device, readingNumber) {
    this.device = device;
    const outcome = this.outcome;
    if (!outcome || readingNumber <= outcome.after) return;
    const now = Date.now();
    const facts = JSON.stringify(device.current ?? {});
    if (facts !== outcome.facts) {
      outcome.hasChanged = outcome.facts !== undefined;
      Object.assign(outcome, { facts, since: now });
    }
    outcome.isExpected = outcome.certainty === "queued";
    const isMoving = device.current?.moving !== undefined;
    const isConfirmed = device.certainty === "confirmed" && !isMoving;
    if (outcome.certainty === "confirmed") {
      const isOver = isConfirmed && isContradicted(outcome, device);
      if (isOver || now - outcome.at > CONFIRMED_SHOWN) this.outcome = null;
    } else if (outcome.certainty === "moving" && !device.responding) {
      this.change("unknown", device);
    } else if (PROVABLE.includes(outcome.certainty) && isConfirmed && isFulfilled(outcome.order, device)) {
      this.change("confirmed", device);
    } else if (outcome.certainty === "moving") {
      // The server's sentence names the position that the device had when the call ended.
      if (outcome.hasChanged) Object.assign(outcome, { text: describe(device), lang: root.lang });
      const limit = outcome.hasChanged ? STILL_AFTER_CHANGE : STILL_WITHOUT_CHANGE;
      if (!isMoving && now - outcome.since > limit) this.outcome = null;
    } else if (outcome.certainty === "queued") {
      // The device has changed, but not as the order says.
      if (outcome.hasChanged) this.outcome = null;
    } else if (now - outcome.at > MAX_SHOWN) {
      this.outcome = null;
    }
  }

  /** Changes the certainty of the outcome, because of what the device is now. */
  change(certainty, device) {
    const text = describe(device);
    Object.assign(this.outcome, { certainty, text, lang: root.lang, isExpected: false, at: Date.now() });
    announce(text);
  }

  /** Returns the certainty and the sentence to show, or null if there are none. */
  shown() {
    if (!this.isBusy) return this.outcome;
    const name = this.sent && needsConsent(this.device, this.sent.order.action) ? "askedFirst" : "pending";
    return { certainty: "pending", name, text: "" };
  }
}

/** Sends an order for a device, or for a set of them, to the server. Returns the order's outcome. */
async function command(deviceName, order, device) {
  const call = { name: "control_zwave_device", arguments: { deviceName, ...order } };
  try {
    return readOutcome(await request("tools/call", call, COMMAND_TIMEOUT), order.action, device);
  } catch (error) {
    return { certainty: "unknown", text: error.message, lang: "en" };
  }
}

/**
 * Reads the certainty and the sentence of a tool's result. The action that was called, and the device if it was only
 * one, choose the page's own words.
 */
function readOutcome(result, action, device) {
  const texts = (result.content ?? []).filter((block) => block.type === "text");
  const text = texts.map((block) => block.text).join(" ") || "The answer says nothing.";
  const fact = (name) => result._meta?.[`zwave-mcp-server/${name}`];
  // The server's sentence may name the option --guard, but nobody can set an option on this page.
  if (fact("reason") === "guarded" && text.includes("--guard")) {
    return { certainty: "failed", text: label(action === "unlock" ? "refusedUnlock" : "refused") };
  }
  const told = fact("certainty") ?? "";
  const isKnown = Object.hasOwn(MARKS, told) && told !== "pending";
  const certainty = isKnown ? told : result.isError ? "failed" : "accepted";
  const ownWords = device && column > 0 ? outcomeWords(certainty, fact) : undefined;
  if (ownWords === undefined) return { certainty, text, lang: "en" };
  return { certainty, text: `${[device.controlName, ownWords].filter(Boolean).join(": ")}.` };
}

/** Returns what a device's outcome is in the page's language, or undefined if the page has no words for it. */
function outcomeWords(certainty, fact) {
  // The words for these two are in front of the device's name.
  if (certainty === "accepted" || certainty === "queued") return "";
  if (fact("reason") === "not-responding") return label("dead");
  const state = certainty === "confirmed" || certainty === "moving" ? fact("now")?.[0]?.state : undefined;
  return state && translateState(state);
}

/** Announces a text to users of a screen reader. */
function announce(text, lang = root.lang) {
  byId("said").lang = lang;
  write(byId("said"), text);
}
