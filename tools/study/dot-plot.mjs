/** One number, or a few, for each of many rows: dots in a row, the smallest row first. */
import { colours, Plot, plotSvg, ticksOf } from './plot.mjs';

const rowHeight = 18;
const [marginTop, marginBottom, letter] = [34, 40, 6.6];

/**
 * @param {object} plot
 * @param {readonly { name: string, values: Record<string, number> }[]} plot.rows each with the same
 * kinds of values, such as `light` and `heavy`
 * @param {object} plot.x as Plot takes it, with `label`
 */
export function dotPlot({ title, rows, x }) {
  const kinds = Object.keys(rows[0].values);
  const colourOf = ({ kind }) => colours[kinds.indexOf(kind)];
  const last = kinds.at(-1);
  const sorted = rows.toSorted((a, b) => a.values[last] - b.values[last]);
  const dots = sorted.flatMap(({ name, values }) =>
    kinds.map((kind) => ({ name, kind, value: values[kind] })),
  );
  const ranges = sorted.map(({ name, values }) => {
    const all = Object.values(values);
    return { name, from: Math.min(...all), to: Math.max(...all) };
  });
  const isLog = x.type === 'log';
  const domain = isLog ? powersAround(dots.map(({ value }) => value)) : undefined;
  return plotSvg({
    ...{ title, width: 820, height: marginTop + marginBottom + rowHeight * rows.length },
    ...{ marginTop, marginBottom, marginLeft: 172, marginRight: 24 },
    x: isLog ? { ...x, domain, axis: null } : { ...x, grid: true, nice: true },
    y: { domain: sorted.map(({ name }) => name), label: null, tickSize: 0 },
    marks: [
      ...(isLog ? axis(x, ticksOf(domain)) : []),
      Plot.ruleY(sorted, { y: 'name', stroke: '#1f2933', strokeOpacity: 0.08 }),
      Plot.ruleY(ranges, { y: 'name', x1: 'from', x2: 'to', stroke: '#5c6976', strokeWidth: 1.2 }),
      Plot.dot(dots, { x: 'value', y: 'name', fill: colourOf, r: 4 }),
      ...(kinds.length > 1 ? key(kinds, colourOf) : []),
    ],
  });
}

/** The powers of ten around these values. */
const powersAround = (values) => [
  10 ** Math.floor(Math.log10(Math.min(...values))),
  10 ** Math.ceil(Math.log10(Math.max(...values))),
];

const axis = ({ label }, ticks) => [
  Plot.gridX(ticks),
  Plot.axisX(ticks, { text: shortNumber, label }),
];

/** 1,000 and more are written as 1k. */
const shortNumber = (value) => (value >= 1000 ? `${value / 1000}k` : String(value));

/** What the colours mean, above the plot. */
const key = (kinds, colourOf) =>
  kinds.map((kind, index) =>
    Plot.text([`● ${kind}`], {
      ...{ frameAnchor: 'top-left', textAnchor: 'start', dy: -22, fontWeight: 'bold' },
      dx: kinds.slice(0, index).reduce((sum, { length }) => sum + (length + 5) * letter, 0),
      fill: colourOf({ kind }),
    }),
  );
