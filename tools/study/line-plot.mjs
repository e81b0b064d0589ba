/** Many lines in one plot: coloured by family, and each with its name at its end. */
import { apart, colours, Plot, plotSvg, ticksOf } from './plot.mjs';

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
