/**
 * Every machine of the catalogue is compiled; in random runs of small networks its plans do what
 * XState does.
 */

import { fire, roleOf, start, step, takes } from '@conclave/core/internal';
import {
  ConclaveError,
  compile,
  type Json,
  type LocalState,
  type NodeId,
  type PlainState,
  type PlainStep,
  type Protocol,
} from '@conclave/core/protocol';
import { Random } from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { isWhole, sampled } from '@conclave/tools/sample';
import { expect, it } from 'vitest';
import { catalogue } from '../catalogue.js';

type Event = { readonly type: string; readonly [field: string]: Json };
type Machine = ReturnType<typeof roleOf>['machine'];
type Step = ReturnType<typeof step>;

interface Node {
  readonly id: NodeId;
  readonly machine: Machine;
  state: LocalState;
  /** The same state, as the plans have left it. */
  plain: PlainState;
}

/** Every message under way from one node to another. */
interface Channel {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly messages: Event[];
}

/** What a step by plan makes of the armed timers: a plan does not know which there are. */
type Timer = LocalState['timers'][number];

function stepOf({ state, effects }: PlainStep, armed: readonly Timer[]): Step {
  const { value, tags, history, status } = state.configuration;
  let timers = armed;
  const done: unknown[] = [];
  for (const effect of effects) {
    if (effect.type === 'start') timers = [...timers, effect.timer];
    const isIdle = effect.type === 'cancel' && !timers.some(({ id }) => id === effect.timer);
    if (effect.type === 'cancel') timers = timers.filter(({ id }) => id !== effect.timer);
    if (!isIdle) done.push(effect.type === 'emit' ? effect.event : effect);
  }
  if (status !== 'active') for (const { id } of timers) done.push({ type: 'cancel', timer: id });
  return {
    state: {
      value,
      context: state.context,
      tags,
      history,
      timers: status === 'active' ? timers : [],
      status,
    },
    effects: done,
  } as Step;
}

const same = (one: unknown, other: unknown) =>
  expect(JSON.stringify(one)).toBe(JSON.stringify(other));

/** What `run` gives while XState cannot step in for the plans of `machine`. */
function byPlanOnly<T>(machine: Machine, run: () => T): T {
  const { transition, getInitialSnapshot } = machine;
  const refuse = () => {
    throw new Error(`XState takes a step of ${machine.id}`);
  };
  Object.assign(machine, { transition: refuse, getInitialSnapshot: refuse });
  try {
    return run();
  } finally {
    Object.assign(machine, { transition, getInitialSnapshot });
  }
}

/** A run of `protocol` in random order: deliveries, commands, time-outs, and perhaps a crash. */
class Run {
  /** The distinct local steps that were compared. */
  readonly compared = new Set<string>();
  readonly #nodes: readonly Node[];
  readonly #channels = new Map<string, Channel>();
  readonly #crashed = new Set<NodeId>();
  readonly #random: Random;

