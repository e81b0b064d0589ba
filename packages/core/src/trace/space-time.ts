import { endOf, placeLabels, placeMarks, placeNotes } from './label-placement.js';
import { textWidth } from './space-time-columns.js';
import { type Layout, layOut } from './space-time-layout.js';
import { motionOf } from './space-time-motion.js';
import {
  bar,
  escaped,
  fixed,
  mark,
  message,
  messageLabel,
  note,
  Palette,
  timeAxis,
} from './space-time-parts.js';
import { drawingStyle } from './space-time-style.js';
import type { Trace } from './trace.js';

/**
 * A trace as a space-time diagram (Lamport 1978) in SVG: a line per node, time from left to right,
 * an arrow per message.
 *
 * Bars show the states of a node, except those in which nodes start. A lost message ends in a
 * cross; one still in flight at the end is dashed. Steps are as far apart as their times, though
 * long waits are shortened; without times, by what must come after what.
 *
 * @throws {ConclaveError} `bad-trace` when a message arrives that was not sent.
 */
export function spaceTimeSvg(
  trace: Trace,
  options: {
    /** Default: protocol, topology and seed, from the header. */
    readonly title?: string;
    /**
     * State names (also as part of a nested or parallel state) that are drawn as thick bars. Default
     * `held` and `leader`.
     */
    readonly strong?: readonly string[];
    /**
     * By line of the trace: a few characters to write beside its step, such as the number of a rule.
     * Default none.
     */
    readonly notes?: readonly string[];
    /**
     * Whether time goes by in it, without a script, again and again: messages move, states change.
     * Where its reader wants no motion it is at rest. Default no.
     */
    readonly animated?: boolean;
  } = {},
): string {
  const { title = titleOf(trace), strong = ['held', 'leader'] } = options;
  const layout = layOut(trace);
  const bottom = Math.max(...layout.lanes.map(({ y }) => y), 0);
  const palette = new Palette(layout, strong);
  const motion = options.animated ? motionOf(layout, palette) : { style: '', parts: [] };
  const axis = timeAxis(layout, bottom + 44);
  const legend = legendOf(palette, layout, bottom + (axis.length > 0 ? 84 : 50));
  const height = Math.ceil(legend.bottom);
  const marks = placeMarks(layout);
  const notes = placeNotes(layout, marks, options.notes ?? []);
  const labels = placeLabels(layout, marks, notes);
  const end = Math.max(layout.right, endOf(labels));
  const width = Math.ceil(Math.max(end + 20, legend.width, 40 + textWidth(title, 14)));
  const size = `width="${width}" height="${height}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="space-time" ${size} viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${drawingStyle}${motion.style}</style>`,
    `<rect class="paper" ${size} rx="8"/>`,
    `<text class="heading" x="20" y="28">${escaped(title)}</text>`,
    ...axis,
    ...layout.lanes.flatMap(({ id, y }) => [
      `<text class="node" x="${fixed(layout.left - 10)}" y="${fixed(y + 4.5)}">${escaped(id)}</text>`,
      `<path class="lane" d="M${fixed(layout.left)} ${fixed(y)}H${fixed(layout.right)}"/>`,
    ]),
    ...layout.stretches.flatMap((stretch) => bar(stretch, palette, layout.left)),
    ...layout.arrows.map((arrow) => message(arrow, palette)),
    ...layout.steps.map(
      ({ x, y }) => `<circle class="step" cx="${fixed(x)}" cy="${fixed(y)}" r="2.6"/>`,
    ),
    ...marks.map((placed) => mark(placed)),
    ...notes.map(note),
    ...layout.arrows.map((arrow, index) =>
      messageLabel(labels[index], palette.message(arrow.call)),
    ),
    ...motion.parts,
    ...legend.parts,
    '</svg>\n',
  ].join('\n');
}

const titleOf = ({ header }: Trace): string =>
  [
    header.get('protocol'),
    header.get('topology'),
    header.has('seed') ? `seed ${header.get('seed')}` : undefined,
  ]
    .filter(Boolean)
    .join(' · ') || 'Space-time diagram';

interface Legend {
  readonly parts: string[];
  readonly width: number;
  readonly bottom: number;
}

function legendOf(palette: Palette, { firstStates, right }: Layout, top: number): Legend {
  const parts: string[] = [];
  let [x, y, width] = [20, top, 0];
  const entry = (state: string, swatch: (x: number, y: number) => string) => {
    const room = 54 + textWidth(state);
    if (x > 20 && x + room > Math.max(right, 480)) [x, y] = [20, y + 22];
    parts.push(
      `<g class="legend">${swatch(x, y)}<text x="${fixed(x + 30)}" y="${fixed(y + 4)}">${escaped(state)}</text></g>`,
    );
    x += room;
    width = Math.max(width, x);
  };
  for (const state of firstStates)
    if (!palette.states.has(state))
      entry(state, (x, y) => `<path class="lane" d="M${fixed(x)} ${fixed(y)}h24"/>`);
  for (const [state, { look, half }] of palette.states)
    entry(
      state,
      (x, y) =>
        `<rect class="${look}" x="${fixed(x)}" y="${fixed(y - half)}" width="24" height="${2 * half}" rx="2"/>`,
    );
  return { parts, width, bottom: y + 24 };
}
