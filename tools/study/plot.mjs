/** Plots as SVG text: the same bytes for the same values. */
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';

export { Plot };

/** The page around a picture may be dark: a picture has its own paper and ink. */
const [paper, ink] = ['#ffffff', '#1f2933'];

/** Colours that stay apart on white, also for readers who do not see red or green. */
export const colours = [
  '#1d5fbf',
  '#b4500f',
  '#08746b',
  '#7237a8',
  '#a6215f',
  '#6f7a2a',
  '#5c6976',
];

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
export function ticksOf([first, last]) {
  const powers = Array.from({ length: 16 }, (_, index) => 10 ** (index - 6));
  return powers
    .flatMap((power) => [power, 2 * power, 5 * power])
    .map((value) => Number(value.toPrecision(1)))
    .filter((value) => value >= first && value <= last);
}
