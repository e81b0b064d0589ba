import { catalogue } from '@conclave/tools/catalogue';
import { proof } from '@conclave/tools/sample';
import { expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { graphOf, rowsLayout } from './graph.js';

proof(
  'places the boxes of every statechart of the catalogue: inside their parents, and beside each other',
  () => {
    let boxes = 0;
    for (const { id, make } of catalogue)
      for (const { machine } of Object.values(make().roles)) {
        const graph = graphOf(machine);
        const layout = rowsLayout(graph);
        expect(
          [...layout.boxes, ...layout.edges, ...layout.labels].flat().every(Number.isFinite),
        ).toBe(true);
        const places = graph.boxes.map((box, index) => ({
          ...box,
          place: layout.boxes[index] ?? [],
        }));
        for (const { place, parent, id: name } of places) {
          const [x = 0, y = 0, width = 0, height = 0] = place;
          boxes++;
          const outer = places.find((other) => other.id === parent && parent !== undefined);
          if (!outer) continue;
          const [ox = 0, oy = 0, ow = 0, oh = 0] = outer.place;
          expect(
            x >= ox && y >= oy && x + width <= ox + ow && y + height <= oy + oh,
            `${id}: ${name} is outside ${parent}`,
          ).toBe(true);
          for (const other of places) {
            if (other.parent !== parent || other.id === name) continue;
            const [ax = 0, ay = 0, aw = 0, ah = 0] = other.place;
            expect(
              x + width <= ax || ax + aw <= x || y + height <= ay || ay + ah <= y,
              `${id}: ${name} and ${other.id} overlap`,
            ).toBe(true);
          }
        }
      }
    expect(boxes).toBeGreaterThan(300);
  },
);

it('leads an edge around the states that are in its way, and its label, too', () => {
  const machine = createMachine({
    initial: 'first',
    states: {
      first: { on: { next: 'second' } },
      second: { on: { next: 'third', other: {} } },
      third: { on: { again: 'first' } },
    },
  });
  const graph = graphOf(machine);
  const { boxes, edges, labels, width } = rowsLayout(graph);
  const back = graph.edges.findIndex(({ from, to }) => from === 'third' && to === 'first');
  const [x = 0, , w = 0] = boxes[graph.boxes.findIndex(({ id }) => id === 'second')] ?? [];
  expect(edges[back]).toHaveLength(8);
  expect(edges[back]?.[2]).toBeGreaterThan(x + w);
  expect(labels[back]?.[0]).toBeGreaterThan(x + w);
  expect(width).toBeGreaterThan(edges[back]?.[2] ?? Infinity);
  const forth = graph.edges.findIndex(({ from, to }) => from === 'first' && to === 'second');
  expect(edges[forth]).toHaveLength(4);
});
