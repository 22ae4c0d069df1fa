// The page's appearance as the host wants it: theme, colors, language, size and safe areas.

const root = document.documentElement;

/** The host's context, as far as the host has reported it. */
const context = {};

/** The maximum height of the page within a conversation, in pixels, unless the host sets another one. */
const INLINE_HEIGHT = 720;

const SIDES = ["top", "right", "bottom", "left"];

function applyContext(update) {
  Object.assign(context, update);
  if (context.theme === "light" || context.theme === "dark") root.dataset.theme = context.theme;
  applyStyles(context.styles?.variables ?? {});
  for (const side of SIDES) {
    const inset = Number(context.safeAreaInsets?.[side]) || 0;
    root.style.setProperty(`--safe-${side}`, `${inset}px`);
  }
  if ("locale" in update || "timeZone" in update) {
    setLocale(context.locale, context.timeZone);
    relabel();
  }
  reportSize();
}

/**
 * Applies the host's style variables. The host's colors are used only if they include those of the background
 * and the text, because a mixture with the page's own colors may be illegible.
 */
function applyStyles(variables) {
  const hasColors = variables["--color-background-primary"] && variables["--color-text-primary"];
  for (const [name, value] of Object.entries(variables)) {
    if (!/^--[a-z0-9-]+$/.test(name) || typeof value !== "string") continue;
    if (hasColors || !name.startsWith("--color-")) root.style.setProperty(name, value);
  }
}

/** The formats of numbers and times in the host's language. */
let formats = {};

function setLocale(locale, timeZone) {
  useLanguage(locale);
  const makeFormats = (language, zone) => ({
    number: new Intl.NumberFormat(language, { maximumFractionDigits: 1 }),
    percent: new Intl.NumberFormat(language, { style: "percent" }),
    time: new Intl.DateTimeFormat(language, { timeStyle: "medium", timeZone: zone }),
  });
  try {
    formats = makeFormats(locale, timeZone);
  } catch {
    formats = makeFormats();
  }
}
setLocale();

const number = (value) => formats.number.format(value);
const percent = (value) => formats.percent.format(value / 100);
const decimalPoint = () => formats.number.formatToParts(0.5).find(({ type }) => type === "decimal").value;
const clock = () => formats.time.format(new Date());

const UNITS = { min: "minute", h: "hour", days: "day" };

/** Makes "2 days ago" from the server's "2 days", in the page's language. */
function ago(span) {
  const [, count, unit] = /^(\d+) (s|min|h|days)$/.exec(span) ?? [];
  if (unit === "s") return label("justNow");
  if (!unit) return span;
  return new Intl.RelativeTimeFormat(root.lang).format(-Number(count), UNITS[unit]);
}

let reportedSize = "";

/** Tells the host which size the page wants, unless the host has set it. */
function reportSize() {
  const space = context.containerDimensions ?? {};
  const isInline = (context.displayMode ?? "inline") === "inline";
  if (space.height !== undefined || !isInline) return;
  const wanted = Math.ceil(document.body.getBoundingClientRect().height);
  const height = Math.min(wanted, space.maxHeight ?? INLINE_HEIGHT);
  const width = Math.ceil(root.clientWidth);
  if (reportedSize === `${width} ${height}`) return;
  reportedSize = `${width} ${height}`;
  notify("ui/notifications/size-changed", { width, height });
}

/** Starts to report each change of the page's size. */
function watchSize() {
  new ResizeObserver(() => requestAnimationFrame(reportSize)).observe(document.body);
}
