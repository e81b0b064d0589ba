import type { AnyMachineSnapshot, AnyTransitionDefinition } from 'xstate';
import { type Host, NodeActor } from '../protocol/actor.js';
import { requireTopology } from '../protocol/check.js';
import { crashNotices } from '../protocol/crash-notices.js';
import { channelFaults } from '../protocol/faults.js';
import type { Json, Message, NodeId, Stimulus } from '../protocol/node.js';
import type { Protocol } from '../protocol/protocol.js';
import type { HostEffect } from '../protocol/step.js';
import type { Topology } from '../topology/topology.js';
import { isChannelEvent } from './matching.js';
import { parseCall, parseValue } from './parse.js';
import { crashLine, timerName, traceLine } from './recording.js';
import { callText, linesText, type Trace, type TraceLine, valueText } from './trace.js';

/**
 * Replays a trace on fresh actors and compares every step: event, states and effects, but not
 * times. A step that cannot happen, such as the delivery of a message that was not sent, is a
 * divergence, too.
 *
 * @param taken called with the transitions that XState takes in each repeated step; `step` is the
 * line, from 0.
 * @throws {ConclaveError} `bad-topology` when `topology` is not what the protocol needs;
 * `bad-trace` for a command it does not know.
 */
export function replay(
  protocol: Protocol,
  topology: Topology,
  trace: Trace,
  taken: (step: number, transitions: readonly AnyTransitionDefinition[]) => void = () => {},
): {
  /** How many lines were replayed without a difference. */
  readonly steps: number;
  /** The first line that differs: its number among the steps, and both versions. */
  readonly divergence?: {
    readonly step: number;
    readonly expected: string;
    readonly found: string;
  };
} {
  requireTopology(protocol, topology);
  return new Replayer(protocol, topology, trace, taken).run();
}

type Replay = ReturnType<typeof replay>;
/** Called with the transitions of one step, as objects of the machine. */
export type Taken = NonNullable<Parameters<typeof replay>[3]>;

/** Ends a replay immediately: a node that chooses again and again might otherwise never end. */
class Divergence extends Error {
  constructor(readonly at: NonNullable<Replay['divergence']>) {
    super(`diverged at step ${at.step}`);
  }
}

class Replayer {
  readonly #nodes = new Map<NodeId, NodeActor>();
  /** The callbacks of armed timers, by node: they fire only when the trace says so. */
  readonly #timers = new Map<NodeId, Map<string, () => void>>();
  readonly #inFlight = new Map<string, Message[]>();
  readonly #lines: readonly TraceLine[];
  /** Whether nodes discard the messages that their states do not handle. */
  readonly #discards: boolean;
  #position = 0;
  #transitions: AnyTransitionDefinition[] = [];

  constructor(
    private readonly protocol: Protocol,
    private readonly topology: Topology,
    { header, lines }: Trace,
    private readonly taken: Taken,
  ) {
    this.#lines = lines;
    this.#discards = header.get('unexpected') === 'discard';
    for (const id of topology.nodes)
      this.#nodes.set(id, new NodeActor(protocol, topology, id, this.#host(id)));
  }

  run(): Replay {
    try {
      for (const node of this.#nodes.values()) {
        node.start();
        this.#performOnChannels();
        if (this.#next?.event.kind === 'crash' && this.#next.node === node.id)
          this.#perform(this.#next); // in the middle of its start
        this.#performOnChannels();
      }
      for (let line = this.#next; line; line = this.#next) this.#perform(line);
      return { steps: this.#position };
    } catch (error) {
      if (error instanceof Divergence) return { steps: this.#position, divergence: error.at };
      throw error;
    } finally {
      for (const node of this.#nodes.values()) node.stop();
    }
  }

  get #next(): TraceLine | undefined {
    return this.#lines[this.#position];
  }

  /** What a channel does to the messages of a step follows the step directly. */
  #performOnChannels(): void {
    for (let line = this.#next; line && isChannelEvent(line); line = this.#next)
      this.#perform(line);
  }

  #host(id: NodeId): Host {
    const timers = new Map<string, () => void>();
    this.#timers.set(id, timers);
    return {
      clock: {
        setTimeout: (fire, _delay, timer = '') =>
          timers.set(timerName(timer), fire) && timerName(timer),
        clearTimeout: (timer) => timers.delete(String(timer)),
      },
      inspect: (event) => {
        if (event.type === '@xstate.microstep') this.#transitions.push(...event._transitions);
      },
      stepped: (node, stimulus, before, effects) => this.#stepped(node, stimulus, before, effects),
      choose: (node, options) => this.#choose(node, options),
    };
  }

  #stepped(
    node: NodeActor,
    stimulus: Stimulus,
    before: AnyMachineSnapshot | undefined,
    effects: readonly HostEffect[],
  ): void {
    const earlier = before ? { before: before.value } : {};
    const transitions = this.#transitions;
    this.#transitions = [];
    // A start has its own line only if it has effects.
    if (stimulus.kind !== 'start' || effects.length > 0) {
      this.taken(this.#position, transitions);
      this.#compare(
        traceLine(this.protocol, {
          node: node.id,
          stimulus,
          ...earlier,
          after: node.value,
          effects,
        }),
      );
    }
    for (const effect of effects) {
      if (effect.type !== 'send') continue;
      if (!this.topology.link(node.id, effect.to))
        throw this.#impossible(`${node.id} has no channel to ${effect.to}`);
      this.#channel(node.id, effect.to).push(effect.message);
    }
  }

  /**
   * Chooses as the trace does; without a choice there, the first option, and the comparison reports
   * it.
   */
  #choose(node: NodeActor, options: readonly Json[]): Json {
    this.#performOnChannels();
    const next = this.#next;
    // in the middle of its step
    if (next?.node === node.id && next.event.kind === 'crash') this.#perform(next);
    if (next?.node !== node.id || next.event.kind !== 'chosen') return options[0] ?? null;
    const chosen = parseValue(next.event.value);
    if (!options.some((option) => valueText(option) === valueText(chosen)))
      throw this.#impossible(
        `${valueText(chosen)} is none of ${options.map(valueText).join(', ')}`,
      );
    return chosen;
  }

