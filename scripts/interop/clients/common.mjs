// What every client here is told, and how it tells what it saw.
export const { server, list, control, mistake } = JSON.parse(process.env.INTEROP);

export function tell(seen) {
  console.log(JSON.stringify(seen));
}

// A tool's answer as the protocol has it.
export function answer(result) {
  return { text: result.content[0].text, error: result.isError === true };
}
