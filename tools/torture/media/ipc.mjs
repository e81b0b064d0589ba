import { ipcHub, ipcTransport } from '@conclave/transport-ipc';

export const hasBroker = true;
export const hasNetwork = false; // nothing lies between a process and its parent
export const isIpc = true;

/** The hub is in the harness: it is not killed, but closed, and another one takes its place. */
export function start() {
  const children = new Map();
  let hub = ipcHub();
  return {
    broker: {
      kill: () => hub.close(),
      start() {
        hub = ipcHub();
        for (const [node, child] of children) if (child.connected) hub.add(node, child);
      },
    },
    addressOf: () => ({}),
    attach(node, child) {
      children.set(node, child);
      try {
        hub.add(node, child);
      } catch (error) {
        if (error.code !== 'closed') throw error; // the next hub adds it
      }
    },
    hits: () => 0,
    stop: () => hub.close(),
  };
}

export const transport = (options) => ipcTransport(options);
