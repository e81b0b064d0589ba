/** Calls `take` with each JSON value that arrives on `socket`, one on a line. */
export function eachLine(socket, take) {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines) take(JSON.parse(line));
  });
}

export const lineOf = (value) => `${JSON.stringify(value)}\n`;
