// The controls of a device. They show the facts that are expected after the user's orders (`certainty.js`).

const CONTROLS = root.dataset.controls ?? "all";
const GUARD = root.dataset.guard ?? "deny";

/** The actions that never open anything, whatever the device is. */
const SAFE_ACTIONS = ["close", "stop", "lock"];

/** The time in milliseconds after which a value from keys or step buttons is sent if no other order comes. */
const INPUT_DELAY = 450;

/** Returns the actions that the page offers, without those that would be refused anyway. */
function offered(device) {
  if (CONTROLS === "none") return [];
  if (!device.guarded || GUARD !== "deny") return device.actions;
  return device.actions.filter((action) => SAFE_ACTIONS.includes(action));
}

/** Returns true if a person is asked before the action is done. */
function needsConsent(device, action) {
  return GUARD === "confirm" && device.guarded && !SAFE_ACTIONS.includes(action);
}

/** Returns the controls of a device, in their order. */
function controlsOf(device) {
  const actions = offered(device);
  const can = (action) => actions.includes(action);
  const now = device.current ?? {};
  const hasModes = can("set_mode") && (device.modes ?? []).length > 0;
  const hasPosition = can("open") || can("close");
  const kinds = [];
  // A valve can be "on", too, but gets buttons to open and close instead of a switch. A thermostat can be
  // "on", too, but gets its modes instead.
  if (!hasModes && !hasPosition) {
    if (can("on") && can("off") && now.on !== undefined) kinds.push("power");
    else if (can("on") || can("off")) kinds.push("buttons:on,off");
  }
  if (can("dim") && device.level) kinds.push("level");
  if (can("set_color")) kinds.push("color");
  if (can("set_temperature") && device.temperature) kinds.push("warmth");
  if (hasModes) kinds.push("mode");
  if (hasPosition) kinds.push("buttons:open,stop,close");
  if (can("open") && device.level) kinds.push("place");
  if (can("lock") || can("unlock")) kinds.push("buttons:lock,unlock");
  return kinds;
}

/** Makes a control: a node, and a function `show` that shows facts in it. */
function control(kind, card) {
  const [name, actions] = kind.split(":");
  if (name === "buttons") return buttons(actions.split(","), card);
  return { power, level, place, color, warmth, mode }[name](card);
}

function button(text, name, press) {
  const node = element("button", { type: "button", "aria-label": name }, text);
  node.addEventListener("click", press);
  return node;
}

/** Makes a button for each of the actions that is offered for the device. */
function buttons(actions, card) {
  const shown = actions.filter((action) => offered(card.device).includes(action));
  const node = element("div", { class: "row" });
  const isOnlyOn = shown.length === 1 && shown[0] === "on";
  const buttonsByAction = shown.map((action) => {
    const text = label(isOnlyOn && card.device.kind === "scene" ? "run" : action);
    const made = button(text, `${text} ${card.name}`, () => card.order({ action }));
    node.append(made);
    return [action, made];
  });
  const show = (expected) => {
    for (const [action, button] of buttonsByAction) {
      const [[fact, value] = []] = Object.entries(goal({ action }, expected));
      const isCurrent = fact !== undefined && expected[fact] === value;
      button.classList.toggle("is", isCurrent);
    }
  };
  return { node, show };
}

function power(card) {
  const node = element("button", {
    type: "button", role: "switch", class: "power", "aria-label": card.name,
  }, element("span", { class: "thumb" }));
  let on = false;
  node.addEventListener("click", () => card.order({ action: on ? "off" : "on" }));
  const show = (expected) => {
    on = expected.on === true;
    node.setAttribute("aria-checked", String(on));
  };
  return { node, show, isInHead: true };
}

/**
 * Makes a slider that shows what `value` returns for the expected facts. While a person holds the slider, its
 * value is not overwritten. When the slider is released, its value is sent.
 */
function slider(card, name, range, toOrder, value) {
  const input = element("input", {
    type: "range", min: range.min, max: range.max, step: 1, "aria-label": `${name}: ${card.name}`,
  });
  const output = element("span", { class: "percent", "aria-hidden": "true" });
  const node = element("label", { class: "slider" }, element("span", { "aria-hidden": "true" }, name), input, output);
  let isHeld = false;
  let isByKey = false;
  const showValue = () => {
    const text = percent(Number(input.value));
    write(output, text);
    input.setAttribute("aria-valuetext", text);
  };
  const release = () => setTimeout(() => { isHeld = false; }, 0);
  input.addEventListener("pointerdown", () => { isHeld = true; isByKey = false; });
  input.addEventListener("keydown", () => { isByKey = true; });
  input.addEventListener("input", () => { isHeld = true; showValue(); });
  input.addEventListener("change", () => {
    isHeld = false;
    card.order(toOrder(Number(input.value)), isByKey ? INPUT_DELAY : 0);
  });
  for (const end of ["pointerup", "pointercancel", "blur"]) input.addEventListener(end, release);
  const show = (expected) => {
    const now = value(expected);
    input.classList.toggle("unknown", now === undefined);
    if (isHeld) return;
    input.value = String(now ?? 0);
    showValue();
    if (now === undefined) write(output, "–");
  };
  return { node, show };
}

