import assert from "node:assert/strict";
import { Stage, until } from "./stage.mjs";
export const demo = [
  ["A click moves the lamp, and the proof appears", async ({ theatre, keep, screenshots }) => {
    const stage = keep(await Stage.open(theatre));
    const card = stage.card("Kitchen", "Coffee Machine");
    await card.getByRole("switch").click();
    await until("the tick", async () => (await card.getAttribute("data-certainty")) === "confirmed");
    assert.equal((await stage.device("Kitchen", "Coffee Machine")).current.on, true);
    await stage.page.screenshot({ path: `${screenshots}/quick.png` });
    assert.deepEqual(stage.errors, []);
  }],
];
