import { type Conditions, delayText } from '../channel/conditions.js';
import type { Message, NodeId } from '../protocol/node.js';
import type { Protocol } from '../protocol/protocol.js';
import type { Topology } from '../topology/topology.js';
import { crashLine, traceHeader, traceLine } from '../trace/recording.js';
import { callText } from '../trace/text.js';
import { headerWith, type Trace, type TraceEvent, type TraceLine } from '../trace/trace.js';
import type { VirtualClock } from './clock.js';
import type { TakenStep } from './network.js';

/** Records the trace of a simulation, where `on`. */
export class Recorder {
  readonly #lines: TraceLine[] = [];

  constructor(
    readonly on: boolean,
    private readonly protocol: Protocol,
    private readonly topology: Topology,
    private readonly clock: VirtualClock,
  ) {}

  /** A node's step; a start is a line only where it has effects. */
  step(node: NodeId, { stimulus, before, after, effects }: TakenStep): void {
    if (!this.on || (stimulus.kind === 'start' && effects.length === 0)) return;
    const earlier = before ? { before: before.value } : {};
    this.#lines.push(
      traceLine(this.protocol, {
        time: this.clock.now(),
        node,
        stimulus,
        ...earlier,
        after: after.value,
        effects,
      }),
    );
  }

  /** A fault of a node, or of a channel to it. */
  note(node: NodeId, event: TraceEvent): void {
    if (this.on) this.#lines.push({ time: this.clock.now(), node, event, effects: [] });
  }

  crash(node: NodeId): void {
    if (this.on)
      this.#lines.push({
        time: this.clock.now(),
        ...crashLine(this.protocol, this.topology, node),
      });
  }

  /**
   * A lost or duplicated message; undefined for a frame of the reliable link, which is not
   * recorded.
   */
  channel(
    kind: 'drop' | 'duplicate',
    from: NodeId,
    to: NodeId,
    message: Message | undefined,
  ): void {
    if (this.on && message)
      this.note(to, { kind, call: callText(this.protocol.messages, message), from });
  }

  trace(seed: number, { order, delay, loss, duplication }: Conditions): Trace {
    const header = headerWith([
      ...traceHeader(this.protocol, this.topology),
      ['seed', String(seed)],
      [
        'channels',
        `order ${order}, delay ${delayText(delay)}, loss ${loss}, duplication ${duplication}`,
      ],
    ]);
    return { header, lines: this.#lines };
  }
}
