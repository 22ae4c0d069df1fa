// The page's looks as the host wants them: theme, colours, language, space and safe areas.

const root = document.documentElement;

/** All that the host has said of itself so far. */
const context = {};

/** The maximum height of the page where it is one of many things in a conversation, in pixels. */
const INLINE_HEIGHT = 720;

const SIDES = ["top", "right", "bottom", "left"];

function applyContext(news) {
  Object.assign(context, news);
  if (context.theme === "light" || context.theme === "dark") root.dataset.theme = context.theme;
  paint(context.styles?.variables ?? {});
  for (const side of SIDES) {
    const inset = Number(context.safeAreaInsets?.[side]) || 0;
    root.style.setProperty(`--safe-${side}`, `${inset}px`);
  }
  if ("locale" in news || "timeZone" in news) {
    speak(context.locale, context.timeZone);
    relabel();
  }
  report();
}

/** The host's own colours; only all of them, as half of them may not be told from the page's own. */
function paint(variables) {
  const whole = variables["--color-background-primary"] && variables["--color-text-primary"];
  for (const [name, value] of Object.entries(variables)) {
    if (!/^--[a-z0-9-]+$/.test(name) || typeof value !== "string") continue;
    if (whole || !name.startsWith("--color-")) root.style.setProperty(name, value);
  }
}

// Numbers and times are written as the host's language has them.
let formats = {};

function speak(locale, timeZone) {
  useLanguage(locale);
  const made = (language, zone) => ({
    number: new Intl.NumberFormat(language, { maximumFractionDigits: 1 }),
    percent: new Intl.NumberFormat(language, { style: "percent" }),
    time: new Intl.DateTimeFormat(language, { timeStyle: "medium", timeZone: zone }),
  });
  try {
    formats = made(locale, timeZone);
  } catch {
    formats = made();
  }
}
speak();

const number = (value) => formats.number.format(value);
const percent = (value) => formats.percent.format(value / 100);
const clock = () => formats.time.format(new Date());

const UNITS = { min: "minute", h: "hour", days: "day" };

/** Words how long ago something was, from the server's "2 days". */
function ago(span) {
  const [, count, unit] = /^(\d+) (s|min|h|days)$/.exec(span) ?? [];
  if (unit === "s") return label("justNow");
  if (!unit) return span;
  return new Intl.RelativeTimeFormat(root.lang).format(-Number(count), UNITS[unit]);
}

let reported = "";

/** Tells the host how much space the page wants; nothing where it has told the page. */
function report() {
  const space = context.containerDimensions ?? {};
  const inline = (context.displayMode ?? "inline") === "inline";
  if (space.height !== undefined || !inline) return;
  const wanted = Math.ceil(document.body.getBoundingClientRect().height);
  const height = Math.min(wanted, space.maxHeight ?? INLINE_HEIGHT);
  const width = Math.ceil(root.clientWidth);
  if (reported === `${width} ${height}`) return;
  reported = `${width} ${height}`;
  notify("ui/notifications/size-changed", { width, height });
}

/** Begins to tell the host of each change in size. */
function reportSizes() {
  new ResizeObserver(() => requestAnimationFrame(report)).observe(document.body);
}
