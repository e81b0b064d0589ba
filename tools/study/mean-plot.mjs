/** How the means of macro-experiments go. */
import { colours, Plot, plotSvg } from './plot.mjs';

/** @param {readonly (readonly (readonly [men: number, mean: number])[])[]} runs */
export function runningMeans(runs, { n, expected }) {
  const points = runs.flatMap((means, run) => means.map(([men, mean]) => ({ run, men, mean })));
  const [least, most] = [points[0].men, points.at(-1).men];
  return plotSvg({
    title: `The mean catch of ${runs.length} macro-experiments with ${n.toLocaleString('en')} fish, by the number of fishermen so far`,
    x: {
      type: 'log',
      label: 'fishermen so far',
      domain: [least, most],
      ticks: [100, 1000, 10_000, 100_000, 1_000_000].filter((tick) => tick <= most),
      tickFormat: (tick) => tick.toLocaleString('en'),
    },
    y: { label: 'mean catch (fish = minutes)', grid: true, nice: true },
    marginRight: 160,
    marks: [
      Plot.ruleY([expected], { stroke: 'currentColor', strokeWidth: 2.5 }),
      Plot.text([expected], {
        ...{ x: most, y: expected, textAnchor: 'start', fill: 'currentColor' },
        text: (mean) => `1 + H(n−1) = ${mean.toFixed(2)}`,
        fontWeight: 'bold',
        dx: 8,
      }),
      Plot.line(points, {
        ...{ x: 'men', y: 'mean', z: 'run', strokeWidth: 1.2, curve: 'step-after' },
        stroke: ({ run }) => colours[run % colours.length],
        strokeOpacity: 0.75,
      }),
    ],
  });
}
