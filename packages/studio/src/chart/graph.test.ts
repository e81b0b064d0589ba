import type { Action } from '@conclave/check';
import { transitionsOf, Worlds } from '@conclave/check/internal';
import { roleOf, stateText } from '@conclave/core/internal';
import { catalogue } from '@conclave/tools/catalogue';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import { leafPaths } from '../model/looks.js';
import { actorOf, takenIn } from '../model/rules.js';
import { Run } from '../model/session.js';
import { systemOf } from '../model/system.js';
import { activeStates } from '../model/words.js';
import { graphOf, idOf, keyOf, rowsLayout } from './graph.js';
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

/** The source of a transition, from its key. */
const sourceOf = (key: string): string => key.split(' ')[0] ?? '';

proof.each(catalogue.map(({ id, name }) => [id, name] as const))(
  '%s %s: the transitions taken are in the chart, and lead on',
  async (_, name) => {
    const run = new Run(await systemOf({ protocol: name, options: {}, budget: {} }));
    const { protocol, topology } = run.system;
    let seen = 0;
    for (let seed = 1; seed <= 3; seed++) {
      let moment = run.start;
      for (let step = 0, state = seed; step < 30; step++) {
        const { length } = run.actions(moment);
        if (length === 0) break;
        state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
        moment = run.take(moment, state % length);
        const taken = moment.step;
        const node = taken && actorOf(taken);
        if (!taken || !node || taken.fault) continue;
        const { machine } = roleOf(protocol, node, topology);
        const { boxes, edges } = graphOf(machine);
        const inChart = new Set(
          [...boxes.flatMap(({ rows }) => rows), ...edges.flatMap(({ labels }) => labels)].flatMap(
            ({ keys }) => keys,
          ),
        );
        const keys = takenIn(run.system, node, taken);
        const [before, after] = [taken.from.world.nodes[node], moment.world.nodes[node]];
        if (!before || !after) throw new Error(`${node} has no state`);
        for (const key of keys) expect(inChart).toContain(key);
        const active = activeStates(machine, before.value).map(idOf);
        const [first] = keys;
        if (first !== undefined && sourceOf(first) !== machine.id)
          expect(active).toContain(sourceOf(first));
        // Who moved has taken a transition that is an edge, or a row with a target.
        if (JSON.stringify(before.value) !== JSON.stringify(after.value))
          expect(keys.length).toBeGreaterThan(0);
        seen += keys.length;
      }
    }
    expect(seen).toBeGreaterThan(0);
  },
);
