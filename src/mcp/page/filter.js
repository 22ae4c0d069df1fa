// The filter: the server decides which devices match, so the page finds the same ones as the tool.

const FILTERED = "zwave://devices?filter=";

/** The filter is applied after this time without further input, in milliseconds. */
const TYPING_DELAY = 200;

/** The words of the filter. */
let filterWords = "";

/** The names of the devices that match the filter, or null without a filter. */
let matchingNames = null;

/** The names that are near to the filter, if no device matches. */
let nearestNames = [];

let typing;

/** Asks the server which devices match a filter, and which names are near to it. */
async function findMatching(words) {
  const uri = FILTERED + encodeURIComponent(words);
  const { contents } = await request("resources/read", { uri }, READ_TIMEOUT);
  const { devices, nearest = [] } = JSON.parse(contents[0].text);
  return { names: new Set(devices.map((device) => device.controlName)), nearest };
}

/** Filters by words. An answer is ignored if the words have changed in the meantime. */
async function filterBy(words) {
  filterWords = words;
  let found = { names: null, nearest: [] };
  if (words !== "") {
    try {
      found = await findMatching(words);
    } catch (error) {
      if (words === filterWords) showProblems([error.message]);
      return;
    }
  }
  if (words !== filterWords) return;
  ({ names: matchingNames, nearest: nearestNames } = found);
  applyFilter();
}

byId("filter").addEventListener("input", () => {
  clearTimeout(typing);
  const words = byId("filter").value.trim();
  // An empty filter is applied at once, because it needs no request.
  typing = setTimeout(() => filterBy(words), words === "" ? 0 : TYPING_DELAY);
});

/** Filters by the words of a call in the conversation. Shows everything if nothing matches. */
async function suggestFilter(words) {
  byId("filter").value = words;
  await filterBy(words);
  if (byId("nothing").hidden) return;
  byId("filter").value = "";
  await filterBy("");
}
