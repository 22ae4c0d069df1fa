// A picture for each kind of device: an SVG path on a grid of 24 by 24.

const SVG = "http://www.w3.org/2000/svg";

const BULB = "M9 18h6M10 21h4M8.5 15.5a6 6 0 1 1 7 0c-.6.5-.9 1.3-.9 2.5H9.4c0-1.2-.3-2-.9-2.5z";
const SLATS = "M4 4h16M6 4v16M18 4v16M6 8h12M6 12h12M6 16h12M4 20h16";

const PICTURES = {
  dimmer: BULB,
  "color light": `${BULB}M4 4l1.5 1.5M20 4l-1.5 1.5M2 11h2M20 11h2`,
  switch: "M8 7h8a5 5 0 0 1 0 10H8A5 5 0 0 1 8 7zM16 14.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z",
  outlet: "M5 4h14a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1zM9 10v3M15 10v3M12 15v1.5",
  blind: SLATS,
  shade: "M4 4h16M6 4v11h12V4M6 15v2h12v-2M12 17v3",
  shutter: SLATS,
  curtain: "M3 4h18M5 4c0 8-.5 12-1 16h5c0-6 1-10 3-16 2 6 3 10 3 16h5c-.5-4-1-8-1-16",
  awning: "M3 10l3-6h12l3 6M3 10c0 3 4.5 3 4.5 0 0 3 4.5 3 4.5 0 0 3 4.5 3 4.5 0 0 3 4.5 3 4.5 0M5 13v7M19 13v7",
  "garage door": "M3 20V9l9-5 9 5v11M7 20v-8h10v8M7 15h10M7 18h10",
  gate: "M4 4v16M20 4v16M4 8h16M4 16h16M8 8v8M12 8v8M16 8v8",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3M12 14.5v2.5",
  unlocked: "M6 11h12v9H6zM8.5 11V7a3.5 3.5 0 0 1 6.8-1.2M12 14.5v2.5",
  fan: "M12 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM12 10.5C9 8 9.5 3 12.5 3S15 7 12 10.5M13.3 12.7c3.7-1.3 7.8 1.6 6.3 4.2s-5-.2-6.3-4.2M10.7 12.7c-.7 3.9-5.2 6-6.7 3.4s3-4.4 6.7-3.4",
  thermostat: "M12 3a2 2 0 0 1 2 2v9a4 4 0 1 1-4 0V5a2 2 0 0 1 2-2zM12 9v8M17 6h3M17 10h3",
  "radiator valve": "M5 6v13M9.7 6v13M14.3 6v13M19 6v13M3 9h18M3 16h18",
  siren: "M6 17v-5a6 6 0 0 1 12 0v5M4 20h16v-3H4zM12 2v2M4.5 4.5 6 6M19.5 4.5 18 6",
  valve: "M3 17h4v-3h10v3h4M12 14V8M8 6h8M12 8V6M20 20h.01",
  remote: "M8 2h8v20H8zM12 6h.01M11 10h2M11 13h2M11 16h2",
  keypad: "M5 3h14v18H5zM9 8h.01M12 8h.01M15 8h.01M9 12h.01M12 12h.01M15 12h.01M9 16h.01M12 16h.01M15 16h.01",
  meter: "M4 18a9 9 0 1 1 16 0zM12 14l4-5",
  sensor: "M12 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM8 16a5.7 5.7 0 0 1 0-8M16 8a5.7 5.7 0 0 1 0 8M5 19a10 10 0 0 1 0-14M19 5a10 10 0 0 1 0 14",
  group: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z",
  scene: "M12 3l2.6 5.9 6.4.6-4.8 4.3 1.4 6.3L12 16.8l-5.6 3.3 1.4-6.3L3 9.5l6.4-.6z",
  device: "M6 6h12v12H6zM9 2v4M15 2v4M9 18v4M15 18v4M2 9h4M2 15h4M18 9h4M18 15h4",
};

/** Makes an empty picture. It is hidden from screen readers, because the device's name is next to it. */
function picture() {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.append(document.createElementNS(SVG, "path"));
  return svg;
}

/** Draws a device's kind and state: lit, colored, open. */
function draw(svg, device) {
  const now = device.current ?? {};
  const isOpen = now.open ?? (now.position !== undefined && now.position > 0);
  const kind = device.kind === "lock" && now.locked === false ? "unlocked" : device.kind;
  const lines = Object.hasOwn(PICTURES, kind) ? PICTURES[kind] : PICTURES.device;
  if (svg.firstChild.getAttribute("d") !== lines) svg.firstChild.setAttribute("d", lines);
  svg.classList.toggle("lit", device.responding && now.on === true);
  svg.classList.toggle("open", device.responding && (isOpen || now.locked === false));
  const color = /^#[0-9a-f]{6}$/i.test(now.color ?? "") ? now.color : "";
  svg.style.setProperty("--glow", color || "var(--lit-back)");
}
