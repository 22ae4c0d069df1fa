// The page's life: it begins, follows the house for as long as somebody can see it, and ends.

const HOUSE = "zwave://devices";

/** The time between two readings if nobody reports changes, and if the host does. */
const PAUSE = 2_000;
const FOLLOWED = 30_000;

/** The time limit of a reading, in milliseconds. */
const READ_PATIENCE = 60_000;

/** The number of readings that were begun, and the time of the last one. */
let readingCount = 0;
let readAt = 0;
let reading = false;
let again = false;
let ended = false;
let onScreen = true;
let started = false;
let followed = false;
let timer;

const visible = () => started && !ended && onScreen && document.visibilityState === "visible";

/** Reads the house now; once more afterwards, if a reading is under way. */
async function refresh() {
  clearTimeout(timer);
  if (!visible()) return;
  if (reading) {
    again = true;
    return;
  }
  reading = true;
  again = false;
  readAt = Date.now();
  const own = ++readingCount;
  try {
    const { contents } = await ask("resources/read", { uri: HOUSE }, READ_PATIENCE);
    showHouse(JSON.parse(contents[0].text), own);
    if (wanted) filterBy(wanted);
    askForLights();
    catchUp();
  } catch (error) {
    // The last state stays, greyed, and says of itself when it was.
    root.classList.add("stale");
    showProblems([error.message]);
  }
  reading = false;
  if (again) refresh();
  else rest();
}

/** Waits for the next reading. Meanwhile outcomes run out, which takes no reading. */
function rest() {
  clearTimeout(timer);
  if (!visible()) return;
  timer = setTimeout(() => {
    if (!followed || Date.now() - readAt >= FOLLOWED) return refresh();
    for (const card of cards.values()) {
      if (card.orders.outcome === null) continue;
      card.orders.compare(card.device, readingCount);
      card.paint();
    }
    rest();
  }, PAUSE);
}

/** Asks to be told of changes, where the host says that it passes this on. */
async function follow(host) {
  if (!host.hostCapabilities?.serverResources?.subscribe) return;
  try {
    await ask("resources/subscribe", { uri: HOUSE }, READ_PATIENCE);
    followed = true;
  } catch {
    // Then the house is read every now and then, as everywhere else.
  }
}

/** The outcome of the conversation's own call; it is shown once its device is. */
let latest;

function catchUp() {
  if (!latest) return;
  const { asked, result } = latest;
  latest = undefined;
  const outcome = readOutcome(result);
  const card = asked.action ? findCard(asked.deviceName) : undefined;
  if (card) {
    card.orders.conclude({ ...asked, action: String(asked.action) }, outcome);
    card.root.scrollIntoView({ block: "nearest" });
  } else if (asked.action || result.isError) {
    write(byId("answer"), outcome.text);
    byId("answer").hidden = false;
  } else if (asked.filter && byId("filter").value === "") {
    suggestFilter(String(asked.filter));
  }
}

let asked = {};

handle("ping", () => ({}));
handle("ui/notifications/host-context-changed", applyContext);
handle("ui/notifications/tool-input", (input) => {
  asked = input.arguments ?? {};
});
handle("ui/notifications/tool-result", (result) => {
  latest = { asked, result };
  refresh();
});
handle("notifications/resources/updated", refresh);
handle("notifications/resources/list_changed", refresh);
handle("ui/resource-teardown", () => {
  ended = true;
  clearTimeout(timer);
});

// A host's dialogue takes the focus; it returns to the control that had it.
let focused;
document.addEventListener("focusout", ({ target, relatedTarget }) => {
  if (!relatedTarget) focused = target;
});
window.addEventListener("focus", () => {
  if (document.activeElement === document.body && focused?.isConnected) focused.focus({ preventScroll: true });
});

document.addEventListener("visibilitychange", refresh);
// In a conversation the page may be far above what is on the screen.
new IntersectionObserver((entries) => {
  const now = entries.at(-1).isIntersecting;
  if (now === onScreen) return;
  onScreen = now;
  refresh();
}).observe(root);

async function start() {
  writeLabels();
  if (window.parent === window) {
    showProblems([label("noHost")]);
    return;
  }
  try {
    const host = await introduce();
    started = true;
    applyContext(host.hostContext ?? {});
    reportSizes();
    await follow(host);
    refresh();
  } catch (error) {
    showProblems([error.message]);
  }
}

start();
