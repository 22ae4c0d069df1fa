// Tests that the page's own words are in the host's language.

import assert from "node:assert/strict";
import { Stage, rewriteHouse, until, waitForCertainty } from "./stage.mjs";

/** For each locale of the host: the page's language, and some of the page's words. */
const WORDS = [
  ["en-GB", "en", "House", "Room off: Kitchen", "Filter by name, room, kind or state", "2 devices · 1 on"],
  ["de-DE", "de", "Haus", "Raum aus: Kitchen", "Nach Name, Raum, Art oder Zustand filtern", "2 Geräte · 1 an"],
  ["fr", "fr", "Maison", "Tout éteindre: Kitchen", "Filtrer par nom, pièce, type ou état", "2 appareils · 1 en marche"],
  ["es-MX", "es", "Casa", "Apagar todo: Kitchen", "Filtrar por nombre, habitación, tipo o estado", "2 dispositivos · 1 en marcha"],
  ["it-IT", "it", "Casa", "Spegni tutto: Kitchen", "Filtra per nome, stanza, tipo o stato", "2 dispositivi · 1 in funzione"],
  ["nl", "nl", "Huis", "Kamer uit: Kitchen", "Filter op naam, kamer, soort of toestand", "2 apparaten · 1 aan"],
  ["pl-PL", "en", "House", "Room off: Kitchen", "Filter by name, room, kind or state", "2 devices · 1 on"],
];

async function pageLanguage({ browser, closeLater }) {
  const stage = closeLater(await Stage.open(browser, { args: ["--demo", "--guard", "confirm"] }));
  for (const [locale, language, house, off, filter, count] of WORDS) {
    await stage.page.evaluate((wanted) => window.bridge.setHostContext({ locale: wanted }), locale);
    await until(locale, async () => await stage.view.locator("html").getAttribute("lang") === language);
    assert.equal(await stage.view.getByRole("heading", { level: 1 }).textContent(), house);
    assert.equal(await stage.view.getByRole("searchbox").getAttribute("placeholder"), filter);
    assert.equal(await stage.view.getByRole("button", { name: off }).count(), 1, off);
    assert.equal(await stage.view.locator("section", { hasText: "Coffee Machine" }).locator(".count").textContent(), count);
    assert.equal(await stage.view.locator("#rooms li.card:visible").count(), 17, "every card is still there");
  }
  assert.deepEqual(stage.errors, []);
}

async function german({ browser, closeLater }) {
  const stage = closeLater(await Stage.open(browser, { args: ["--demo", "--guard", "confirm"], person: true, context: { locale: "de-AT" } }));
  const card = stage.card("Hall", "Front Door");
  await stage.page.evaluate(() => { window.reply = { action: "accept", content: { allow: true } }; });
  await card.getByRole("button", { name: "Aufschließen Hall Front Door" }).click();
  assert.equal(await waitForCertainty(card, "confirmed", 15_000), "✓ Hall Front Door: aufgeschlossen.");
  assert.equal((await stage.device("Hall", "Front Door")).current.locked, false);
  await until("the first card counts one unlocked door", async () => /Offen oder aufgeschlossen: 1/.test(await stage.view.locator("#glance").textContent()));
  assert.deepEqual(await stage.violations(), []);
}

/** For some cards of the demo house: the German state, and the German readings. */
const GERMAN = [
  ["Hall", "Front Door", "abgeschlossen", []],
  ["Hall", "Multisensor", "keine Bewegung", ["19,7 °C", "Luftfeuchte 58 %", "312 lx"]],
  ["Kitchen", "Ceiling", "an, 30 %", []],
  ["Garage", "Garage Door", "geschlossen", []],
  ["Bedroom", "Blind", "offen", []],
  ["Living Room", "Thermostat", "heizen, eingestellt auf 20 °C", ["20,5 °C"]],
];

async function germanStates({ browser, closeLater }) {
  let facts;
  const rewrite = (message) => rewriteHouse(message, ({ devices }) => {
    for (const device of devices) if (facts && device.name === "Front Door") device.facts = facts;
  });
  const stage = closeLater(await Stage.open(browser, { rewrite, context: { locale: "de-DE" } }));
  for (const [room, name, state, readings] of GERMAN) {
    const card = stage.card(room, name);
    assert.equal(await card.locator(".state").textContent(), state);
    assert.deepEqual(await card.locator(".readings li").allTextContents(), readings);
  }
  const shown = stage.view.locator("#rooms .state:visible, #rooms .readings:visible");
  const languages = await shown.evaluateAll((all) => [...new Set(all.map((node) => node.lang))]);
  assert.deepEqual(languages, ["de"], "no state in the demo house is left in English");
  const mode = stage.card("Living Room", "Thermostat").getByLabel(/^Modus/);
  assert.equal(await mode.evaluate((node) => node.selectedOptions[0].textContent), "heizen");
  const card = stage.card("Kitchen", "Ceiling");
  await card.getByRole("switch").click();
  assert.equal(await waitForCertainty(card, "confirmed"), "✓ Kitchen Ceiling: aus.");
  const freezer = stage.card("Garage", "Freezer Plug");
  await freezer.getByRole("button", { name: /^An/ }).click();
  assert.equal(await waitForCertainty(freezer, "failed"), "✗ Garage Freezer Plug: antwortet nicht.");
  await stage.view.getByRole("button", { name: "Raum aus: Office" }).click();
  const office = stage.view.locator("section", { has: stage.view.getByRole("heading", { name: "Office", exact: true }) });
  await until("the outcome for the room", async () => await office.getAttribute("data-certainty") === "confirmed");
  assert.equal(await office.locator("> .outcome").getAttribute("lang"), "en", "the server's sentence about several devices is marked as English");
  await until("the new state in German", async () => await card.locator(".state").textContent() === "aus");
  const door = stage.card("Hall", "Front Door").locator(".state");
  // The server may use words that the page does not have.
  for (const [told, text, lang] of [
    [["unlocked since 14:05", "door open"], "aufgeschlossen seit 14:05, Tür offen", "de"],
    [["unlocked", "keypad temporary disabled"], "unlocked, keypad temporary disabled", "en"],
  ]) {
    facts = told;
    await until(text, async () => await door.textContent() === text);
    assert.equal(await door.getAttribute("lang"), lang);
  }
  assert.deepEqual(stage.errors, []);
}

export const tests = [
  ["the page is in the host's language, or in English if the page has no words in that language", pageLanguage],
  ["a German page tells states and readings in German", germanStates],
  ["a German page unlocks a door", german],
];
