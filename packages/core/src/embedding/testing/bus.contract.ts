/**
 * For tests of the contract: a medium in memory that knows its nodes, and loses what is sent while
 * it is interrupted.
 */
import type { NodeId } from '../../protocol/node.js';
import { type Medium, NetworkTransport } from '../network-transport.js';
import type { Transport } from '../transport.js';
import type { TestNetwork } from './test-network.js';

export class Bus implements TestNetwork {
  readonly network = 'bus';
  readonly #nodes = new Map<NodeId, NetworkTransport>();
  readonly #delayed: (() => void)[] = [];
  /** Whether it repairs frames that are not exact. */
  lenient = false;
  /** The bytes of the longest frame that it has carried. */
  longest = 0;
  /** How often it was interrupted. */
  breaks = 0;
  #up = true;

  /** @param changed the transport that is tested, given the right one */
  constructor(
    private readonly nodes: readonly NodeId[],
    private readonly maxBytes: number,
    private readonly changed: (right: NetworkTransport, bus: Bus) => Transport = (right) => right,
  ) {}

  transport(self: NodeId): Transport {
    if (this.#nodes.has(self)) throw new Error(`${self} is open`);
    const peers = this.nodes.filter((id) => id !== self);
    const medium: Medium = {
      guarantees: { order: 'fifo', loss: true, duplication: false, restarts: true },
      knowsPeers: true,
      send: (to, frame) => {
        if (!this.#up) return;
        this.#delayed.push(() => this.carry(to, frame));
        if (this.#delayed.length === 1) setImmediate(() => this.flush());
      },
      close: async () => {
        this.#nodes.delete(self);
        for (const other of this.#nodes.values())
          other.peer({ peer: self, reachable: false, reason: 'it left' });
      },
    };
    const transport = new NetworkTransport(
      { self, peers, network: this.network, maxBytes: this.maxBytes },
      medium,
    );
    transport.noPeers('it has not come yet');
    for (const [peer, other] of this.#nodes) {
      transport.peer({ peer, reachable: true });
      other.peer({ peer: self, reachable: true });
    }
    this.#nodes.set(self, transport);
    return this.changed(transport, this);
  }

  /** Delivers what was sent until now. */
  flush(): void {
    for (const deliver of this.#delayed.splice(0)) deliver();
  }

  /** Loses what is in flight. */
  lose(): void {
    this.#delayed.length = 0;
  }

  carry(to: NodeId, frame: string | Uint8Array): void {
    if (!this.#up) return;
    this.longest = Math.max(this.longest, frame.length);
    this.#nodes.get(to)?.receive(this.lenient ? repaired(frame) : frame);
  }

  async inject(_from: NodeId, to: NodeId, frames: readonly Uint8Array[]): Promise<void> {
    for (const frame of frames) this.carry(to, frame);
  }

  async interrupt(): Promise<void> {
    this.#up = false;
    this.breaks++;
    this.lose();
    for (const node of this.#nodes.values())
      node.status({ state: 'down', reason: 'the bus broke' });
  }

  async resume(): Promise<void> {
    this.#up = true;
    for (const node of this.#nodes.values()) node.status({ state: 'resumed', gap: true });
  }

  async close(): Promise<void> {}
}

function repaired(frame: string | Uint8Array): string | Uint8Array {
  try {
    return JSON.stringify(
      JSON.parse(typeof frame === 'string' ? frame : new TextDecoder().decode(frame)),
    );
  } catch {
    return frame;
  }
}
