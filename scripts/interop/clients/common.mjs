// Reads the task of a client, and prints what the client has observed.
export const { server, list, control, mistake } = JSON.parse(process.env.INTEROP);

export function tell(seen) {
  console.log(JSON.stringify(seen));
}

// Reads the result of a tool call, in the form that the protocol defines.
export function answer(result) {
  return { text: result.content[0].text, error: result.isError === true };
}
