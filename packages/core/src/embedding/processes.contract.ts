/** Shared by the tests of sessions: processes on one medium, which come and go. */
import { setImmediate as macrotask } from 'node:timers/promises';
import type { Message, NodeId } from '../protocol/node.js';
import { Inbox } from './inbox.js';
import type { Guarantees, Transport } from './transport.js';

/** One process on the medium. */
export interface Process {
  readonly transport: Transport;
  /** It hears nothing, and what it is sent waits, until it is woken. */
  pause(): void;
  wake(): void;
  /** It is gone at once, and with it what waits for it. */
  kill(): void;
}

/**
 * A medium on which several processes may have the id of one node, as after a restart of one that
 * is only paused. Each hears all that is for it.
 */
export class Processes {
  readonly #attached = new Map<NodeId, Set<(from: NodeId, message: Message) => void>>();
  /** Whether the next message gets lost. */
  loses: () => boolean = () => false;
  sent = 0;

  constructor(private readonly guarantees: Partial<Guarantees> = {}) {}

  start(self: NodeId): Process {
    const inbox = new Inbox();
    const waiting: (() => void)[] = [];
    let [paused, gone] = [false, false];
    const hear = (from: NodeId, message: Message) => {
      const deliver = () => inbox.put({ from, message });
      if (paused) waiting.push(deliver);
      else deliver();
    };
    const attached = this.#attached.get(self) ?? new Set();
    this.#attached.set(self, attached.add(hear));
    const kill = () => {
      gone = true;
      attached.delete(hear);
      inbox.close();
    };
    const close = async () => kill();
    const transport: Transport = {
      self,
      guarantees: {
        order: 'fifo',
        loss: false,
        duplication: false,
        restarts: true,
        ...this.guarantees,
      },
      received$: inbox.items$,
      send: (to, message) => {
        this.sent++;
        const text = JSON.stringify(message);
        if (gone || this.loses()) return;
        queueMicrotask(() => {
          for (const other of [...(this.#attached.get(to) ?? [])]) other(self, JSON.parse(text));
        });
      },
      close,
      [Symbol.asyncDispose]: close,
    };
    const wake = () => {
      paused = false;
      for (const deliver of waiting.splice(0)) deliver();
    };
    return { transport, kill, wake, pause: () => (paused = true) };
  }

  /** Until all has arrived, and all that was sent in answer. */
  async quiet(): Promise<void> {
    for (let before = -1; before !== this.sent; ) {
      before = this.sent;
      await macrotask();
    }
  }
}
