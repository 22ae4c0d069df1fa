// The filter: the server decides which devices match, so the page finds the same ones as the tool.

const FILTERED = "zwave://devices?filter=";

/** The filter is applied after this time without further input, in milliseconds. */
const TYPING_DELAY = 200;

/** The words of the filter. */
let filterWords = "";

/** The names of the devices that match the filter, or null without a filter. */
let matchingNames = null;

let typing;

/** Asks the server which devices match a filter. */
async function findMatching(words) {
  const uri = FILTERED + encodeURIComponent(words);
  const { contents } = await request("resources/read", { uri }, READ_TIMEOUT);
  return new Set(JSON.parse(contents[0].text).devices.map((device) => device.controlName));
}

/** Filters by words. An answer is ignored if the words have changed in the meantime. */
async function filterBy(words) {
  filterWords = words;
  let names = null;
  if (words !== "") {
    try {
      names = await findMatching(words);
    } catch (error) {
      if (words === filterWords) showProblems([error.message]);
      return;
    }
  }
  if (words !== filterWords) return;
  matchingNames = names;
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
