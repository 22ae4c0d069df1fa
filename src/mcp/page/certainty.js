// Commands to a device, and the certainty of their outcomes.
//
// A wish is a command that the user has given on the page: an action and its arguments.

/** The time limit of a command, in milliseconds. It is long because a person may have to consent first. */
const COMMAND_TIMEOUT = 300_000;

/** The time that a confirmed outcome is shown, and the maximum time for others, in milliseconds. */
const CONFIRMED_SHOWN = 8_000;
const MAX_SHOWN = 90_000;

/**
 * A device no longer moves if its facts stay the same for this long, in milliseconds: if they have changed
 * since the command, and if they have not.
 */
const STILL_AFTER_CHANGE = 7_000;
const STILL_WITHOUT_CHANGE = 40_000;

/** The property that an action sets. A later wish replaces an earlier one for the same property. */
const PROPERTIES = {
  on: "power", off: "power", dim: "power",
  open: "place", close: "place", stop: "place",
  lock: "bolt", unlock: "bolt",
  set_temperature: "warmth", set_mode: "mode", set_color: "color",
};

/** The certainties that a later reading can turn into "confirmed". */
const PROVABLE = ["moving", "accepted", "queued"];

/** The symbol before the sentence of an outcome. */
const MARKS = {
  pending: "…", confirmed: "✓", moving: "⇅", accepted: "?", queued: "⏾", unknown: "⚠", failed: "✗",
};

/** Shows an outcome, with the server's sentence, in a paragraph. Hides the paragraph if there is none. */
function showOutcome(node, outcome) {
  node.hidden = !outcome;
  const { certainty, text } = outcome ?? { certainty: "", text: "" };
  const words = Object.hasOwn(LABELS, certainty) ? ` ${label(certainty)}` : "";
  const shown = outcome ? `${MARKS[certainty]}${words} ${text}`.trimEnd() : "";
  write(node, shown);
}

/** Returns the facts that a wish leads to. */
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

/** Returns true if a device's facts are those that a wish leads to. */
function isFulfilled(wish, device) {
  const now = device.current ?? {};
  const wanted = Object.entries(goal(wish, now));
  return wanted.length > 0 && wanted.every(([fact, value]) => typeof value === "number"
    ? Math.abs(now[fact] - value) <= (fact === "target" ? 0.05 : 1)
    : now[fact] === value);
}

/** The wishes for one device and their outcomes. `changed` is called when there is something new to show. */
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

  /** Returns the device's facts as they will be if all wishes are fulfilled. */
  expected(device) {
    const now = device.current ?? {};
    const held = this.outcome?.holds ? [this.outcome.wish] : [];
    const wishes = [...held, ...(this.sent ? [this.sent.wish] : []), ...this.next.values()];
    return Object.assign({}, now, ...wishes.map((wish) => goal(wish, now)));
  }

  /** Queues a wish. It is sent after `wait` milliseconds without another wish. */
  want(device, wish, wait = 0) {
    this.device = device;
    this.outcome = null;
    clearTimeout(this.timer);
    // A stop is sent at once, even while another command is under way.
    if (wish.action === "stop") {
      this.next.clear();
      this.send(wish);
    } else {
      this.next.delete(PROPERTIES[wish.action]);
      this.next.set(PROPERTIES[wish.action], wish);
      if (wait === 0) this.proceed();
      else this.timer = setTimeout(() => this.proceed(), wait);
    }
    this.changed();
  }

  /** Sends the next wish, unless a command is under way. */
  proceed() {
    if (this.sent || this.next.size === 0) return;
    const [property, wish] = this.next.entries().next().value;
    this.next.delete(property);
    this.send(wish);
  }

  async send(wish) {
    const turn = ++this.turn;
    this.sent = { wish };
    this.changed();
    const outcome = await command(this.device.controlName, wish);
    // A stop was sent in the meantime.
    if (turn !== this.turn) return;
    this.sent = null;
    for (const [property, next] of this.next) {
      const same = JSON.stringify(next) === JSON.stringify(wish);
      if (same && outcome.certainty === "confirmed") this.next.delete(property);
    }
    this.conclude(wish, outcome);
    this.proceed();
    refresh();
  }

  /**
   * Shows the outcome of a wish. Unless it is "failed" or "unknown", the facts of the wish are expected until
   * the next reading.
   */
  conclude(wish, { certainty, text }) {
    const holds = certainty !== "failed" && certainty !== "unknown";
    this.outcome = { wish, certainty, text, holds, at: Date.now(), after: readingCount };
    announce(text);
    this.changed();
  }

  /** Updates the outcome from a reading, if the reading began after it. */
  observe(device, reading) {
    this.device = device;
    const outcome = this.outcome;
    if (!outcome || reading <= outcome.after) return;
    const now = Date.now();
    const facts = JSON.stringify(device.current ?? {});
    if (facts !== outcome.facts) {
      outcome.changed = outcome.facts !== undefined;
      Object.assign(outcome, { facts, since: now });
    }
    outcome.holds = outcome.certainty === "queued";
    const moves = device.current?.moving !== undefined;
    const isConfirmed = device.certainty === "confirmed" && !moves;
    if (outcome.certainty === "confirmed") {
      if (now - outcome.at > CONFIRMED_SHOWN) this.outcome = null;
    } else if (PROVABLE.includes(outcome.certainty) && isConfirmed && isFulfilled(outcome.wish, device)) {
      this.prove(device);
    } else if (outcome.certainty === "moving") {
      const limit = outcome.changed ? STILL_AFTER_CHANGE : STILL_WITHOUT_CHANGE;
      if (!moves && now - outcome.since > limit) this.outcome = null;
    } else if (outcome.certainty === "queued") {
      // The device has changed, but not as the wish says.
      if (outcome.changed) this.outcome = null;
    } else if (now - outcome.at > MAX_SHOWN) {
      this.outcome = null;
    }
  }

  /** Makes the outcome "confirmed", because the facts are now those of the wish. */
  prove(device) {
    const text = `${device.controlName}: ${device.state ?? "done"}.`;
    Object.assign(this.outcome, { certainty: "confirmed", text, holds: false, at: Date.now() });
    announce(text);
  }

  /** Returns the certainty and the sentence to show, or null if there are none. */
  shown() {
    if (this.busy) return { certainty: "pending", text: "" };
    return this.outcome;
  }
}

/** Sends a wish to the server, and returns its outcome. */
async function command(deviceName, wish) {
  const call = { name: "control_zwave_device", arguments: { deviceName, ...wish } };
  try {
    return readOutcome(await request("tools/call", call, COMMAND_TIMEOUT));
  } catch (error) {
    return { certainty: "unknown", text: error.message };
  }
}

/** Reads the certainty and the sentence of a tool's result. */
function readOutcome(result) {
  const texts = (result.content ?? []).filter((block) => block.type === "text");
  const text = texts.map((block) => block.text).join(" ") || "The answer says nothing.";
  const certainty = result._meta?.["zwave-mcp-server/certainty"];
  // The server's sentence may name an option for its owner, which can't be set on this page.
  if (result._meta?.["zwave-mcp-server/refusal"] === "guarded" && text.includes("--guard")) {
    return { certainty: "failed", text: label("refused") };
  }
  if (Object.hasOwn(MARKS, certainty ?? "") && certainty !== "pending") return { certainty, text };
  return { certainty: result.isError ? "failed" : "accepted", text };
}

/** Announces a text to users of a screen reader. */
function announce(text) {
  write(document.getElementById("said"), text);
}
