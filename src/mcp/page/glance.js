// The first card: the lights that are on, the doors that are open or unlocked, and what is wrong.

/** The maximum number of devices that a row shows at first. */
const MAX_GLANCED = 6;

/**
 * The names of all lights, or undefined while they are unknown. The server decides which devices are lights.
 * `lightsKey` has the devices that the house had when the server was asked.
 */
let lights;
let lightsKey;

/**
 * Asks the server which devices are lights. Asks again only if the house has other devices than before, or if
 * the request failed.
 */
async function askForLights() {
  const devices = JSON.stringify([...cards.keys()]);
  if (devices === lightsKey) return;
  lightsKey = devices;
  try {
    lights = (await findMatching("lights")).names;
    glance();
  } catch {
    lightsKey = undefined;
  }
}

/** Returns true if a device through which somebody could enter is open or unlocked. */
function isAjar({ kind, responding, current = {} }) {
  if (!responding) return false;
  const gate = ["garage door", "gate"].includes(kind);
  return current.locked === false || current.doorOpen === true
    || (current.open === true && kind !== "valve")
    || (gate && (current.position > 0 || current.moving !== undefined));
}

/** The rank of a problem that no note on the card names. */
const UNNOTED = 1;

/** Returns the rank of a device's problem, in the order of the server's list of problems: the worst is 0. */
function severity({ responding, lowBattery, silentFor }) {
  if (!responding) return 0;
  if (lowBattery !== undefined) return 2;
  return silentFor === undefined ? UNNOTED : 3;
}

/**
 * A row: a title, and a button for each device that belongs to the row. A button leads to its device's card.
 * The label of the title is `some`, or `none` if the row is empty.
 */
class Row {
  constructor(some, none, belongs, className, rank = () => 0) {
    Object.assign(this, { some, none, belongs, rank });
    this.title = element("h3", {});
    this.list = element("ul", { class: "chips", role: "list" });
    this.more = button("", "", () => { this.showsAll = true; glance(); });
    this.node = element("li", { class: className }, this.title, this.list);
  }

  show() {
    const members = [...cards.values()].filter((card) => this.belongs(card.device));
    members.sort((one, other) => this.rank(one.device) - this.rank(other.device) || compare(one.name, other.name));
    write(this.title, members.length > 0 ? `${label(this.some)}: ${number(members.length)}` : label(this.none));
    this.node.classList.toggle("none", members.length === 0);
    const shown = this.showsAll ? members : members.slice(0, MAX_GLANCED);
    const content = JSON.stringify(shown.map(({ name }) => name)) + members.length + root.lang;
    if (content === this.shownContent) return;
    this.shownContent = content;
    const chips = shown.map((card) => {
      const chip = button(card.name, card.name, () => rooms.get(card.device.room)?.reveal(card));
      if (this.belongs === needsAttention) chip.title = card.device.problem;
      return chip;
    });
    if (members.length > shown.length) {
      write(this.more, label("more", number(members.length - shown.length)));
      this.more.setAttribute("aria-label", `${label(this.some)}: ${this.more.textContent}`);
      chips.push(this.more);
    }
    this.list.replaceChildren(...chips.map((chip) => element("li", {}, chip)));
    this.list.hidden = chips.length === 0;
  }
}

const rows = [
  new Row("lightsOn", "noLight", (device) => device.current?.on === true && lights?.has(device.controlName), "lit"),
  new Row("ajar", "shut", isAjar, "ajar"),
  new Row("wrong", "fine", needsAttention, "wrong", severity),
];
byId("glance").append(...rows.map((row) => row.node));

function glance() {
  // While the lights are unknown, the first row would claim that no light is on.
  rows[0].node.hidden = lights === undefined;
  for (const row of rows) row.show();
}
