/** The broker of the medium `relay`: a line `to text` of one connection becomes the line `from text` of another. The argument is the port. */
import { createServer } from 'node:net';

const sockets = new Map();
const server = createServer((socket) => {
  let self;
  let rest = '';
  socket.setNoDelay(true);
  socket.setEncoding('utf8');
  socket.on('error', () => {});
  socket.on('close', () => sockets.get(self) === socket && sockets.delete(self));
  socket.on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      if (self === undefined) {
        self = line;
        sockets.set(self, socket);
        continue;
      }
      const blank = line.indexOf(' ');
      sockets.get(line.slice(0, blank))?.write(`${self}${line.slice(blank)}\n`);
    }
  });
});
server.listen(Number(process.argv[2]), '127.0.0.1', () => console.log('ready'));
