/** Plots as SVG text: the same bytes for the same values. */
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { decimalOf, meanByEdges, shapes } from './trees.mjs';

export { Plot };

/** The page around a picture may be dark: a picture has its own paper and ink. */
const [paper, ink] = ['#ffffff', '#1f2933'];

/** Colours that stay apart on white, also for readers who do not see red or green. */
const colours = ['#1d5fbf', '#b4500f', '#08746b', '#7237a8', '#a6215f', '#6f7a2a', '#5c6976'];

/** Of tags: what only a page or a screen reader would use. An image has one title. */
const unused = / (class|aria-\w+|fill-opacity)="[^"]*"/g;

const inTags = (svg, change) => svg.replace(/<[^>]*>/g, change);
const rounded = (tag) =>
  tag.replace(/-?\d*\.\d{3,}/g, (digits) => String(Number(Number(digits).toFixed(2))));

/**
 * A plot as SVG, to be written to a file.
 *
 * @param {object} options those of Plot.plot. Axes have labels with units; lines have labels of their
 * own, since a legend would be another element
 * @param {string} options.title what the picture shows, for those who do not see it
 */
export function plotSvg({ title, marks, ...options }) {
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  const svg = Plot.plot({
    document,
    width: 760,
    height: 440,
    marginTop: 28,
    marginLeft: 56,
    marginBottom: 42,
    style: { fontSize: '12px' },
    ...options,
    marks,
  });
  if (svg.tagName.toLowerCase() !== 'svg')
    throw new Error(`The plot '${title}' has a legend or a caption. Label its marks instead.`);
  const [width, height] = ['width', 'height'].map((name) => svg.getAttribute(name));
  const inside = inTags(svg.innerHTML.replace(/<style>[\s\S]*?<\/style>/g, ''), (tag) =>
    rounded(tag.replace(unused, '')),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="sans-serif" font-size="12" text-anchor="middle" fill="${ink}" color="${ink}">`,
    `<title>${escaped(title)}</title><rect width="100%" height="100%" rx="6" fill="${paper}"/>`,
    `${inside.replaceAll('<g', '\n<g').trim()}</svg>\n`,
  ].join('\n');
}

const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/**
 * Places labels beside the ends of lines so that none covers another: moves them apart, as little as
 * it takes, and keeps their order.
 *
 * @param {readonly number[]} wanted where each would be
 * @param {number} gap the least distance of two, in the same unit
 * @returns {readonly number[]} where each is
 */
export function apart(wanted, gap) {
  const order = wanted.map((_, index) => index).sort((a, b) => wanted[a] - wanted[b] || a - b);
  /** Blocks of labels that touch: each is centred on the mean of its wishes. */
  const blocks = [];
  for (const index of order) {
    let block = { members: [index], start: wanted[index] };
    while (blocks.length > 0 && endOf(blocks.at(-1), gap) > block.start) {
      const members = [...blocks.pop().members, ...block.members];
      const centres = members.map((member, place) => wanted[member] - place * gap);
      block = { members, start: centres.reduce((sum, value) => sum + value, 0) / members.length };
    }
    blocks.push(block);
  }
  const places = [];
  for (const { members, start } of blocks)
    for (const [place, member] of members.entries()) places[member] = start + place * gap;
  return places;
}

const endOf = ({ members, start }, gap) => start + members.length * gap;

/** Of a logarithmic axis: 1, 2, 5, 10, 20 … Plot itself would leave out the numbers of some. */
function ticksOf([first, last]) {
  const powers = Array.from({ length: 16 }, (_, index) => 10 ** (index - 6));
  return powers
    .flatMap((power) => [power, 2 * power, 5 * power])
    .map((value) => Number(value.toPrecision(1)))
    .filter((value) => value >= first && value <= last);
}

// Many lines in one plot: coloured by family, and each with its name at its end.

/** The families of locks, by their folders. */
export const families = ['central', 'permission', 'token', 'group', 'hybrid'];

export const familyOf = ({ folder }) => folder.split('/')[1];

const usualBox = {
  width: 820,
  height: 520,
  marginTop: 56,
  marginRight: 200,
  marginBottom: 44,
  marginLeft: 56,
};
/** In pixels: the least distance of two labels, how far they are from the ends, and a letter. */
const [lineHeight, away, letter] = [14, 26, 6.6];

/**
 * @param {object} plot
 * @param {readonly { id: string, name: string, family: string, points: readonly (readonly [x: number, y:
 * number])[] }[]} plot.lines those that coincide get one label
 * @param {readonly string[]} plot.families those that exist: each has its colour in every plot
 * @param {object} plot.x as Plot takes it, with `label` and `type`; as `plot.y`
 */
export function linePlot({ title, lines, families, x, y, ...size }) {
  const box = { ...usualBox, ...size };
  const colourOf = ({ family }) => colours[families.indexOf(family)];
  const points = lines.flatMap(({ points, ...line }) =>
    points.map(([x, y]) => ({ ...line, x, y })),
  );
  const [xScale, yScale] = [
    scaleOf(
      x,
      points.map((one) => one.x),
      [box.marginLeft, box.width - box.marginRight],
    ),
    scaleOf(
      y,
      points.map((one) => one.y),
      [box.height - box.marginBottom, box.marginTop],
    ),
  ];
  const used = families.filter((family) => lines.some((line) => line.family === family));
  const { labels, leaders } = labelsOf(lines, xScale, yScale);
  return plotSvg({
    ...{ title, ...box },
    x: { ...x, domain: xScale.domain, axis: null },
    y: { ...y, domain: yScale.domain, axis: null },
    marks: [
      ...axes({ x, y }, { x: distinct(points, 'x'), y: ticksOf(yScale.domain) }),
      Plot.line(points, { x: 'x', y: 'y', z: 'name', stroke: colourOf, strokeWidth: 1.5 }),
      Plot.dot(points, { x: 'x', y: 'y', fill: colourOf, r: 2.2 }),
      Plot.link(leaders, {
        ...{ x1: 'x1', y1: 'y1', x2: 'x2', y2: 'y2' },
        stroke: colourOf,
        strokeWidth: 0.6,
      }),
      Plot.text(labels, {
        ...{ x: 'x', y: 'y', text: 'text' },
        textAnchor: 'start',
        fill: colourOf,
      }),
      ...(used.length < lines.length ? key(box, used, colourOf) : []),
    ],
  });
}

const distinct = (points, axis) => [...new Set(points.map((point) => point[axis]))];

/** Axes with these ticks, all of them with their numbers. */
const axes = ({ x, y }, ticks) => [
  Plot.gridY(ticks.y),
  Plot.axisX(ticks.x, { text: String, label: x.label }),
  Plot.axisY(ticks.y, { text: String, label: y.label }),
];

/** A scale and its inverse, as Plot makes it. */
function scaleOf({ type, domain }, values, [from, to]) {
  const [first, last] = domain ?? [Math.min(...values), Math.max(...values)];
  const [into, outOf] =
    type === 'log' ? [Math.log, Math.exp] : [(value) => value, (value) => value];
  const factor = (to - from) / (into(last) - into(first));
  return {
    domain: [first, last],
    pixel: (value) => from + (into(value) - into(first)) * factor,
    value: (pixel) => outOf(into(first) + (pixel - from) / factor),
  };
}

/** Lines with the same points, to a hundredth. */
function coincide(a, b) {
  const other = new Map(b.points);
  return (
    a.family === b.family &&
    a.points.length === other.size &&
    a.points.every(([x, y]) => Math.abs(y - other.get(x)) <= y / 100)
  );
}

/** The labels behind the ends of the lines, and lines that lead there. */
function labelsOf(lines, xScale, yScale) {
  const groups = [];
  for (const line of lines) {
    const group = groups.find(([first]) => coincide(first, line));
    if (group) group.push(line);
    else groups.push([line]);
  }
  const ends = groups.map((group) => ({
    family: group[0].family,
    text: [group[0].name, ...group.slice(1).map(({ id }) => id)].join(', '),
    end: group[0].points.at(-1),
  }));
  const wanted = ends.map(({ end: [, y] }) => yScale.pixel(y));
  const places = apart(wanted, lineHeight);
  const [, last] = xScale.domain;
  const right = (x, distance) => xScale.value(xScale.pixel(x) + distance);
  const labels = ends.map(({ family, text }, index) => ({
    ...{ family, text, x: right(last, away) },
    y: yScale.value(places[index]),
  }));
  const leaders = ends.map(({ family, end: [x, y] }, index) => ({
    ...{ family, x1: right(x, 4), y1: y },
    ...{ x2: right(last, away - 3), y2: labels[index].y },
  }));
  return { labels, leaders };
}

/** The names of the families in their colours, above the plot. */
function key({ marginTop }, families, colourOf) {
  return families.map((family, index) => {
    const before = families.slice(0, index).join('').length * letter + index * 2 * letter;
    return Plot.text([family], {
      frameAnchor: 'top-left',
      dx: before,
      dy: 22 - marginTop,
      textAnchor: 'start',
      fill: colourOf({ family }),
      fontWeight: 'bold',
    });
  });
}

// One number, or a few, for each of many rows: dots in a row, the smallest row first.

const rowHeight = 18;
const [marginTop, marginBottom, kindLetter] = [34, 40, 6.6];

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
      ...(kinds.length > 1 ? kindKey(kinds, colourOf) : []),
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
const kindKey = (kinds, colourOf) =>
  kinds.map((kind, index) =>
    Plot.text([`● ${kind}`], {
      ...{ frameAnchor: 'top-left', textAnchor: 'start', dy: -22, fontWeight: 'bold' },
      dx: kinds.slice(0, index).reduce((sum, { length }) => sum + (length + 5) * kindLetter, 0),
      fill: colourOf({ kind }),
    }),
  );

// How the means of macro-experiments go.

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

// The pictures of the chapter on paths.

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
