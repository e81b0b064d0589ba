/**
 * What is written as AUT, read again, is the graph of the definition of a world. The export walks
 * the tables of the kernel; here the text is read without them and compared with {@link Worlds}, so
 * that one mistake cannot be in both.
 */

import type { Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { complete, ring } from '@conclave/core/topology';
import { assertRuns, isWhole, quickOf, sampled } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { breaksRules } from '../../../core/src/protocol/handles.js';
import { randomListener } from '../../../core/src/protocol/random-protocol.contract.js';
import { explore } from '../explore/explore.js';
import { greetings } from '../fixtures/explored.contract.js';
import { systems } from '../fixtures/systems.contract.js';
import { actionText } from '../worlds/run-lines.js';
import type { World } from '../worlds/world.js';
import { worldKey } from '../worlds/world-key.js';
import { Worlds } from '../worlds/worlds.js';
import { exportAut } from './aut.js';
import type { ExportOptions } from './explored-system.js';

interface Edge {
  readonly label: string;
  readonly to: number;
}

/** By number of a state: its edges. */
type Graph = readonly (readonly Edge[])[];

/** Reads `des (0, transitions, states)`, then a line `(from, "label", to)` for each edge. */
function readAut(text: string): Graph {
  const [head = '', ...lines] = text.trimEnd().split('\n');
  const [first, transitions, states] = /^des \((\d+), (\d+), (\d+)\)$/.exec(head)?.slice(1) ?? [];
  expect(first).toBe('0');
  expect(lines).toHaveLength(Number(transitions));
  const edges: Edge[][] = Array.from({ length: Number(states) }, () => []);
  for (const line of lines) {
    const [from, label, to] = /^\((\d+), "([^"]*)", (\d+)\)$/.exec(line)?.slice(1) ?? [];
    expect(Number(to)).toBeLessThan(edges.length);
    edges[Number(from)]?.push({ label: label ?? '', to: Number(to) });
  }
  return edges;
}

/**
 * Walks both graphs together, from the initial state on: a state of one must always meet the same
 * state of the other, with the same labels, and no state may be left over.
 */
function expectSameGraph(
  graph: Graph,
  protocol: Protocol,
  topology: Topology,
  options: ExportOptions,
): void {
  const worlds = new Worlds(protocol, topology, options);
  const open: { readonly world: World; readonly number: number }[] = [];
  const numbers = new Map<string, number>();
  const met = new Set<number>();
  const meet = (world: World, number: number) => {
    const key = worldKey(world, worlds.order);
    const known = numbers.get(key);
    if (known !== undefined) return expect(number).toBe(known);
    expect(met.has(number)).toBe(false);
    numbers.set(key, number);
    met.add(number);
    return open.push({ world, number });
  };
  meet(worlds.initial, 0);
  for (const { world, number } of open) {
    const next = worlds.actions(world).map((action) => ({
      label: actionText(protocol, action).replaceAll('"', "'"),
      world: worlds.next(world, action),
    }));
    const here = graph[number] ?? [];
    expect(here.map(({ label }) => label).sort()).toEqual(next.map(({ label }) => label).sort());
    expect(new Set(here.map(({ label }) => label)).size).toBe(here.length);
    for (const { label, world: after } of next)
      meet(after, here.find((edge) => edge.label === label)?.to ?? -1);
  }
  expect(met.size).toBe(graph.length);
}

const untimed = systems.filter(([name, , , { time }]) => !time && name !== 'greetings');
const exact = systems.filter(([, , , { time }]) => time);
/** Those that take seconds. */
const large: readonly string[] = ['callers', 'callers that crash while they wait'];

describe('exportAut', () => {
  it.each(quickOf(sampled(untimed, 2), ([name]) => !large.includes(name)))(
    '%s: the graph is that of the definition, and the text is the same each time',
    (_, protocol, topology, options) => {
      const exported = () => exportAut(protocol, topology, options);
      const { text, states } = exported();
      const graph = readAut(text);
      expect(graph).toHaveLength(states);
      expectSameGraph(graph, protocol, topology, options);
      expect(exported().text).toBe(text);
    },
  );

  // messages of different ages have one label there, so only the counts are compared
  it.each(sampled(exact, 1))(
    'in exact time, %s: as many states',
    (_, protocol, topology, options) => {
      const graph = readAut(exportAut(protocol, topology, options).text);
      const { states, transitions } = explore(protocol, topology, { ...options, properties: [] });
      expect([graph.length, graph.flat().length]).toEqual([states, transitions]);
    },
  );

  it('refuses a system in which a step fails', () => {
    expect(() => exportAut(greetings, complete(3))).toThrow(
      "The step 'b hello from a' fails, and leads to no state: Node b in 'asleep' does not handle",
    );
  });

  it('of random systems, the graph is that of the definition', () => {
    const [few, many, seed] = [1, 40, 11];
    let compared = 0;
    assertRuns(
      fc.property(
        randomListener,
        fc.constantFrom(complete(2), ring(3)),
        fc.record({
          losses: fc.constantFrom(0, 1),
          duplications: fc.constantFrom(0, 1),
          crashes: fc.constantFrom(0, 1),
          order: fc.constantFrom('fifo' as const, 'any' as const),
        }),
        (protocol, topology, options) => {
          let text: string;
          try {
            ({ text } = exportAut(protocol, topology, { ...options, limits: { states: 500 } }));
          } catch (error) {
            if (breaksRules(error) || String(error).includes('no complete model')) return;
            throw error;
          }
          compared++;
          expectSameGraph(readAut(text), protocol, topology, options);
        },
      ),
      few,
      many,
      seed,
    );
    if (isWhole) expect(compared).toBeGreaterThan(9);
  });
});
