/** The contract for what the transport packages share, over a medium in memory that can be interrupted. */
import type { NodeId } from '../../protocol/node.js';
import { type Medium, NetworkTransport } from '../network-transport.js';
import { transportContract } from './transport-contract.js';

/** A medium in memory: it knows its nodes, and loses what is sent while it is interrupted. */
class Bus {
  readonly #nodes = new Map<NodeId, NetworkTransport>();
  #up = true;

  constructor(
    private readonly nodes: readonly NodeId[],
    private readonly maxBytes: number,
  ) {}

  transport(self: NodeId): NetworkTransport {
    const peers = this.nodes.filter((id) => id !== self);
    const medium: Medium = {
      guarantees: { order: 'fifo', loss: true, duplication: false, restarts: true },
      knowsPeers: true,
      send: (to, frame) => queueMicrotask(() => this.carry(to, frame)),
      close: async () => {
        this.#nodes.delete(self);
        for (const other of this.#nodes.values()) other.peer({ peer: self, reachable: false, reason: 'it left' });
      },
    };
    const transport = new NetworkTransport({ self, peers, network: 'bus', maxBytes: this.maxBytes }, medium);
    for (const other of this.#nodes.values()) other.peer({ peer: self, reachable: true });
    this.#nodes.set(self, transport);
    return transport;
  }

  carry(to: NodeId, frame: string | Uint8Array): void {
    if (this.#up) this.#nodes.get(to)?.receive(frame);
  }

  set up(up: boolean) {
    this.#up = up;
    for (const node of this.#nodes.values()) node.status(up ? { state: 'resumed', gap: true } : { state: 'down', reason: 'the bus broke' });
  }
}

transportContract('NetworkTransport', (nodes, { maxBytes }) => {
  const bus = new Bus(nodes, maxBytes);
  return {
    network: 'bus',
    transport: (id) => bus.transport(id),
    inject: async (_from, to, frames) => {
      for (const frame of frames) bus.carry(to, frame);
    },
    interrupt: async () => {
      bus.up = false;
    },
    resume: async () => {
      bus.up = true;
    },
    close: async () => {},
  };
});
