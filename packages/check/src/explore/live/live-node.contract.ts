/**
 * The steps of one node as its live actor takes them: XState itself, run again from its start for
 * each distinct step.
 */

import type { Json, NodeId, Protocol } from '@conclave/core/protocol';
import { ConclaveError } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import type { AnyMachineSnapshot, EventObject, StateValue } from 'xstate';
import { NodeActor } from '../../../../core/src/protocol/actor.js';
import type { Send } from '../../../../core/src/protocol/effects.js';
import type { Stimulus } from '../../../../core/src/protocol/node.js';
import type { HostEffect } from '../../../../core/src/protocol/step.js';

/** What happens to a node. */
export type Told =
  | { readonly kind: 'start' | 'crash' | 'restart' }
  | { readonly kind: 'event'; readonly event: EventObject }
  | { readonly kind: 'fire'; readonly timer: string }
  | { readonly kind: 'answer'; readonly value: Json };

/** A node between two steps. A crashed one is as it was when it went down. */
export interface Local {
  /** Two states of a node are the same exactly if this is. */
  readonly text: string;
  readonly value: StateValue;
  readonly context: Readonly<Record<string, Json>>;
  readonly tags: readonly string[];
  readonly status: string;
  /** Of history states. */
  readonly history: Readonly<Record<string, readonly string[] | undefined>>;
  /** In the order they were armed. */
  readonly timers: readonly { readonly id: string; readonly delay: number }[];
  /** The choices that are not answered yet, the next one first. */
  readonly open: readonly (readonly Json[])[];
  readonly crashed: boolean;
  /** How a node gets there. */
  readonly past: readonly Told[];
}

export interface LiveStep {
  readonly after: Local;
  readonly sends: readonly Send[];
  /** The ids of the timers that the step has armed. */
  readonly armed: readonly string[];
}

/** A text that equal plain data share, whatever the order of their keys. */
export function textOf(data: unknown): string {
  if (typeof data !== 'object' || data === null) return JSON.stringify(data) ?? 'undefined';
  if (Array.isArray(data)) return `[${data.map(textOf).join()}]`;
  const entries = Object.entries(data).filter(([, value]) => value !== undefined);
  return `{${entries
    .map(([key, value]) => `${JSON.stringify(key)}:${textOf(value)}`)
    .sort()
    .join()}}`;
}

export class LiveNode {
  readonly #locals = new Map<string, Local>();
  readonly #steps = new Map<string, LiveStep | ConclaveError>();
  readonly #takes = new Map<string, boolean>();

  constructor(
    readonly id: NodeId,
    private readonly protocol: Protocol,
    private readonly topology: Topology,
  ) {}

  start(): LiveStep {
    const started = this.#taken([{ kind: 'start' }]);
    if (started instanceof ConclaveError) throw started;
    return started;
  }

  /** The step, or how the machine breaks the node contract by it. */
  step({ text, past }: Local, told: Told): LiveStep | ConclaveError {
    const key = `${text} ${textOf(told)}`;
    const known = this.#steps.get(key) ?? this.#taken([...past, told]);
    this.#steps.set(key, known);
    return known;
  }

