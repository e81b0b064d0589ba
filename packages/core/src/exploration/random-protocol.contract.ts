/** Protocols as fast-check makes them up: small machines that talk until their fuel is spent. */
import fc from 'fast-check';
import { setup } from 'xstate';
import { type Self, tiny, withMachine } from '../protocol/examples.contract.js';
import { type Chosen, choose, type Effect, send } from '../protocol/node.js';
import type { Protocol } from '../protocol/protocol.js';
import { needs } from '../topology/needs.js';

type Talk = { type: 'm0' | 'm1' };

/** What a transition does. */
export interface Rule {
  /** The state it leads to; it stays without. */
  readonly to?: number | undefined;
  /** What is added to `n`, modulo 3. */
  readonly add: number;
  /** To which peer, by position modulo their number, and what. */
  readonly sends: readonly (readonly [peer: number, type: Talk['type']])[];
  readonly asks: boolean;
  /** It is taken for an odd `n` only; otherwise nothing happens. */
  readonly odd: boolean;
}

/** By state: its tags, and by event its rule; an event that is not there is handled nowhere in the state. */
export interface Plan {
  readonly tags: readonly string[];
  readonly on: Readonly<Record<string, Rule | undefined>>;
}

const node = setup({
  types: {} as {
    input: Self;
    context: Self & { n: number; fuel: number };
    events: { type: 'go' } | { type: 'tick' } | Talk | Chosen;
    emitted: Effect<Talk>;
  },
});
const act = ({ add, sends, asks }: Rule) =>
  node.enqueueActions(({ context, enqueue }) => {
    if (context.fuel === 0) return;
    enqueue.assign({ n: (context.n + add) % 3, fuel: context.fuel - Math.sign(sends.length + add) });
    for (const [peer, type] of sends) {
      const to = context.peers[peer % Math.max(1, context.peers.length)];
      if (to) enqueue.emit(send(to, { type }));
    }
    if (asks) enqueue.emit(choose(0, 1));
  });
const count = node.assign(({ context }) => ({ n: (context.n + 1) % 3 }));

const machineOf = (plans: readonly Plan[], fuel: number) =>
  node.extend({ actions: { count }, guards: { isOdd: ({ context }) => context.n % 2 === 1 } }).createMachine({
    context: ({ input }) => ({ ...input, n: 0, fuel }),
    initial: 's0',
    on: { chosen: { actions: 'count' } },
    states: Object.fromEntries([
      ['never', { tags: ['waiting', 'critical'] }], // so that every property may ask for them
      ...plans.map(({ tags, on }, state) => {
        const transitions = Object.entries(on).flatMap(([type, rule]) => {
          if (!rule) return [];
          const taken = { target: `s${(rule.to ?? state) % plans.length}`, actions: act(rule) };
          return [[type, rule.odd ? [{ ...taken, guard: 'isOdd' as const }, {}] : [taken]]];
        });
        const { time, ...events } = Object.fromEntries(transitions);
        return [`s${state}`, { tags: [...tags], on: events, ...(time ? { after: { 5: time } } : {}) }];
      }),
    ]),
  });

const rule = (most: number): fc.Arbitrary<Rule> =>
  fc.record({
    to: fc.option(fc.nat(2), { nil: undefined }),
    add: fc.nat(1),
    sends: fc.array(fc.tuple(fc.nat(2), fc.constantFrom('m0' as const, 'm1' as const)), { maxLength: most }),
    asks: fc.integer({ min: 0, max: 7 }).map((n) => n === 0),
    odd: fc.boolean(),
  });
const seldom = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined, freq: 3 });
const mostly = <T>(of: fc.Arbitrary<T>) => fc.oneof({ weight: 14, arbitrary: of }, { weight: 1, arbitrary: fc.constant(undefined) });
const plan: fc.Arbitrary<Plan> = fc.record({
  tags: fc.subarray(['waiting', 'critical']),
  on: fc.record({ m0: mostly(rule(1)), m1: mostly(rule(1)), go: rule(2), tick: seldom(rule(1)), time: seldom(rule(1)) }),
});

const base: Protocol = tiny(machineOf([{ tags: [], on: {} }], 0), {
  name: 'made-up',
  topology: { ...needs.complete, refuses: () => undefined },
  messages: {},
  commands: {},
});

export const randomProtocol: fc.Arbitrary<Protocol> = fc
  .record({ plans: fc.array(plan, { minLength: 2, maxLength: 3 }), fuel: fc.integer({ min: 1, max: 2 }) })
  .map(({ plans, fuel }) => {
    const protocol: Protocol = {
      ...withMachine(base, machineOf(plans, fuel)),
      messages: { m0: { meaning: 'zero' }, m1: { meaning: 'one' } },
      commands: {
        go: { kind: 'optional', meaning: 'go' },
        tick: { kind: 'obligatory', meaning: 'tick', when: ({ value }) => plans[Number(String(value).slice(1))]?.on.tick !== undefined },
      },
    };
    return Object.defineProperty(protocol, fc.toStringMethod, { value: () => JSON.stringify({ plans, fuel }) });
  });
