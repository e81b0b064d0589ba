/**
 * The search in WebAssembly does the same, in the same order, as the search in JavaScript, which
 * shows every world to the properties.
 */

import type { Protocol } from '@conclave/core/protocol';
import { type Property, type SystemView, sometimes } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { chain, complete, ring, star } from '@conclave/core/topology';
import { assertRuns, isWhole, proof } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { centralLock } from '../../../../core/src/protocol/examples.contract.js';
import { randomListener } from '../../../../core/src/protocol/random-protocol.contract.js';
import { explore } from '../../explore/explore.js';
import { systems } from '../../fixtures/systems.contract.js';
import { type Judgement, judge } from '../../verdicts/judge.js';
import { CompiledProperties } from '../../verdicts/properties/compiled-properties.js';
import { Reads } from '../../verdicts/properties/reads.js';
import type { Budget } from '../../worlds/budget.js';
import { Worlds } from '../../worlds/worlds.js';
import { type Limits, Watch } from '../limits/limits.js';
import { CompiledWorlds } from '../tables/compiled-worlds.js';
import { searchByKernel } from './kernel-search.js';
import { type Search, type SearchListener, type SearchOptions, search } from './search.js';

/** The events of a search, until so many have come, and the worlds and edges that it leaves. */
function recordSearch(
  system: { readonly width: number },
  run: (listener: SearchListener) => Search,
  stopAfter = Infinity,
) {
  const events: string[] = [];
  const record = (event: string) => {
    events.push(event);
    return events.length !== stopAfter;
  };
  const { store, graph, ...counts } = withoutTime(run, {
    found: (world, vector) => record(`found ${world}: ${vector}`),
    ended: (world, vector) => record(`ended ${world}: ${vector}`),
    fault: (world, action, error) => record(`fault ${world} ${action} ${error.message}`),
    progress: () => true, // when it comes depends on the clock
  });
  const vector = new Int32Array(system.width);
  const worlds = Array.from({ length: store.size }, (_, world) => {
    store.read(world, vector);
    const edges: string[] = [];
    if (graph && world < graph.worlds)
      for (let edge = graph.first(world); edge < graph.end(world); edge++)
        edges.push(`${graph.action(edge)} ${graph.target(edge)}`);
    return `${vector} from ${store.parent(world)} by ${store.action(world)}: ${edges}`;
  });
  return { events, worlds, counts: { ...counts, starts: 1 }, last: graph?.worlds };
}

/** Runs a search while no time passes: with time, the kernel tells its progress more often. */
function withoutTime(run: (listener: SearchListener) => Search, listener: SearchListener): Search {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  try {
    return run(listener);
  } finally {
    clock.mockRestore();
  }
}

const compiled = (protocol: Protocol, topology: Topology, budget: Budget) =>
  new CompiledWorlds(new Worlds(protocol, topology, budget));
const largeLock = () => compiled(centralLock, star(5), { commands: 3 });

/** Searches a system by the kernel and in JavaScript, and returns the counts that both have. */
function expectSameSearch(make: () => CompiledWorlds, options: SearchOptions, stopAfter?: number) {
  const [one, other] = [make(), make()];
  const kernel = recordSearch(one, (on) => searchByKernel(one, options, on), stopAfter);
  expect(kernel).toEqual(recordSearch(other, (on) => search(other, options, on), stopAfter));
  return kernel.counts;
}

describe.each(systems)('%s', (_, protocol, topology, { properties: __, ...budget }) => {
  proof('has the same worlds, steps, origins and edges in the same order', () => {
    const make = () => compiled(protocol, topology, budget);
    expect(expectSameSearch(make, { graph: true }).complete).toBe(true);
  });
});

proof('ends at the same moment, in small and in large searches, at each limit', () => {
  // from 4,096 worlds on, several are expanded before what they lead to is looked up
  for (const stopAfter of [1, 3, 17, 4095, 4096, 4097, 4200, 5000, 5011, 6017])
    expect(expectSameSearch(largeLock, {}, stopAfter).complete).toBe(false);
  const limits: readonly Limits[] = [{ states: 0 }, { states: 4500 }, { depth: 0 }, { depth: 9 }];
  for (const limit of limits)
    expect(expectSameSearch(largeLock, { limits: limit, graph: true })).toMatchObject({
      complete: false,
      limit: Object.keys(limit)[0],
    });
});

it('can be repeated on one system, with the tables of the first time', () => {
  const system = compiled(centralLock, star(4), { commands: 2 });
  const once = () => recordSearch(system, (on) => searchByKernel(system, { graph: true }, on));
  expect(once()).toEqual(once());
});

proof('fills one memory after the other', () => {
  const [small, large] = [largeLock(), largeLock()];
  small.kernel.mostBytes = 2 ** 20;
  const options = { graph: true, limits: { states: 50_000 } };
  const [parts, whole] = [small, large].map((system) => {
    const { events, ...found } = recordSearch(system, (on) => searchByKernel(system, options, on));
    return { ...found, events: events.join('\n') };
  });
  expect(parts).toEqual(whole);
  expect(whole?.worlds.length).toBeGreaterThan(50_000);
});