  /**
   * The node when it goes down: nothing that it has stored is lost, and its open choices stay
   * unanswered.
   */
  down(local: Local): Local {
    return this.#kept({
      ...local,
      open: [],
      crashed: true,
      past: [...local.past, { kind: 'crash' }],
    });
  }

  takes({ text, past }: Local, event: EventObject): boolean {
    const key = `${text} ${textOf(event)}`;
    const known =
      this.#takes.get(key) ??
      new Run(this.protocol, this.topology, this.id, past).node.takes(event);
    this.#takes.set(key, known);
    return known;
  }

  #taken(past: readonly Told[]): LiveStep | ConclaveError {
    try {
      const { node, effects, open, delays } = new Run(this.protocol, this.topology, this.id, past);
      const timers = node.timers.map((id) => ({ id, delay: delays.get(id) ?? 0 }));
      const { value, context, tags, status } = node.snapshot;
      const sends = effects.filter((effect) => effect.type === 'send');
      this.#requireLinks(sends);
      const history = historyOf(node.snapshot);
      const after = this.#kept({
        value,
        context,
        tags: [...tags].sort(),
        status,
        history,
        timers,
        open: [...open],
        crashed: false,
        past,
      });
      const armed = effects.flatMap((effect) => (effect.type === 'start' ? [effect.timer.id] : []));
      return { after, sends, armed };
    } catch (error) {
      if (error instanceof ConclaveError && ['unhandled', 'bad-protocol'].includes(error.code))
        return error;
      throw error;
    }
  }

  #requireLinks(sends: readonly Send[]): void {
    for (const { to, message } of sends)
      if (!this.topology.link(this.id, to) || message.type === this.protocol.crashNotice)
        throw new ConclaveError(
          'bad-protocol',
          `Node ${this.id} cannot send '${message.type}' to ${to}`,
        );
  }

  /** The first state with this text: the shortest past is run again the soonest. */
  #kept({ past, ...state }: Omit<Local, 'text'>): Local {
    const text = textOf({ ...state, text: undefined });
    const known = this.#locals.get(text) ?? { ...state, past, text };
    this.#locals.set(text, known);
    return known;
  }
}

/** The choice that a node is asked for has no answer yet. */
class Unanswered extends Error {}

/** The life of one live actor. */
class Run {
  readonly node: NodeActor;
  /** Those of the last step. */
  effects: readonly HostEffect[] = [];
  readonly open: (readonly Json[])[] = [];
  /** Of armed timers. */
  readonly delays = new Map<string, number>();
  readonly #fires = new Map<string, () => void>();
  #next = 0;

  constructor(
    protocol: Protocol,
    topology: Topology,
    id: NodeId,
    private readonly past: readonly Told[],
  ) {
    const clock = {
      setTimeout: (fire: () => void, delay: number, timer = '') => {
        this.#fires.set(timer, fire);
        this.delays.set(timer, delay);
        return timer;
      },
      clearTimeout: (timer: unknown) => this.#fires.delete(String(timer)),
    };
    const stepped = (
      _: NodeActor,
      _stimulus: Stimulus,
      _before: unknown,
      effects: readonly HostEffect[],
    ) => {
      this.effects = effects;
      this.open.unshift(
        ...effects.flatMap((effect) => (effect.type === 'choose' ? [effect.options] : [])),
      );
    };
    this.node = new NodeActor(protocol, topology, id, {
      clock,
      stepped,
      choose: (node) => this.#choose(node),
    });
    try {
      while (this.#next < past.length) this.#tell(past[this.#next++] as Told); // it is there
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
    }
  }

  #tell(told: Told): void {
    switch (told.kind) {
      case 'start':
        return this.node.start();
      case 'event':
        return this.node.receive(told.event);
      case 'fire':
        return this.#fires.get(told.timer)?.();
      case 'crash':
        return this.node.crash();
      case 'restart':
        return this.node.restart();
      case 'answer':
        throw new Error('no choice is open');
    }
  }

  /** An actor chooses within its step; a crash instead of an answer ends the step. */
  #choose(node: NodeActor): Json {
    const told = this.past[this.#next++];
    if (!told) throw new Unanswered();
    if (told.kind === 'answer') {
      this.open.shift();
      return told.value;
    }
    if (told.kind !== 'crash') throw new Error(`a choice is open at '${told.kind}'`);
    this.open.length = 0;
    node.crash();
    return null;
  }
}

const historyOf = ({ historyValue }: AnyMachineSnapshot) =>
  Object.fromEntries(
    Object.entries(historyValue).map(([key, nodes]) => [key, nodes?.map(({ id }) => id).sort()]),
  );
