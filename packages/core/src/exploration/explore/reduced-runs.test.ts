/**
 * Properties of runs where the search leaves something out: what it calls violated must be so in
 * the full search, and replay.
 */
import { assertRuns, proof } from '@conclave/tools/sample';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  alwaysEventually,
  atMost,
  eventually,
  everyStep,
  increases,
  leadsTo,
  overtaken,
  type Property,
} from '../../protocol/property.js';
import type { Protocol } from '../../protocol/protocol.js';
import type { Verdict } from '../../protocol/verdict.js';
import { chain, complete, ring } from '../../topology/generators.js';
import type { Topology } from '../../topology/topology.js';
import { replay } from '../../trace/replay.js';
import { randomProtocol } from '../fixtures/random-protocol.contract.js';
import { systems } from '../fixtures/symmetric-systems.contract.js';
import { askable, plainly } from '../fixtures/systems.contract.js';
import { CompiledPlain } from '../plain/compiled-plain.js';
import { search } from '../search/traversal/search.js';
import type { Fairness } from '../verdicts/properties/liveness.js';
import type { World } from '../worlds/world.js';
import { explore } from './explore.js';
import type { ExploreOptions } from './options.js';

const numberIn = (context: Readonly<Record<string, unknown>>) =>
  ['n', 'coin', 'tries'].map((field) => context[field]).find((value) => typeof value === 'number');

/** Of each kind that is about runs. */
const ofRuns: readonly Property[] = [
  everyStep('no step sends', ({ sent }) => sent.length === 0),
  everyStep(
    'no number is lowered',
    ({ before, after }) =>
      Number(numberIn(before.context) ?? 0) <= Number(numberIn(after.context) ?? 0),
  ),
  everyStep(
    'a waiting node of the first half does not stay waiting',
    ({ before, after }) =>
      before.id > 'b' || !before.tags.has('waiting') || !after.tags.has('waiting'),
  ),
  leadsTo(
    'a waiting node enters',
    ({ tags }) => tags.has('waiting'),
    ({ tags }) => tags.has('critical'),
  ),
  leadsTo(
    'the first node stops waiting',
    ({ id, tags }) => id === 'a' && tags.has('waiting'),
    ({ tags }) => !tags.has('waiting'),
  ),
  eventually('two wait', (system) => system.count('waiting') > 1),
  alwaysEventually('none waits', (system) => system.count('waiting') === 0),
  increases('numbers grow', ({ context, crashed }) => (crashed ? undefined : numberIn(context))),
  overtaken(0),
  overtaken(1),
  overtaken(0, {
    name: 'no node waits while another one does',
    inside: ({ tags }) => tags.has('waiting'),
  }),
];

const modes: readonly (readonly [string, ExploreOptions])[] = [
  ['order', { reduce: 'order' }],
  ['symmetry', { reduce: 'symmetry' }],
  ['all', { reduce: 'all' }],
  ['normalise', { normalise: (world: World) => world }],
  ['depth-first by order', { reduce: 'order', search: 'depth' }],
];

/** Of which kinds each mode has found violations. */
const found = new Set<string>();

function compare(
  protocol: Protocol,
  topology: Topology,
  options: ExploreOptions,
  commands: readonly string[],
): void {
  const properties = askable(protocol, [
    ...ofRuns,
    ...commands.map((per) => atMost(1, { per })),
    ...commands.map((per) => atMost(2, { per })),
  ]);
  const full = explore(protocol, topology, { ...options, properties, limits: { states: 3_000 } });
  if (!full.complete || full.limit) return;
  const truth = new Map(full.properties.map(({ name, verdict }) => [name, plainly(verdict)]));
  for (const [mode, how] of modes) {
    if (!protocol.symmetry && (how.reduce === 'symmetry' || how.reduce === 'all')) continue;
    const reduced = explore(protocol, topology, { ...options, ...how, properties });
    for (const { name, kind, verdict, trace } of reduced.properties.slice(0, properties.length)) {
      const decided: Verdict[] = ['incomplete'];
      if (truth.get(name) === 'violated') decided.push('violated');
      expect(decided, `${mode}: ${name}`).toContain(plainly(verdict));
      if (!trace) continue;
      expect(replay(protocol, topology, trace)).toEqual({ steps: trace.lines.length });
      found.add(`${mode} ${kind}`);
    }
  }
}

const fairnesses: readonly Fairness[] = ['none', 'weak', 'strong'];

proof.each(
  systems.map(([name, ...system], index) => [name, fairnesses[index % 3], ...system] as const),
)(
  '%s has no violation that the full search has not, with fairness %s',
  (_name, fairness, protocol, topology, budget) => {
    const commands = Object.entries(protocol.commands).flatMap(([type, { kind }]) =>
      kind === 'optional' ? [type] : [],
    );
    compare(protocol, topology, { ...budget, fairness: fairness ?? 'weak' }, commands);
  },
);

it('random systems have no violation that the full search has not', () => {
  const few = fc.constantFrom(0, 0, 0, 1);
  const budgets = fc.record({
    ...{
      commands: fc.constantFrom(1, 1, 2),
      losses: few,
      duplications: few,
      crashes: few,
      restarts: few,
    },
    order: fc.constantFrom('fifo' as const, 'any' as const),
    fairness: fc.constantFrom(...fairnesses),
  });
  const networks = fc.constantFrom(complete(2), ring(3), chain(3));
  assertRuns(
    fc.property(randomProtocol, networks, budgets, (protocol, network, budget) =>
      compare(protocol, network, budget, ['go']),
    ),
    1,
    60,
    11,
  );
});

proof('violations of each kind were found, with each reduction', () => {
  const kinds = new Set(ofRuns.map(({ kind }) => kind)).add('atMost');
  const all = modes.flatMap(([mode]) => [...kinds].map((kind) => `${mode} ${kind}`));
  expect([...found].sort()).toEqual(all.sort());
});

it('a search may keep its edges only up to a number of them; it finds the same worlds', () => {
  const listener = { found: () => true, ended: () => true, fault: () => true, progress: () => {} };
  const counter = {
    initial: 0,
    actions: (n: number) => (n < 5 ? ['up', 'round'] : []),
    next: (n: number, by: string) => (by === 'up' ? n + 1 : 0),
  };
  const of = (mostEdges: number) =>
    search(new CompiledPlain(counter), { graph: true, mostEdges }, listener);
  expect(of(11)).toMatchObject({
    states: 6,
    transitions: 10,
    complete: true,
    graph: { edges: 11 },
  }); // with the one to the initial state
  expect(of(10)).toMatchObject({ states: 6, transitions: 10, complete: true, graph: undefined });
});