  #perform({ node: id, event }: TraceLine): void {
    const node = this.#nodes.get(id);
    if (!node) throw this.#impossible(`the network has no node '${id}'`);
    switch (event.kind) {
      case 'command': {
        const command = parseCall(this.protocol.commands, event.call);
        return this.#receive(node, command, event.call);
      }
      case 'deliver': {
        const message = { ...this.#take(event.from, id, event.call), from: event.from };
        return this.#receive(node, message, event.call);
      }
      case 'timeout': {
        const fire = this.#timers.get(id)?.get(event.timer);
        if (!fire) throw this.#impossible(`${id} has no armed timer '${event.timer}'`);
        this.#timers.get(id)?.delete(event.timer);
        return fire();
      }
      case 'crash':
        if (node.crashed) throw this.#impossible(`${id} has crashed already`);
        node.crash();
        for (const { to, message } of crashNotices(this.protocol, this.topology, id))
          this.#channel(id, to).push(message);
        return this.#compare(crashLine(this.protocol, this.topology, id));
      case 'restart':
        if (!node.crashed) throw this.#impossible(`${id} has not crashed`);
        return node.restart();
      case 'cut':
      case 'heal':
        if (!this.topology.has(event.from) || !this.topology.link(event.from, id))
          throw this.#impossible(`there is no channel from ${event.from} to ${id}`);
        break;
      case 'start':
      case 'chosen':
        throw this.#impossible(`'${event.kind}' does not happen by itself`);
      default: {
        const message = this.#take(event.from, id, event.call);
        this.#channel(event.from, id).push(...channelFaults[event.kind].leaves(message));
      }
    }
    this.#compare({ node: id, event, effects: [] });
  }

  #receive(node: NodeActor, event: { readonly type: string }, call: string): void {
    const isTaken = node.takes(event);
    if (!isTaken && this.#discards && !node.crashed && 'from' in event)
      return this.#stepped(node, { kind: 'event', event }, node.snapshot, []);
    if (!isTaken)
      throw this.#impossible(
        node.crashed ? `${node.id} has crashed` : `${node.id} does not take '${call}' here`,
      );
    node.receive(event);
  }

  #channel(from: NodeId, to: NodeId): Message[] {
    const key = `${from}→${to}`;
    const channel = this.#inFlight.get(key) ?? [];
    this.#inFlight.set(key, channel);
    return channel;
  }

  #take(from: NodeId, to: NodeId, call: string): Message {
    const channel = this.#channel(from, to);
    const index = channel.findIndex(
      (message) => callText(this.protocol.messages, message) === call,
    );
    const message = channel[index];
    if (!message) throw this.#impossible(`no '${call}' is in flight from ${from} to ${to}`);
    channel.splice(index, 1);
    return message;
  }

  /** Compares what happened with the next line of the trace. */
  #compare(line: TraceLine): void {
    const found = withoutTime(line);
    const expected = this.#next ? withoutTime(this.#next) : '(the trace ends)';
    if (found !== expected) throw new Divergence({ step: this.#position + 1, expected, found });
    this.#position++;
  }

  /** A step that the nodes cannot take in their present states. */
  #impossible(why: string): Divergence {
    const expected = this.#next ? withoutTime(this.#next) : '(the trace ends)';
    return new Divergence({ step: this.#position + 1, expected, found: `cannot happen: ${why}` });
  }
}

const withoutTime = ({ time: _, ...line }: TraceLine): string => linesText([line]).trimEnd();
