// Commands to a device, and the certainty of their outcomes.

/** The time limit of a command, in milliseconds: a person may have to be asked first. */
const COMMAND_PATIENCE = 300_000;

/** The time that a tick stays, and the longest time that an outcome is shown, in milliseconds. */
const TICK = 8_000;
const MAX_SHOWN = 90_000;

/** A device stands still if its facts stay the same for so long, in milliseconds: after it began to
 * move, and if it never seemed to. */
const STANDS = 7_000;
const NEVER_MOVED = 40_000;

/** The part of a device that an action is about: a later wish replaces an earlier one about the same. */
const SUBJECTS = {
  on: "power", off: "power", dim: "power",
  open: "place", close: "place", stop: "place",
  lock: "bolt", unlock: "bolt",
  set_temperature: "warmth", set_mode: "mode", set_color: "color",
};

/** The certainties that later facts can still prove. */
const PROVABLE = ["moving", "accepted", "queued"];

/** The sign before the sentence of an outcome. */
const MARKS = {
  pending: "…", confirmed: "✓", moving: "⇅", accepted: "?", queued: "⏾", unknown: "⚠", failed: "✗",
};

/** Shows an outcome in a paragraph; hides it where there is none. The sentence is the server's. */
function showOutcome(node, outcome) {
  node.hidden = !outcome;
  const { certainty, text } = outcome ?? { certainty: "", text: "" };
  const words = Object.hasOwn(LABELS, certainty) ? ` ${label(certainty)}` : "";
  const shown = outcome ? `${MARKS[certainty]}${words} ${text}`.trimEnd() : "";
  write(node, shown);
}

/** The facts that a wish leads to. */
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

/** Checks that the facts are those that a wish leads to. */
function fits(wish, device) {
  const now = device.current ?? {};
  const wanted = Object.entries(goal(wish, now));
  return wanted.length > 0 && wanted.every(([fact, value]) => typeof value === "number"
    ? Math.abs(now[fact] - value) <= (fact === "target" ? 0.05 : 1)
    : now[fact] === value);
}

/** The orders to one device and their outcomes. `changed` is called when there is something else to show. */
class Orders {
  constructor(changed) {
    this.changed = changed;
    this.turn = 0;
    this.sent = null;
    this.next = new Map();
    this.outcome = null;
  }

  get busy() {
    return this.sent !== null || this.next.size > 0;
  }

  /** The device's facts as they will be if all that is wished comes true. */
  hoped(device) {
    const now = device.current ?? {};
    const held = this.outcome?.holds ? [this.outcome.wish] : [];
    const wishes = [...held, ...(this.sent ? [this.sent.wish] : []), ...this.next.values()];
    return Object.assign({}, now, ...wishes.map((wish) => goal(wish, now)));
  }

  /** Wishes something; after so many milliseconds without another wish, where some are expected. */
  want(device, wish, wait = 0) {
    this.device = device;
    this.outcome = null;
    clearTimeout(this.timer);
    // A moving device is stopped at once, whatever else is on its way.
    if (wish.action === "stop") {
      this.next.clear();
      this.send(wish);
    } else {
      this.next.delete(SUBJECTS[wish.action]);
      this.next.set(SUBJECTS[wish.action], wish);
      if (wait === 0) this.proceed();
      else this.timer = setTimeout(() => this.proceed(), wait);
    }
    this.changed();
  }

  /** Sends the next wish, once nothing is on its way any more. */
  proceed() {
    if (this.sent || this.next.size === 0) return;
    const [subject, wish] = this.next.entries().next().value;
    this.next.delete(subject);
    this.send(wish);
  }

  async send(wish) {
    const turn = ++this.turn;
    this.sent = { wish };
    this.changed();
    const outcome = await command(this.device.controlName, wish);
    // A stop has overtaken it.
    if (turn !== this.turn) return;
    this.sent = null;
    for (const [subject, next] of this.next) {
      const same = JSON.stringify(next) === JSON.stringify(wish);
      if (same && outcome.certainty === "confirmed") this.next.delete(subject);
    }
    this.conclude(wish, outcome);
    this.proceed();
    refresh();
  }

  /** Shows what became of a wish. Until the house is read anew, its facts are those from before. */
  conclude(wish, { certainty, text }) {
    const holds = certainty !== "failed" && certainty !== "unknown";
    this.outcome = { wish, certainty, text, holds, at: Date.now(), after: readingCount };
    say(text);
    this.changed();
  }

  /** Compares an outcome with a reading that was begun after it. */
  compare(device, reading) {
    this.device = device;
    const own = this.outcome;
    if (!own || reading <= own.after) return;
    const now = Date.now();
    const facts = JSON.stringify(device.current ?? {});
    if (facts !== own.facts) {
      own.changed = own.facts !== undefined;
      Object.assign(own, { facts, since: now });
    }
    own.holds = own.certainty === "queued";
    const moves = device.current?.moving !== undefined;
    const sure = device.certainty === "confirmed" && !moves;
    if (own.certainty === "confirmed") {
      if (now - own.at > TICK) this.outcome = null;
    } else if (PROVABLE.includes(own.certainty) && sure && fits(own.wish, device)) {
      this.prove(device);
    } else if (own.certainty === "moving") {
      const patience = own.changed ? STANDS : NEVER_MOVED;
      if (!moves && now - own.since > patience) this.outcome = null;
    } else if (own.certainty === "queued") {
      // Something else has become of it than was wished.
      if (own.changed) this.outcome = null;
    } else if (now - own.at > MAX_SHOWN) {
      this.outcome = null;
    }
  }

  /** The facts have caught up with the wish. */
  prove(device) {
    const text = `${device.controlName}: ${device.state ?? "done"}.`;
    Object.assign(this.outcome, { certainty: "confirmed", text, holds: false, at: Date.now() });
    say(text);
  }

  /** Returns what to show: a certainty and a sentence; nothing if nothing was wished. */
  shown() {
    if (this.busy) return { certainty: "pending", text: "" };
    return this.outcome;
  }
}

/** Has the server carry out a wish. */
async function command(deviceName, wish) {
  const call = { name: "control_zwave_device", arguments: { deviceName, ...wish } };
  try {
    return readOutcome(await ask("tools/call", call, COMMAND_PATIENCE));
  } catch (error) {
    return { certainty: "unknown", text: error.message };
  }
}

/** Reads the certainty and the sentence of a tool's result. */
function readOutcome(result) {
  const texts = (result.content ?? []).filter((block) => block.type === "text");
  const text = texts.map((block) => block.text).join(" ") || "The answer says nothing.";
  const certainty = result._meta?.["zwave-mcp-server/certainty"];
  // The server's sentence may tell its owner an option to set, which nobody can do on this page.
  if (result._meta?.["zwave-mcp-server/refusal"] === "guarded" && text.includes("--guard")) {
    return { certainty: "failed", text: label("refused") };
  }
  if (Object.hasOwn(MARKS, certainty ?? "") && certainty !== "pending") return { certainty, text };
  return { certainty: result.isError ? "failed" : "accepted", text };
}

/** Tells those who listen. */
function say(text) {
  write(document.getElementById("said"), text);
}
