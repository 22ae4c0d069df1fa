// The page's life cycle: it starts, follows the house while somebody can see the page, and ends.

const HOUSE = "zwave://devices";

/** The time between two readings, in milliseconds: without a subscription, and with one. */
const READ_INTERVAL = 2_000;
const FOLLOWED_READ_INTERVAL = 30_000;

/** The time limit of a reading, in milliseconds. */
const READ_TIMEOUT = 60_000;

/** The number of readings that have begun, and the time at which the last one began. */
let readingCount = 0;
let readAt = 0;
let isReading = false;
let mustReadAgain = false;
let hasStarted = false;
let hasEnded = false;
let isOnScreen = true;
let isFollowed = false;
let timer;

const isVisible = () => hasStarted && !hasEnded && isOnScreen && document.visibilityState === "visible";

/** Reads the house. If a reading is under way already, reads the house once more when that reading ends. */
async function refresh() {
  clearTimeout(timer);
  if (!isVisible()) return;
  if (isReading) {
    mustReadAgain = true;
    return;
  }
  isReading = true;
  mustReadAgain = false;
  readAt = Date.now();
  const readingNumber = ++readingCount;
  try {
    const { contents } = await request("resources/read", { uri: HOUSE }, READ_TIMEOUT);
    showHouse(JSON.parse(contents[0].text), readingNumber);
    if (filterWords) filterBy(filterWords);
    askForLights();
    showLatestCall();
  } catch (error) {
    // The last state stays on the page, grayed out, with the time at which it was read.
    root.classList.add("stale");
    showProblems([error.message]);
  }
  isReading = false;
  if (mustReadAgain) refresh();
  else scheduleReading();
}

/**
 * Schedules the next reading. With a subscription, the house is read at the longer interval, but old outcomes
 * are still removed at the shorter interval.
 */
function scheduleReading() {
  clearTimeout(timer);
  if (!isVisible()) return;
  timer = setTimeout(() => {
    if (!isFollowed || Date.now() - readAt >= FOLLOWED_READ_INTERVAL) return refresh();
    for (const card of cards.values()) {
      if (card.orders.outcome === null) continue;
      card.orders.observe(card.device, readingCount);
      card.paint();
    }
    scheduleReading();
  }, READ_INTERVAL);
}

/** Subscribes to changes of the house, if the host declares that it forwards subscriptions. */
async function follow(host) {
  if (!host.hostCapabilities?.serverResources?.subscribe) return;
  try {
    await request("resources/subscribe", { uri: HOUSE }, READ_TIMEOUT);
    isFollowed = true;
  } catch {
    // The house is read at the shorter interval, as without a subscription.
  }
}

/** The conversation's last tool call and its result. It is shown after the next reading. */
let latestCall;

function showLatestCall() {
  if (!latestCall) return;
  const { asked, result } = latestCall;
  latestCall = undefined;
  const card = asked.action ? findCard(asked.deviceName) : undefined;
  const outcome = readOutcome(result, asked.action, card?.device);
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

/** The arguments of the conversation's last tool call. */
let asked = {};

handle("ping", () => ({}));
handle("ui/notifications/host-context-changed", applyContext);
handle("ui/notifications/tool-input", (input) => {
  asked = input.arguments ?? {};
});
handle("ui/notifications/tool-result", (result) => {
  latestCall = { asked, result };
  refresh();
});
handle("notifications/resources/updated", refresh);
handle("notifications/resources/list_changed", refresh);
handle("ui/resource-teardown", () => {
  hasEnded = true;
  clearTimeout(timer);
});

// A dialog of the host takes the focus. Afterwards the control that had it before gets the focus back.
let focused;
document.addEventListener("focusout", ({ target, relatedTarget }) => {
  if (!relatedTarget) focused = target;
});
window.addEventListener("focus", () => {
  if (document.activeElement === document.body && focused?.isConnected) focused.focus({ preventScroll: true });
});

document.addEventListener("visibilitychange", refresh);
// In a conversation the page may be scrolled off the screen.
new IntersectionObserver((entries) => {
  const isIntersecting = entries.at(-1).isIntersecting;
  if (isIntersecting === isOnScreen) return;
  isOnScreen = isIntersecting;
  refresh();
}).observe(root);

async function start() {
  writeLabels();
  if (window.parent === window) {
    showProblems([label("noHost")]);
    return;
  }
  try {
    const host = await initialize();
    hasStarted = true;
    applyContext(host.hostContext ?? {});
    watchSize();
    await follow(host);
    refresh();
  } catch (error) {
    showProblems([error.message]);
  }
}

start();
