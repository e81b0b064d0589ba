import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { check } from './conclusion.js';
import { looksOf } from './looks.js';
import { graph, runInGraph } from './state-graph.js';
import { categoriesOf, regionsOf } from './state-graph-categories.js';
import { apart, crossings, layoutOf, nearestWorld } from './state-graph-layout.js';
import { systemOf } from './system.js';

describe('the layout of a state graph', () => {
  it('puts each depth into a column, no two worlds into one place, and removes crossings', async () => {
    const system = await systemOf({ protocol: 'raymond', options: {}, budget: { losses: 1 } });
    const found = graph(system, {}, () => {});
    const { x, y, width, height, layers } = layoutOf(found);
    expect(layers.flat().sort((one, other) => one - other)).toEqual(
      found.worlds.map((_, id) => id),
    );
    for (const [depth, layer] of layers.entries())
      for (const [place, id] of layer.entries()) {
        expect(found.worlds[id]?.depth).toBe(depth);
        expect(x[id]).toBeCloseTo((depth * width) / (layers.length - 1));
        const above = layer[place - 1];
        if (above !== undefined) expect((y[id] ?? 0) - (y[above] ?? 0)).toBeGreaterThan(17.9);
      }
    expect([Math.min(...y), Math.max(...y)]).toEqual([0, height]);
    const depthOf = (id: number) => found.worlds[id]?.depth ?? 0;
    const after = found.worlds.map((_, id) =>
      found.edges.flatMap(({ from, to }) =>
        from === id && depthOf(to) === depthOf(id) + 1 ? [to] : [],
      ),
    );

    const unsorted = layers.map((layer) => [...layer].sort((one, other) => one - other));
    expect(crossings(layers, after)).toBeLessThan(crossings(unsorted, after) / 2);
  });

  it('counts crossings as a comparison of all pairs does', () => {
    const bipartite = fc
      .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 }))
      .chain(([left, right]) =>
        fc.record({
          left: fc.constant(left),
          right: fc.constant(right),
          targets: fc.array(fc.array(fc.integer({ min: 0, max: right - 1 }), { maxLength: 5 }), {
            minLength: left,
            maxLength: left,
          }),
        }),
      );
    fc.assert(
      fc.property(bipartite, ({ left, right, targets }) => {
        const layers = [
          Array.from({ length: left }, (_, id) => id),
          Array.from({ length: right }, (_, id) => left + id),
        ];
        const edges = targets.flatMap((ends, from) => ends.map((to) => [from, to] as const));
        const pairs = edges.flatMap((one, index) =>
          edges.slice(index + 1).map((other) => [one, other] as const),
        );
        const crossing = pairs.filter(([[a, b], [c, d]]) => (a - c) * (b - d) < 0);
        expect(
          crossings(
            layers,
            targets.map((ends) => ends.map((to) => left + to)),
          ),
        ).toBe(crossing.length);
      }),
      { numRuns: 100 },
    );
  });

  it('moves worlds apart as little as possible', () => {
    expect(apart([0, 100, 50])).toEqual([0, 66, 84]);
    expect(apart([0, 0, 0])).toEqual([-18, 0, 18]);
    expect(apart([-5, 200])).toEqual([-5, 200]);
  });
});

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
      const categories = categoriesOf(found, by, looksOf(system.protocol));
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
    const { approach, loop } = runInGraph(found, infinite ?? {});
    expect(loop.length).toBeGreaterThan(2);
    expect([approach.at(-1), loop.at(-1)]).toEqual([loop[0], loop[0]]);
  });
});
