/** The pictures of the chapter on paths. */
import { linePlot } from './line-plot.mjs';
import { colours, Plot, plotSvg } from './plot.mjs';
import { decimalOf, meanByEdges, shapes } from './trees.mjs';

/** Mean paths of trees of up to `most` nodes. */
export function pathPlot(most) {
  const sizes = [4, 8, 16, 32, 64, 128, 256, 512, 1024].filter((n) => n <= most);
  const names = shapes.map(({ name }) => name);
  const lines = shapes.map(({ name, of }) => ({
    ...{ id: name, name, family: name },
    points: sizes.map((n) => [n, decimalOf(meanByEdges(of(n)))]),
  }));
  return linePlot({
    title:
      'Mean path between two nodes of a chain, of k-ary trees and of a star, by the number of nodes',
    ...{ lines, families: names, height: 380, marginRight: 110 },
    x: { label: 'nodes n (log scale) →', type: 'log' },
    y: { label: '↑ mean path, edges (log scale)', type: 'log' },
  });
}

/** How many messages each node handles for an entry: a panel for each tree. */
export function loadPlot(runs, n) {
  const kinds = { light: colours[0], heavy: colours[1] };
  const bars = runs.flatMap(({ name, network, ...loads }) =>
    Object.keys(kinds).flatMap((load) =>
      network.nodes.map((node, index) => ({ name, load, node, value: loads[load][index] })),
    ),
  );
  const exact = runs.flatMap(({ name, network, exact }) =>
    network.nodes.map((node, index) => ({ name, load: 'light', node, value: exact[index] })),
  );
  const names = runs.map(({ name }) => name);
  return plotSvg({
    title: `Messages that each of ${n} nodes handles for an entry of A7, on a chain, two k-ary trees and a star`,
    ...{ width: 820, height: 420, marginTop: 46, marginLeft: 60, marginRight: 56 },
    fx: { domain: names, label: null, padding: 0.08 },
    fy: { domain: Object.keys(kinds), label: null },
    x: { domain: runs[0].network.nodes, label: 'node, the root or centre first →', tickSize: 0 },
    y: { label: '↑ messages per entry that the node handles', grid: true },
    marks: [
      Plot.barY(bars, {
        x: 'node',
        y: 'value',
        fx: 'name',
        fy: 'load',
        fill: ({ load }) => kinds[load],
        inset: 0.5,
      }),
      Plot.tickY(exact, {
        x: 'node',
        y: 'value',
        fx: 'name',
        fy: 'load',
        stroke: '#1f2933',
        strokeWidth: 1.5,
      }),
      Plot.ruleY([0]),
    ],
  });
}
