// The filter of the list: the server is asked which devices match, so that both find the same.

const FILTERED = "zwave://devices?filter=";

/** The pause in typing before the list is asked, in milliseconds. */
const TYPED = 200;

/** The words that are filtered by, and the names of the devices that match; none without a filter. */
let wanted = "";
let found = null;
let typing;

/** Asks the list which devices match a filter. */
async function findMatching(words) {
  const uri = FILTERED + encodeURIComponent(words);
  const { contents } = await ask("resources/read", { uri }, READ_PATIENCE);
  return new Set(JSON.parse(contents[0].text).devices.map((device) => device.controlName));
}

/** Filters by words; an answer to words that were typed over counts no more. */
async function filterBy(words) {
  wanted = words;
  let names = null;
  if (words !== "") {
    try {
      names = await findMatching(words);
    } catch (error) {
      if (words === wanted) showProblems([error.message]);
      return;
    }
  }
  if (words !== wanted) return;
  found = names;
  sift();
}

byId("filter").addEventListener("input", () => {
  clearTimeout(typing);
  const words = byId("filter").value.trim();
  // An empty filter shows all at once.
  typing = setTimeout(() => filterBy(words), words === "" ? 0 : TYPED);
});

/** Filters by what the conversation asked for; where that leaves nothing, all is shown. */
async function suggestFilter(words) {
  byId("filter").value = words;
  await filterBy(words);
  if (byId("nothing").hidden) return;
  byId("filter").value = "";
  await filterBy("");
}