  constructor(
    private readonly protocol: Protocol,
    private readonly topology: Topology,
    seed: number,
  ) {
    this.#random = new Random(seed);
    const starts: Step['effects'][] = [];
    this.#nodes = topology.nodes.map((id) => {
      const { machine, input } = roleOf(protocol, id, topology);
      const given = input(id, topology);
      const compiled = compile(machine);
      const [law, plan] = [
        start(machine, id, given),
        byPlanOnly(machine, () => compiled.start(given)),
      ];
      same(stepOf(plan, []), law);
      const node = { id, machine, state: law.state, plain: plan.state };
      this.#carry(node, law);
      starts.push(law.effects);
      return node;
    });
    for (const [index, effects] of starts.entries())
      if (this.#nodes[index]) this.#answer(this.#nodes[index], effects);
  }

  go(moves: number): void {
    for (let move = 0; move < moves; move++) {
      const options = [
        ...this.#deliveries(),
        ...this.#nodes.flatMap((node) => (this.#crashed.has(node.id) ? [] : this.#own(node))),
      ];
      if (options.length === 0) return;
      options[this.#upTo(options.length - 1)]?.();
      if (this.#upTo(60) === 0 && this.#crashed.size === 0) this.#crash();
    }
  }

  /** A number from 0 to `most`. */
  #upTo(most: number): number {
    return this.#random.below(most + 1);
  }

  #crash(): void {
    const id = this.topology.nodes[this.#upTo(this.topology.nodes.length - 1)] ?? '';
    this.#crashed.add(id);
    const { crashNotice } = this.protocol;
    if (crashNotice !== undefined)
      for (const to of this.topology.successors(id))
        this.#channel(id, to).messages.push({ type: crashNotice });
  }

  #deliveries(): (() => void)[] {
    return [...this.#channels.values()].flatMap(({ from, to, messages }) => {
      const node = this.#nodes.find(({ id }) => id === to);
      if (!node || messages.length === 0 || this.#crashed.has(to)) return [];
      const at = this.protocol.channels.order === 'any' ? this.#upTo(messages.length - 1) : 0;
      return () => {
        for (const message of messages.splice(at, 1)) this.#take(node, { ...message, from });
      };
    });
  }

  /** Commands that the node takes, and time-outs. */
  #own(node: Node): (() => void)[] {
    const commands = Object.entries(this.protocol.commands).flatMap(([type, { examples = [{}] }]) =>
      examples.map((fields): Event => ({ ...fields, type })),
    );
    const taken = commands.filter((command) => takes(node.machine, node.state, command, node.id));
    return [
      ...taken.map((command) => () => this.#take(node, command)),
      ...node.state.timers.map(
        ({ id }) =>
          () =>
            this.#fire(node, id),
      ),
    ];
  }

  #take(node: Node, event: Event): void {
    const { machine, state, id } = node;
    const compiled = compile(machine);
    const plan = this.#planned(node, event, (from) => compiled.step(from, event));
    expect(compiled.takes(node.plain, event)).toBe(plan !== undefined);
    let law: Step;
    try {
      law = step(machine, id, state, event);
    } catch (error) {
      if (!(error instanceof ConclaveError && error.code === 'unhandled')) throw error;
      expect(plan).toBeUndefined();
      return;
    }
    this.#agree(node, law, plan, state.timers);
  }

  #fire(node: Node, timer: string): void {
    const { machine, state, id } = node;
    const event = state.timers.find((one) => one.id === timer)?.event;
    if (!event) throw new Error(`no timer ${timer}`);
    const plan = this.#planned(node, event, (from) => compile(machine).fire(from, event));
    const others = state.timers.filter((one) => one.id !== timer);
    this.#agree(node, fire(machine, id, state, timer), plan, others);
  }

  /** The step by plan from the state that it left, and from the same state by its parts. */
  #planned<T>({ machine, state, plain }: Node, event: object, run: (from: PlainState) => T): T {
    this.compared.add(JSON.stringify([machine.id, state, event]));
    const { value, context, history, status }: LocalState = JSON.parse(JSON.stringify(state));
    const resolved = compile(machine).resolve(value, context, history, status);
    expect(resolved.configuration).toBe(plain.configuration);
    return byPlanOnly(machine, () => {
      const plan = run(plain);
      same(run(resolved), plan);
      return plan;
    });
  }

  #agree(node: Node, law: Step, plan: PlainStep | undefined, armed: readonly Timer[]): void {
    if (!plan) throw new Error(`By plan, node ${node.id} does not take the step of XState`);
    same(stepOf(plan, armed), law);
    node.state = law.state;
    node.plain = plan.state;
    this.#carry(node, law);
    this.#answer(node, law.effects);
  }

  #channel(from: NodeId, to: NodeId): Channel {
    const known = this.#channels.get(`${from} ${to}`);
    const channel = known ?? { from, to, messages: [] };
    if (!known) this.#channels.set(`${from} ${to}`, channel);
    return channel;
  }

  /** Puts what the step sends on its channels. */
  #carry({ id }: Node, { effects }: Step): void {
    for (const effect of effects)
      if (effect.type === 'send')
        // messages are plain data
        this.#channel(id, effect.to).messages.push(effect.message as Event);
  }

  /** Answers what the step asks, before any other event. */
  #answer(node: Node, effects: Step['effects']): void {
    for (const effect of effects) {
      if (effect.type !== 'choose') continue;
      this.#take(node, {
        type: 'chosen',
        value: effect.options[this.#upTo(effect.options.length - 1)] ?? null,
      });
    }
  }
}

const protocols = catalogue.flatMap(({ make, charted }) =>
  [{}, ...charted]
    .map((options) => [JSON.stringify(options), make(options)] as const)
    .map(([options, protocol]) => [protocol.name, options, protocol] as const),
);

it.each(sampled(protocols, 25))('%s %s', (_name, _options, protocol) => {
  const compared = new Set<string>();
  const sizes = [2, 3, 4].entries();
  for (const [seed, size] of sampled([...sizes], 1)) {
    const topology = protocol.topology.example(size);
    for (const id of topology.nodes)
      expect(compile(roleOf(protocol, id, topology).machine).uncompiled).toBeUndefined();
    const run = new Run(protocol, topology, seed);
    run.go(150);
    for (const key of run.compared) compared.add(key);
  }
  expect(compared.size).toBeGreaterThan(isWhole ? 10 : 0);
});
