/**
 * Compares our decision of bisimilarity with the definition: the coarsest partition, by refinement.
 */

import type { Protocol } from '@conclave/core/protocol';
import {
  always,
  eventually,
  everyStep,
  leadsTo,
  type NodeView,
  type Property,
  type SystemView,
  sometimes,
} from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { assertRuns, isWhole, proof } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namesOf } from '../../../core/src/protocol/names.js';
import { randomProtocol } from '../../../core/src/protocol/random-protocol.contract.js';
import { explore } from '../explore/explore.js';
import { canonical } from '../worlds/canonical.js';
import { viewOf } from '../worlds/local-node.js';
import { worldKey } from '../worlds/world-key.js';
import { firstParting } from './bisimulation.js';
import {
  type ExploredGraph,
  exploredGraph,
  Labels,
  Numbers,
  noteReads,
  StepReads,
} from './labels.js';
import { mutantsOf } from './mutants.js';
import { Reached } from './reached.js';
import { neighboursField } from './sends.js';
import type { MutationSystem } from './systems.js';

/** A generated protocol need not have the tag, so no property names it. */
const carries = ({ tags }: NodeView, tag: string): boolean => [...tags].includes(tag);
const carrying = ({ nodes }: SystemView, tag: string): number =>
  nodes.filter((node) => carries(node, tag)).length;

const properties: readonly Property[] = [
  always('not both are in the critical section', (system) => carrying(system, 'critical') < 2),
  sometimes('both wait', (system) => carrying(system, 'waiting') === 2),
  eventually('a node counts', ({ nodes }) => nodes.some(({ context }) => context.n === 1)),
  leadsTo(
    'a waiting node enters',
    (node) => carries(node, 'waiting'),
    (node) => carries(node, 'critical'),
  ),
  everyStep(
    'a node leaves the critical section only if it counts',
    ({ before, after }) =>
      !carries(before, 'critical') ||
      carries(after, 'critical') ||
      before.context.n !== after.context.n,
  ),
];

/** The parts of a world that these properties read, and crashes. */
const seen = ({ worlds, compiled, search }: ExploredGraph, world: number): string => {
  const vector = new Int32Array(compiled.width);
  search.store.read(world, vector);
  const { nodes } = viewOf(worlds.protocol, worlds.topology, compiled.encoding.decode(vector));
  return canonical(
    nodes.map(({ crashed, tags, context }) => [crashed, [...tags].sort(), context.n]),
  );
};

/**
 * The blocks of the union of both graphs: first by what properties read, then by the possible
 * actions and their target blocks, until nothing changes.
 */
function areBisimilar(first: ExploredGraph, second: ExploredGraph): boolean {
  const worlds = [first, second].flatMap((of) =>
    Array.from({ length: of.search.states }, (_, world) => ({ of, world })),
  );
  const offset = (of: ExploredGraph) => (of === first ? 0 : first.search.states);
  let blocks = numbered(worlds.map(({ of, world }) => seen(of, world)));
  for (let count = 0; ; ) {
    const now = new Set(blocks).size;
    if (now === count) return blocks[0] === blocks[first.search.states];
    count = now;
    blocks = numbered(
      worlds.map(({ of, world }, index) => {
        const { graph, compiled } = of;
        const edges = Array.from(
          { length: graph.end(world) - graph.first(world) },
          (_, at) => graph.first(world) + at,
        );
        const steps = edges.map(
          (edge) =>
            `${canonical(compiled.actionOf(graph.action(edge)))} ${blocks[offset(of) + graph.target(edge)]}`,
        );
        return `${blocks[index]} ${steps.sort().join()}`;
      }),
    );
  }
}

function numbered(texts: readonly string[]): readonly number[] {
  const numbers = new Map<string, number>();
  return texts.map((text) => {
    if (!numbers.has(text)) numbers.set(text, numbers.size);
    return numbers.get(text) ?? -1;
  });
}

const system: MutationSystem = { topology: complete(2), budget: { initiators: ['a'] } };
const most = 400;

const graphOf = (protocol: Protocol) => {
  try {
    return exploredGraph(protocol, system, { states: most });
  } catch {
    return undefined; // a machine that fails
  }
};

describe('a mutant and its original', () => {
  it('are bisimilar exactly if refinement says so, and then every property has the same verdict for both', () => {
    let equal = 0;
    let different = 0;
    assertRuns(
      fc.property(randomProtocol, fc.nat(), (made, seed) => {
        const protocol = { ...made, properties };
        const original = graphOf(protocol);
        const mutants = mutantsOf(protocol).filter(({ role }) => role !== undefined);
        const mutant = mutants[seed % mutants.length];
        const changed = mutant && graphOf(mutant.protocol);
        if (!original || !changed) return;
        const reads = new StepReads();
        noteReads(original, properties, reads);
        const numbers = new Numbers();
        const parting = firstParting(
          new Labels(original, reads, numbers),
          new Labels(changed, reads, numbers),
        );
        expect(parting === undefined).toBe(areBisimilar(original, changed));
        if (parting) {
          different++;
          const { actions, only } = parting;
          const ends = [original, changed].map(({ worlds }) =>
            actions.reduce((world, action) => worlds.next(world, action), worlds.initial),
          );
          if (only) {
            const [able, unable] = only.who === 'first' ? [0, 1] : [1, 0];
            const can = [original, changed].map(({ worlds }, index) =>
              worlds.actions(ends[index] as (typeof ends)[0]).map(canonical),
            ); // as many as graphs
            expect(can[able]).toContain(canonical(only.action));
            expect(can[unable]).not.toContain(canonical(only.action));
          } else
            expect(worldKey(ends[0] as (typeof ends)[0], 'any')).not.toBe(
              worldKey(ends[1] as (typeof ends)[0], 'any'),
            ); // both graphs have an end
          return;
        }
        equal++;
        // If the only state with a tag loses it, and no run enters that state, the check is
        // vacuous.
        if (namesOf(mutant.protocol).tags.size < namesOf(protocol).tags.size) return;
        const verdicts = [protocol, mutant.protocol].map((one) =>
          explore(one, system.topology, { ...system.budget, properties }).properties.map(
            ({ name, verdict }) => `${name}: ${verdict}`,
          ),
        );
        expect(verdicts[1]).toEqual(verdicts[0]);
      }),
      3,
      40,
      9,
    );
    if (!isWhole) return;
    expect(equal).toBeGreaterThan(3);
    expect(different).toBeGreaterThan(3);
  });

  proof('are bisimilar where no run reaches the change', () => {
    let unreached = 0;
    fc.assert(
      fc.property(randomProtocol, (protocol) => {
        const original = graphOf(protocol);
        if (!original) return;
        const reached = new Reached(protocol);
        reached.note(original);
        const reads = new StepReads();
        reads.note('all', ({ value, context }) => [
          value,
          Object.entries(context).filter(([field]) => field !== neighboursField),
        ]);
        reads.inFlight = true;
        const numbers = new Numbers();
        const labels = new Labels(original, reads, numbers);
        for (const { site, protocol: changed } of mutantsOf(protocol)) {
          if (!site || reached.has(site)) continue;
          unreached++;
          const graph = graphOf(changed);
          expect(graph && firstParting(labels, new Labels(graph, reads, numbers))).toBe(undefined);
          expect(graph?.search.states).toBe(original.search.states);
        }
      }),
      { numRuns: 6, seed: 9 },
    );
    expect(unreached).toBeGreaterThan(40);
  });
});
