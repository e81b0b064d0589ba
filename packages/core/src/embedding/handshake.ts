import { Subject } from 'rxjs';
import type { ConclaveError } from '../base/error.js';
import type { Message, NodeId } from '../protocol/node.js';
import type { TimerClock } from '../protocol/node-timers.js';
import type { Protocol } from '../protocol/protocol.js';
import { complete } from '../topology/generators.js';
import type { Embedded } from './embedded.js';
import { EmbeddedNode } from './embedded-node.js';
import type { StableStorage } from './storage.js';
import type { Incoming, Transport } from './transport.js';
import { wallClock } from './wall-clock.js';

const longestWait = 2000;

interface HandshakeOptions {
  readonly protocol: Protocol;
  readonly nodes: readonly NodeId[];
  readonly incarnation: number;
  readonly clock: TimerClock | undefined;
  readonly storage?: StableStorage;
  readonly onError: (error: ConclaveError) => void;
  /** Called with each notification of the machine. */
  readonly told: (notification: Message) => void;
}

/**
 * A node of a protocol by which nodes admit each other, on the transport of the application's own
 * messages.
 */
export class Handshake {
  readonly #greetings = new Subject<Incoming>();
  readonly #node: Embedded;

  constructor(
    transport: Transport,
    { protocol, nodes, clock, told, ...options }: HandshakeOptions,
  ) {
    const { self } = transport;
    const topology = complete([...nodes].sort());
    const close = async () => {};
    const channel: Transport = {
      self,
      guarantees: { order: 'any', loss: true, duplication: true },
      received$: this.#greetings,
      send: (to, greeting) => transport.send(to, greeting),
      close,
      [Symbol.asyncDispose]: close,
    };
    this.#node = new EmbeddedNode(protocol, topology, {
      self,
      topology,
      transport: channel,
      clock: slowing(clock),
      ...options,
    });
    this.#node.notifications$.subscribe(told);
  }

  get context(): unknown {
    return this.#node.state.context;
  }

  receive(from: NodeId, greeting: Message): void {
    this.#greetings.next({ from, message: greeting });
  }

  close(): void {
    void this.#node.close();
  }
}

/**
 * A machine knows no time: here each wait of a timer is twice as long as its one before, where it
 * was shorter than two seconds.
 */
function slowing(clock: TimerClock = wallClock): TimerClock {
  const factors = new Map<string, number>();
  return {
    setTimeout: (fire, delay, timer = '') => {
      const factor = factors.get(timer) ?? 1;
      factors.set(timer, 2 * factor);
      return clock.setTimeout(fire, Math.min(factor * delay, Math.max(delay, longestWait)), timer);
    },
    clearTimeout: (handle) => clock.clearTimeout(handle),
  };
}
