import { describe, expect, it } from 'vitest';
import { check } from './conclusion.js';
import { looksOf } from './looks.js';
import { runInGraph } from './run-in-graph.js';
import { graph } from './state-graph.js';
import { categoriesOf, layoutOf, nearestWorld, regionsOf } from './state-graph-layout.js';
import { systemOf } from './system.js';

describe('the picture of a state graph', () => {
  it('colours each world once, by a property, a node, or one of its regions', async () => {
    const system = await systemOf({
      protocol: 'maekawa',
      topology: 'complete:2',
      options: {},
      budget: { crashes: 1 },
    });
    const found = graph(system, {}, () => {});
    const all = found.worlds.map((_, id) => id);
    const colours = [
      { kind: 'property', index: 0 },
      { kind: 'node', index: 1 },
      ...regionsOf(found, 1).map((region) => ({ kind: 'node', index: 1, region }) as const),
    ] as const;
    expect(regionsOf(found, 1)).toEqual(['client', 'voter']);
    for (const by of colours) {
      const categories = categoriesOf(found, by, looksOf(system));
      expect(categories.flatMap(({ worlds }) => worlds).sort((one, other) => one - other)).toEqual(
        all,
      );
      if (by.kind === 'node') expect(categories.map(({ text }) => text)).toContain('crashed');
    }
  });

  it('finds each world where it is drawn, and none beside it', async () => {
    const found = graph(
      await systemOf({ protocol: 'raymond', options: {}, budget: {} }),
      {},
      () => {},
    );
    const layout = layoutOf(found);
    for (const id of found.worlds.keys())
      expect(nearestWorld(layout, (layout.x[id] ?? 0) + 2, layout.y[id] ?? 0, 5)).toBe(id);
    expect(nearestWorld(layout, -20, 0, 5)).toBeUndefined();
  });

  it('shows an infinite run as a loop: it returns to the world where it begins', async () => {
    const system = await systemOf({
      protocol: 'virtual-tree',
      topology: 'complete:3',
      options: {},
      budget: {},
    });
    const found = graph(system, {}, () => {});
    const infinite = check(system, { fairness: 'none' }, () => {}).properties.find(
      ({ loopsFromStep, steps = [] }) => (loopsFromStep ?? Infinity) < steps.length,
    );
    const { way, loop } = runInGraph(found, infinite ?? {});
    expect(loop.length).toBeGreaterThan(2);
    expect([way.at(-1), loop.at(-1)]).toEqual([loop[0], loop[0]]);
  });
});
