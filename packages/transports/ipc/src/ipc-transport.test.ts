/** The hub runs as a process of its own, from the built packages; the nodes are in this one. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { transportContract } from '@conclave/core/embedding/testing';
import { times } from '@conclave/tools/sample';
import { afterAll, beforeAll } from 'vitest';
import { marked } from './channel.js';
import { ipcTransport } from './index.js';

let hub: ChildProcess;
let round = 0;

beforeAll(() => {
  hub = fork(fileURLToPath(new URL('../fixtures/hub.mjs', import.meta.url)), {
    serialization: 'advanced',
  });
});
afterAll(() => {
  hub.kill();
});

async function told(command: string): Promise<void> {
  const answered = new Promise<void>((resolve) => {
    const listen = (message: unknown) => {
      if (message !== 'done') return;
      hub.off('message', listen);
      resolve();
    };
    hub.on('message', listen);
  });
  hub.send(command);
  await answered;
}

transportContract(
  'ipcTransport',
  (nodes, { maxBytes }) => {
    const network = `shop ${round++}`;
    let up = true;
    return {
      network,
      transport: (self) =>
        ipcTransport({
          self,
          peers: nodes.filter((id) => id !== self),
          network,
          maxBytes,
          process: hub,
        }),
      interrupt: async () => {
        up = false;
        await told('interrupt');
      },
      resume: async () => {
        up = true;
        await told('resume');
      },
      inject: async (from, to, frames) => {
        hub.send(marked({ type: 'hello', network, node: from }));
        hub.send(
          marked({ type: 'frames', items: frames.map((frame) => [network, from, to, frame]) }),
        );
        await new Promise((resolve) =>
          hub.send(marked({ type: 'bye', network, node: from }), resolve),
        );
      },
      close: async () => {
        if (!up) await told('resume');
      },
    };
  },
  { frames: times(500, 100_000) },
);
