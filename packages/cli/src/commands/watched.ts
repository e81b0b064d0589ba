import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, watch } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Session } from '../session.js';

const bin = fileURLToPath(new URL('../../bin/conclave.js', import.meta.url));

/** The address of the page keeps its steps: where one does not fit any more, it shows those before. */
const reload = "<script>new EventSource('changes').onmessage = () => location.reload();</script>";

/** In milliseconds: editors write a file in several steps. */
const pause = 100;

export interface Watched {
  readonly url: string;
  /** Resolves when the user interrupts the command. */
  readonly over: () => Promise<void>;
}

/**
 * Serves a page on this machine, and writes it again when a file in the folder of its module
 * changes; all that show it load it then.
 *
 * @param argv the command that writes the page, in a process of its own: a module is loaded once
 */
export async function watched(
  session: Session,
  { module, page, argv }: { module: string; page: string; argv: readonly string[] },
): Promise<Watched> {
  const listeners = new Set<ServerResponse>();
  const server = createServer(({ url }, response) => {
    if (url === '/changes') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      listeners.add(response);
      response.on('close', () => listeners.delete(response));
    } else if (url === '/') {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      // the policy of the page permits no connection
      const text = readFileSync(page, 'utf8').replace(
        "default-src 'none'",
        "$&; connect-src 'self'",
      );
      response.end(text + reload);
    } else response.writeHead(404).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;

  let timer: ReturnType<typeof setTimeout> | undefined;
  let writing: Promise<void> = Promise.resolve();
  const write = async () => {
    const child = spawn(process.execPath, [bin, ...argv], { stdio: ['ignore', 'ignore', 'pipe'] });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      complaint += text;
    });
    await once(child, 'close');
    if (child.exitCode === 0) for (const listener of listeners) listener.write('data: new\n\n');
    else session.stderr(complaint);
  };
  const watcher = watch(dirname(resolve(module)), (_, file) => {
    if (!/\.[cm]?[jt]sx?$/.test(file ?? '')) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      writing = writing.then(write);
    }, pause);
  });
  const over = () =>
    new Promise<void>((done) => {
      const look = setInterval(() => {
        if (session.interrupted?.() !== true) return;
        clearInterval(look);
        clearTimeout(timer);
        watcher.close();
        server.close();
        server.closeAllConnections();
        done();
      }, pause);
    });
  return { url: `http://127.0.0.1:${port}/`, over };
}
