/** Random protocols from fast-check: small machines that send until their fuel is spent. */
import fc from 'fast-check';
import { setup } from 'xstate';
import * as needs from '../topology/needs.js';
import { minimalProtocol, type Self, withMachine } from './examples.contract.js';
import { type Chosen, choose, type Effect, send } from './node.js';
import type { Protocol } from './protocol.js';

type Talk = { type: 'm0' | 'm1' | 'm2' };

/** What a transition does. */
export interface Rule {
  /** The target state; without it, the node stays in its state. */
  readonly to?: number | undefined;
  /** What is added to `n`, modulo 3. */
  readonly add: number;
  /** The peer, by position modulo their number, and the message type. */
  readonly sends: readonly (readonly [peer: number, type: Talk['type']])[];
  readonly asks: boolean;
  /** Whether the transition needs an odd `n`; for an even one nothing happens. */
  readonly odd: boolean;
}

/**
 * For each state: its tags, and its rule for each event; a missing event is not handled in the
 * state.
 */
export interface Plan {
  readonly tags: readonly string[];
  readonly on: Readonly<Record<string, Rule | undefined>>;
}

const node = setup({
  types: {} as {
    input: Self;
    context: Self & { n: number; fuel: number };
    events: { type: 'go' | 'tick'; k?: number } | Talk | Chosen;
    emitted: Effect<Talk>;
  },
});
const act = ({ add, sends, asks }: Rule) =>
  node.enqueueActions(({ context, event, enqueue }) => {
    if (context.fuel === 0) return;
    enqueue.assign({
      n: (context.n + add + ('k' in event ? (event.k ?? 0) : 0)) % 3,
      fuel: context.fuel - Math.sign(sends.length + add),
    });
    for (const [peer, type] of sends) {
      const to = context.peers[peer % Math.max(1, context.peers.length)];
      if (to) enqueue.emit(send(to, { type }));
    }
    if (asks) enqueue.emit(choose(0, 1));
  });
const count = node.assign(({ context }) => ({ n: (context.n + 1) % 3 }));

/** `hears`: whether it takes m2, which no node sends, as it takes m1. */
const machineOf = (plans: readonly Plan[], fuel: number, hears = false) =>
  node
    .extend({ actions: { count }, guards: { isOdd: ({ context }) => context.n % 2 === 1 } })
    .createMachine({
      context: ({ input }) => ({ ...input, n: 0, fuel }),
      initial: 's0',
      on: { chosen: { actions: 'count' } },
      states: Object.fromEntries([
        ['never', { tags: ['waiting', 'critical'] }], // so that each property may use both tags
        ...plans.map(({ tags, on }, state) => {
          const transitions = Object.entries(on).flatMap(([type, rule]) => {
            if (!rule) return [];
            const taken = { target: `s${(rule.to ?? state) % plans.length}`, actions: act(rule) };
            return [[type, rule.odd ? [{ ...taken, guard: 'isOdd' as const }, {}] : [taken]]];
          });
          const { time, ...events } = Object.fromEntries(transitions);
          const heard = hears && events.m1 ? { ...events, m2: events.m1 } : events;
          return [
            `s${state}`,
            { tags: [...tags], on: heard, ...(time ? { after: { 5: time } } : {}) },
          ];
        }),
      ]),
    });

const rule = (most: number): fc.Arbitrary<Rule> =>
  fc.record({
    to: fc.option(fc.nat(2), { nil: undefined }),
    add: fc.nat(1),
    sends: fc.array(fc.tuple(fc.nat(2), fc.constantFrom('m0' as const, 'm1' as const)), {
      maxLength: most,
    }),
    asks: fc.integer({ min: 0, max: 7 }).map((n) => n === 0),
    odd: fc.boolean(),
  });
const seldom = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined, freq: 3 });
const mostly = <T>(of: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 14, arbitrary: of }, { weight: 1, arbitrary: fc.constant(undefined) });
const plan: fc.Arbitrary<Plan> = fc.record({
  tags: fc.subarray(['waiting', 'critical']),
  on: fc.record({
    m0: mostly(rule(1)),
    m1: mostly(rule(1)),
    go: rule(2),
    tick: seldom(rule(1)),
    time: seldom(rule(1)),
  }),
});

const base: Protocol = minimalProtocol(machineOf([{ tags: [], on: {} }], 0), {
  name: 'random',
  topology: { ...needs.complete, refuses: () => undefined },
  messages: {},
  commands: {},
});

const plansAndFuel = fc.record({
  plans: fc.array(plan, { minLength: 2, maxLength: 3 }),
  fuel: fc.integer({ min: 1, max: 2 }),
});
/** Two values of a field, which a node adds to its number. */
const examples = { fields: ['k'], examples: [{ k: 0 }, { k: 1 }] };
const protocolsThat = ({ hears = false, hasExamples = false }): fc.Arbitrary<Protocol> =>
  plansAndFuel.map(({ plans, fuel }) => {
    const protocol: Protocol = {
      ...withMachine(base, machineOf(plans, fuel, hears)),
      messages: {
        m0: { meaning: 'zero' },
        m1: { meaning: 'one' },
        ...(hears && { m2: { meaning: 'one, from the network' } }),
      },
      commands: {
        go: { kind: 'optional', meaning: 'go', ...(hasExamples && examples) },
        tick: {
          kind: 'obligatory',
          meaning: 'tick',
          when: ({ value }) => plans[Number(String(value).slice(1))]?.on.tick !== undefined,
          ...(hasExamples && examples),
        },
      },
    };
    return Object.defineProperty(protocol, fc.toStringMethod, {
      value: () => JSON.stringify({ plans, fuel }),
    });
  });

export const randomProtocol = protocolsThat({});
/** Protocols with a message m2 that only a network may send. */
export const randomListener = protocolsThat({ hears: true });
/** Protocols whose commands have two examples each. */
export const randomExamples = protocolsThat({ hasExamples: true });
