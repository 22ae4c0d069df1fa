// The input of every client here, and the output of its observations.
export const { server, list, control, mistake } = JSON.parse(process.env.INTEROP);

export function tell(seen) {
  console.log(JSON.stringify(seen));
}

// A tool's result as the protocol defines it.
export function answer(result) {
  return { text: result.content[0].text, error: result.isError === true };
}
