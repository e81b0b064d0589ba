import type { Action } from '@conclave/core/exploration';
import { transitionsOf, Worlds } from '@conclave/core/internal/exploration';
import { roleOf, stateText } from '@conclave/core/internal/protocol';
import { catalogue } from '@conclave/tools/catalogue';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import { leafPaths } from '../model/looks.js';
import { rowsLayout } from './chart-layout.js';
import { graphOf, keyOf } from './graph.js';
import { layOut } from './layout.js';
import { chartSvg } from './svg.js';

const actingIn = (action: Action): string | undefined =>
  action.type === 'deliver'
    ? action.to
    : action.type === 'crash'
      ? undefined
      : 'node' in action
        ? action.node
        : undefined;

describe('the graph of a statechart', () => {
  proof(
    'has every transition that a step of the catalogue takes, and an edge for each new state',
    () => {
      let steps = 0;
      for (const { make } of catalogue) {
        const protocol = make();
        const topology = protocol.topology.example(3);
        const worlds = new Worlds(protocol, topology, { commands: 1 });
        let world = worlds.initial;
        for (let step = 0; step < 30; step++) {
          const actions = worlds.actions(world);
          const action = actions[(step * 7) % (actions.length || 1)];
          if (!action) break;
          const next = worlds.next(world, action);
          const node = actingIn(action);
          const [before, after] = [world.nodes[node ?? ''], next.nodes[node ?? '']];
          world = next;
          if (node === undefined || !before || !after) continue;
          const { boxes, edges } = graphOf(roleOf(protocol, node, topology).machine);
          const taken = transitionsOf(protocol, topology, node, before, action);
          const known = new Set(
            [
              ...boxes.flatMap(({ rows }) => rows),
              ...edges.flatMap(({ labels }) => labels),
            ].flatMap(({ keys }) => keys),
          );
          expect(taken.filter((key) => !known.has(key))).toEqual([]);
          // every event is handled or ignored
          if (action.type !== 'timeout') expect(taken.length).toBeGreaterThan(0);
          const targets = edges.flatMap(({ to, labels }) =>
            labels.some(({ keys }) => keys.some((key) => taken.includes(key))) ? [to] : [],
          );
          for (const leaf of leafPaths(stateText(after.value)))
            if (!leafPaths(stateText(before.value)).includes(leaf)) {
              steps++;
              // Either into the state itself, or into one around it, or around its region.
              expect(
                targets.some(
                  (to) =>
                    leaf === to ||
                    leaf.startsWith(`${to}.`) ||
                    to.startsWith(`${leaf.split('.')[0]}`),
                ),
              ).toBe(true);
            }
        }
      }
      expect(steps).toBeGreaterThan(200);
    },
  );

  it('is drawn whole, by either layout, and escapes what a module wrote', async () => {
    const machine = setup({}).createMachine({
      id: '<m>',
      initial: 'a',
      states: {
        a: { tags: '<&', on: { '"go': 'b', stay: { actions: () => {} } } },
        b: { on: { back: { target: 'a', reenter: true } } },
      },
    });
    const graph = graphOf(machine);
    expect(keyOf(graph)).toBe(keyOf(graphOf(machine)));
    for (const layout of [await layOut(graph), rowsLayout(graph)]) {
      const svg = chartSvg(graph, layout, '<title>');
      expect(svg).not.toMatch(/NaN|undefined|<title><|<&/);
      expect([...svg.matchAll(/data-state="(\w+)"/g)].map(([, state]) => state)).toEqual([
        'a',
        'b',
      ]);
      expect(svg).toContain('data-keys="a &quot;go 0"');
      for (const [x = -1, y = -1, width = 0, height = 0] of layout.boxes.slice(1)) {
        expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
        expect(x + width).toBeLessThanOrEqual(layout.width);
        expect(y + height).toBeLessThanOrEqual(layout.height);
      }
    }
  });
});
