import { explore } from '@conclave/check';
import { stateText } from '@conclave/core/internal';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import type { Setup } from '../link/link.js';
import { Session } from './session.js';
import { graph, outgoingOf, pathTo, worldsOf } from './state-graph.js';
import { systemOf } from './system.js';

const setups: readonly Omit<Setup, 'options'>[] = [
  { protocol: 'raymond', budget: {} },
  { protocol: 'raymond', budget: { losses: 1 } },
  { protocol: 'naimi-trehel', budget: { commands: 2 }, topology: 'complete:2' },
  { protocol: 'ricart-agrawala', topology: 'complete:2', budget: { duplications: 1 } },
  { protocol: 'lelann-chang-roberts', budget: {} },
  { protocol: 'lelann-chang-roberts', budget: { order: 'any' } },
  { protocol: 'itai-rodeh', topology: 'ring:2', budget: { inputs: [] } },
  {
    protocol: 'bully',
    topology: 'complete:2',
    budget: { crashes: 1, restarts: 1, atomicSteps: true },
  },
  { protocol: 'bully', topology: 'complete:2', budget: { crashes: 1 } },
  { protocol: 'maekawa', topology: 'complete:2', budget: {} },
  { protocol: 'echo', budget: { partitions: 1 } },
  { protocol: 'heartbeat', topology: 'complete:2', budget: { crashes: 1 } },
  { protocol: 'leased-majority', topology: 'complete:2', budget: { initiators: ['a'] } },
  { protocol: 'causal-fairness', topology: 'complete:2', budget: {} },
];

const nothing = () => {};

describe('the state graph', () => {
  proof.each(setups)(
    'has the worlds and actions that explore counts: $protocol $topology $budget',
    async (setup) => {
      const system = await systemOf({ options: {}, ...setup });
      const found = graph(system, {}, nothing);
      const { states, transitions, depth, properties } = explore(
        system.protocol,
        system.topology,
        setup.budget,
      );
      expect(found.complete).toBe(true);
      expect([found.worlds.length, found.edges.length, found.worlds.at(-1)?.depth]).toEqual([
        states,
        transitions,
        depth,
      ]);
      for (const [index, { name, kind }] of found.properties.entries()) {
        const decides = found.worlds.some(({ values }) => values[index] === (kind !== 'always'));
        const { verdict } = properties.find((one) => one.name === name && one.kind === kind) ?? {};
        expect([name, verdict === 'violated' || verdict === 'reached']).toEqual([name, decides]);
      }
    },
  );

  it('leads to each world by the actions of its path, in the hands of a user as well', async () => {
    const system = await systemOf({ protocol: 'raymond', options: {}, budget: { losses: 1 } });
    const found = graph(system, {}, nothing);
    const session = new Session(system);
    const outgoing = outgoingOf(found);
    for (const [id, world] of found.worlds.entries()) {
      const path = pathTo(found, id);
      expect(path).toHaveLength(world.depth);
      expect(worldsOf(found, path).at(-1)).toBe(id);
      session.show(path);
      const { now } = session;
      expect(
        system.topology.nodes.map((node) => stateText(now.value.world.nodes[node]?.value ?? '')),
      ).toEqual(world.states);
      expect(session.run.actions(now.value)).toHaveLength(world.actions);
      expect((outgoing[id] ?? []).length + world.faults.length).toBe(world.actions);
    }
  });

  proof('shows what a machine cannot take, and counts it as no transition', async () => {
    const system = await systemOf({
      protocol: 'raymond',
      options: {},
      budget: { duplications: 1 },
    });
    const found = graph(system, {}, nothing);
    const faulty = found.worlds.flatMap(({ faults }) => faults);
    expect(faulty.length).toBeGreaterThan(0);
    expect(faulty[0]?.reason).toContain('does not handle');
    expect(found.edges).toHaveLength(
      explore(system.protocol, system.topology, { duplications: 1 }).transitions,
    );
  });

  it('gives nothing of a system with too many worlds', async () => {
    const system = await systemOf({ protocol: 'raymond', options: {}, budget: {} });
    const { length } = graph(system, {}, nothing).worlds;
    expect(graph(system, { most: length }, nothing)).toMatchObject({
      complete: true,
      most: length,
    });
    expect(graph(system, { most: length - 1 }, nothing)).toMatchObject({
      complete: false,
      worlds: [],
      edges: [],
    });
  });
});