function level(card) {
  const name = label(card.device.kind === "fan" ? "speed" : "level");
  const toOrder = (level) => level > 0 ? { action: "dim", level } : { action: "off" };
  const value = (expected) => expected.on === false ? 0 : expected.level;
  return slider(card, name, card.device.level, toOrder, value);
}

function place(card) {
  const toOrder = (level) => level > 0 ? { action: "open", level } : { action: "close" };
  return slider(card, label("place"), card.device.level, toOrder, (expected) => expected.position);
}

function color(card) {
  const input = element("input", { type: "color", "aria-label": `${label("color")}: ${card.name}` });
  const choice = element("label", { class: "color" }, element("span", { "aria-hidden": "true" }, label("color")), input);
  const whites = (card.device.whites ?? []).map((white) => {
    const text = translateStates([white]).texts[0];
    return button(text, `${text}: ${card.name}`, () => card.order({ action: "set_color", color: white }));
  });
  const node = element("div", { class: "row" }, choice, ...whites);
  let isOpen = false;
  input.addEventListener("input", () => { isOpen = true; });
  input.addEventListener("change", () => {
    isOpen = false;
    card.order({ action: "set_color", color: input.value });
  });
  const show = (expected) => {
    const isKnown = /^#[0-9a-f]{6}$/i.test(expected.color ?? "");
    input.classList.toggle("unknown", !isKnown);
    // A lamp that is off has no color. The browser's own default would be black.
    if (!isOpen) input.value = isKnown ? expected.color : "#ffffff";
  };
  return { node, show };
}

/** Makes a temperature field with two step buttons. All of them keep to the range that can be set now. */
function warmth(card) {
  const { min, max, unit } = card.device.temperature;
  const step = /f/i.test(unit) ? 1 : 0.5;
  const input = element("input", {
    type: "number", min, max, step, inputmode: "decimal",
    "aria-label": `${label("warmth")}: ${card.name}, ${unit}`, placeholder: `${number(min)}–${number(max)}`,
  });
  let target;
  let isTyping = false;
  const set = (level) => card.order({ action: "set_temperature", level }, INPUT_DELAY);
  const changeBy = (degrees) => set(Math.min(max, Math.max(min, (target ?? (min + max) / 2) + degrees)));
  const less = button("−", `${label("colder")}: ${card.name}`, () => changeBy(-step));
  const more = button("+", `${label("warmer")}: ${card.name}`, () => changeBy(step));
  input.addEventListener("input", () => { isTyping = true; });
  input.addEventListener("blur", () => { isTyping = false; });
  input.addEventListener("change", () => {
    isTyping = false;
    const { rangeUnderflow, rangeOverflow } = input.validity;
    if (rangeUnderflow || rangeOverflow) {
      const text = label("range", `${number(min)}–${number(max)} ${unit}`);
      card.orders.conclude({}, { certainty: "failed", text });
    } else if (input.value !== "") {
      set(Number(input.value));
    }
  });
  const node = element("div", { class: "row" }, less, input, element("span", { class: "unit" }, unit), more);
  const show = (expected) => {
    target = expected.target;
    less.disabled = target !== undefined && target <= min;
    more.disabled = target !== undefined && target >= max;
    if (!isTyping) input.value = target === undefined ? "" : String(target);
  };
  return { node, show };
}

function mode(card) {
  const { modes } = card.device;
  const options = ["", ...modes].map((name) => element("option", { value: name }, translateStates([name || "–"]).texts[0]));
  const input = element("select", { "aria-label": `${label("mode")}: ${card.name}` }, ...options);
  const node = element("label", { class: "mode" }, element("span", { "aria-hidden": "true" }, label("mode")), input);
  input.addEventListener("change", () => {
    if (input.value !== "") card.order({ action: "set_mode", mode: input.value });
  });
  const show = (expected) => {
    const current = modes.find((name) => name.toLowerCase() === (expected.mode ?? "").toLowerCase()) ?? "";
    options[0].hidden = current !== "";
    if (input.value !== current) input.value = current;
  };
  return { node, show };
}