/** A property that looks at one thing, and depending on it at another one. */
type Question =
  | boolean
  | { readonly asks: number; readonly of: number; readonly yes: Question; readonly no: Question };

const looks: readonly ((system: SystemView, of: number) => unknown)[] = [
  (system) => system.count('waiting') > 1,
  (system) => system.tagged('critical').some(({ context }) => context.n === 1),
  (system, of) => system.nodes[of]?.context.n === 2,
  (system, of) => system.nodes[of]?.tags.has('waiting'),
  (system, of) => system.nodes[of]?.value === 's1',
  (system, of) =>
    Object.keys(system.nodes[of]?.context ?? {}).length > 0 && system.nodes[of]?.context.fuel === 0,
  (system) => system.inFlight('m0').length > 0,
  (system) => system.inFlight().length > 1,
  (system, of) => system.inFlight('m1').some(({ to }) => to === system.nodes[of]?.id),
  (system) => system.live < system.nodes.length,
  (system, of) => system.nodes[of]?.crashed,
  (system) => system.distinct('waiting', 'n').length > 1,
];
const { question } = fc.letrec<{ question: Question }>((tie) => ({
  question: fc.oneof(
    { maxDepth: 5, depthSize: 'large' },
    { weight: 1, arbitrary: fc.boolean() },
    {
      weight: 4,
      arbitrary: fc.record({
        asks: fc.nat(looks.length - 1),
        of: fc.nat(2),
        yes: tie('question'),
        no: tie('question'),
      }),
    },
  ),
}));
const answer = (system: SystemView, asked: Question): boolean =>
  typeof asked === 'boolean'
    ? asked
    : answer(system, looks[asked.asks]?.(system, asked.of) ? asked.yes : asked.no);

const few = fc.constantFrom(0, 0, 1);
const budgets: fc.Arbitrary<Budget> = fc.record({
  commands: fc.constantFrom(1, 1, 2),
  losses: few,
  crashes: few,
  restarts: few,
  order: fc.constantFrom('fifo' as const, 'any' as const),
});

it('shows to the properties one world of each signature, and decides all of them in the same worlds as if it showed every world', () => {
  let shown = 0;
  let worlds = 0;
  let decided = 0;
  assertRuns(
    fc.property(
      randomListener,
      fc.constantFrom(complete(2), ring(3), chain(3)),
      budgets,
      fc.array(question, { maxLength: 4, minLength: 1 }),
      fc.boolean(),
      (protocol, topology, budget, questions, all) => {
        const kinds = ['always', 'sometimes', 'never'] as const;
        const judged = (bySignature: boolean): Judgement => {
          let calls = 0;
          const properties = questions.map(
            (asked, index): Property => ({
              kind: kinds[index % 3] ?? 'always',
              name: `${index}`,
              holds: (system: SystemView) => {
                calls++;
                return answer(system, asked);
              },
            }),
          );
          const system = compiled(protocol, topology, budget);
          const own = new CompiledProperties(system, properties, new Reads());
          const { faults, deadlocks } = own;
          const judgement = judge(system, own.declared, {
            fairness: 'weak',
            search: (graph, listener) =>
              bySignature
                ? searchByKernel(system, { graph, limits: { states: 2000 } }, listener, own.seen)
                : search(system, { graph, limits: { states: 2000 } }, listener),
            all,
            optional: () => false,
            faults,
            violatedBy: (error) => own.violatedBy(error),
            ...(deadlocks && { deadlocks }),
            watch: new Watch(),
          });
          if (bySignature) shown += calls;
          else worlds += calls;
          return judgement;
        };
        const [kernel, plain] = [judged(true), judged(false)];
        const facts = ({
          search: { states, transitions, depth, width, complete },
          evidence,
        }: Judgement) => ({
          counts: { states, transitions, depth, width, complete },
          evidence: [...evidence].map(([{ name }, { world, action, fault }]) => [
            name,
            world,
            action,
            fault?.error.message,
          ]),
        });
        expect(facts(kernel)).toEqual(facts(plain));
        decided += kernel.evidence.size;
      },
    ),
    4,
    80,
    1,
  );
  if (!isWhole) return;
  expect(shown).toBeLessThan(worlds / 4);
  expect(decided).toBeGreaterThan(80);
});

it('tells worlds apart by messages that a property looks at late', () => {
  const crossing = sometimes(
    'a request and a grant are in flight',
    (system: SystemView) =>
      system.inFlight('request').length > 0 && system.inFlight('grant').length > 0,
  );
  expect(explore(centralLock, star(3), { properties: [crossing] }).properties[0]?.verdict).toBe(
    'reached',
  );
});
