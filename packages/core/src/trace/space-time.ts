import { type Label, type Note, type PlacedMark, placeLabels, placeMarks, placeNotes } from './label-placement.js';
import { type Arrow, type Layout, layOut, type Stretch, textWidth } from './space-time-layout.js';
import { drawingStyle, messageColours, pageStyle, stateColours, strongColours } from './space-time-style.js';
import type { Trace } from './trace.js';

export interface SpaceTimeOptions {
  /** Default: protocol, topology and seed, from the header. */
  readonly title?: string;
  /** State names (also as part of a nested or parallel state) that are drawn as thick bars. Default `held` and `leader`. */
  readonly strong?: readonly string[];
  /** By line of the trace: a few characters to write beside its step, such as the number of a rule. Default none. */
  readonly notes?: readonly string[];
  /** How states and types of messages look, instead of in the order of their appearance: `initial`, `state-2`, `strong-0`; `message-1`. */
  readonly looks?: { state(text: string): string; message(type: string): string };
  /** More messages than this are drawn without their texts, which take long to place; the tooltip of each says it. Default: no limit. */
  readonly mostLabels?: number;
  /**
   * `page`: colours are the custom properties of the page around the drawing, such as `--state-2`,
   * and each step has `data-line`, its line of the trace. Default: its own, light or dark as the system is.
   */
  readonly colours?: 'own' | 'page';
}

/**
 * A trace as a space-time diagram (Lamport 1978) in SVG: a line per node, time from left to right, an arrow per message.
 *
 * Bars show the states of a node, except those in which nodes start. A lost message ends in a cross; one still in flight at the end is
 * dashed. Steps are as far apart as their times, though long waits are shortened; without times, by what must come after what.
 *
 * @throws {ConclaveError} `bad-trace` when a message arrives that was not sent.
 */
export function spaceTimeSvg(trace: Trace, options: SpaceTimeOptions = {}): string {
  const { title = titleOf(trace), strong = ['held', 'leader'] } = options;
  const layout = layOut(trace);
  const bottom = Math.max(...layout.lanes.map(({ y }) => y), 0);
  const palette = new Palette(layout, strong, options.looks);
  const axis = timeAxis(layout, bottom + 44);
  const legend = legendOf(palette, layout, bottom + (axis.length > 0 ? 84 : 50));
  const width = Math.ceil(Math.max(layout.right + 20, legend.width, 40 + textWidth(title, 14)));
  const height = Math.ceil(legend.bottom);
  const marks = placeMarks(layout);
  const notes = placeNotes(layout, marks, options.notes ?? []);
  const labels = layout.arrows.length > (options.mostLabels ?? Infinity) ? [] : placeLabels(layout, marks, notes);
  const size = `width="${width}" height="${height}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="space-time" ${size} viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${options.colours === 'page' ? pageStyle : drawingStyle}</style>`,
    `<rect class="paper" ${size} rx="8"/>`,
    `<text class="heading" x="20" y="28">${escaped(title)}</text>`,
    ...axis,
    ...layout.lanes.flatMap(({ id, y }) => [
      `<text class="node" x="${fixed(layout.left - 10)}" y="${fixed(y + 4.5)}">${escaped(id)}</text>`,
      `<path class="lane" d="M${fixed(layout.left)} ${fixed(y)}H${fixed(layout.right)}"/>`,
    ]),
    ...layout.stretches.flatMap((stretch) => bar(stretch, palette, layout.left)),
    ...layout.arrows.map((arrow) => message(arrow, palette)),
    ...layout.steps.map(({ x, y, line }) => {
      const marked = options.colours === 'page' ? ` data-line="${line}"` : '';
      return `<circle class="step"${marked} cx="${fixed(x)}" cy="${fixed(y)}" r="2.6"/>`;
    }),
    ...marks.map(mark),
    ...notes.map(note),
    ...layout.arrows.map((arrow, index) => messageLabel(labels[index], palette.message(arrow.call))),
    ...legend.parts,
    '</svg>\n',
  ].join('\n');
}

const titleOf = ({ header }: Trace): string =>
  [header.get('protocol'), header.get('topology'), header.has('seed') ? `seed ${header.get('seed')}` : undefined]
    .filter(Boolean)
    .join(' · ') || 'Space-time diagram';

const fixed = (value: number): string => value.toFixed(1);

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character] ?? character);

/** How states and types of messages look, in the order in which they appear. */
class Palette {
  readonly states = new Map<string, { readonly look: string; readonly half: number }>();
  readonly #messages = new Map<string, string>();

  constructor({ stretches, arrows, firstStates }: Layout, strong: readonly string[], looks: SpaceTimeOptions['looks']) {
    const isStrong = (state: string): boolean =>
      state.split(/[&() ]+/).some((part) => strong.some((name) => `.${part}.`.includes(`.${name}.`)));
    const states = new Set([...stretches].sort((a, b) => a.from - b.from).map(({ state }) => state));
    if (looks) {
      for (const state of states) {
        const look = looks.state(state);
        if (look !== 'initial') this.states.set(state, { look: look.replace('-', ''), half: look.startsWith('strong') ? 7 : 4 });
      }
      for (const { call } of arrows) this.#messages.set(typeOf(call), looks.message(typeOf(call)).replace('-', ''));
      return;
    }
    const thick = [...states].filter(isStrong);
    const thin = [...states].filter((state) => !isStrong(state) && !firstStates.has(state));
    for (const state of states) {
      const rank = thin.indexOf(state);
      if (isStrong(state)) this.states.set(state, { look: `strong${thick.indexOf(state) % strongColours}`, half: 7 });
      else if (rank >= 0) this.states.set(state, { look: `state${rank % stateColours}`, half: 4 });
    }
    for (const type of new Set(arrows.map(({ call }) => typeOf(call))))
      this.#messages.set(type, `message${this.#messages.size % messageColours}`);
  }

  message(call: string): string {
    return this.#messages.get(typeOf(call)) ?? '';
  }
}

const typeOf = (call: string): string => call.split('(', 1)[0] ?? call;

function bar({ y, from, to, state, crashed }: Stretch, palette: Palette, left: number): string[] {
  const start = Math.max(from, left);
  if (crashed) return [`<path class="crashed" d="M${fixed(start)} ${fixed(y)}H${fixed(to)}"/>`];
  const { look, half } = palette.states.get(state) ?? {};
  if (half === undefined) return [];
  const place = `x="${fixed(start)}" y="${fixed(y - half)}" width="${fixed(to - start)}" height="${2 * half}"`;
  return [`<rect class="bar ${look}" ${place} rx="2"><title>${escaped(state)}</title></rect>`];
}

function message({ fate, call, from, to, tail, tip }: Arrow, palette: Palette): string {
  const length = Math.hypot(tip.x - tail.x, tip.y - tail.y) || 1;
  const [ux, uy] = [(tip.x - tail.x) / length, (tip.y - tail.y) / length];
  const at = (along: number, aside: number): string =>
    `${fixed(tip.x - ux * along - uy * aside)} ${fixed(tip.y - uy * along + ux * aside)}`;
  const line = `M${fixed(tail.x)} ${fixed(tail.y)}L${at(fate === 'delivered' ? 6 : 0, 0)}`;
  const end = {
    delivered: `<path class="tip" d="M${at(2.5, 0)}L${at(11, 3.8)}L${at(11, -3.8)}Z"/>`,
    lost: `<path class="cross" d="M${fixed(tip.x - 5)} ${fixed(tip.y - 5)}l10 10m0 -10l-10 10"/>`,
    pending: '',
  }[fate];
  const said = `${call} ${from} → ${to}${fate === 'delivered' ? '' : fate === 'lost' ? ', lost' : ', on its way'}`;
  return `<g class="message ${fate} ${palette.message(call)}"><title>${escaped(said)}</title><path class="line" d="${line}"/>${end}</g>`;
}

function messageLabel(label: Label | undefined, look: string): string {
  if (!label) return '';
  const turn = `translate(${fixed(label.x)} ${fixed(label.y)}) rotate(${fixed(label.angle)})`;
  return `<text class="label ${look}" transform="${turn}" y="3.6">${escaped(label.text)}</text>`;
}

function note({ x, y, text, anchor }: Note): string {
  return `<text class="note" x="${fixed(x)}" y="${fixed(y + 3)}" text-anchor="${anchor}">${escaped(text)}</text>`;
}

/** A triangle pointing to the lane for input of a node, away from it for a notification; a cross for a crash. */
function mark({ kind, text, x, y, below, anchor }: PlacedMark): string {
  const side = below ? 1 : -1;
  const [near, far] = kind === 'notify' ? [15, 8] : [8, 15];
  const triangle = `M${fixed(x)} ${fixed(y + side * near)}L${fixed(x - 4)} ${fixed(y + side * far)}h8Z`;
  const shape =
    kind === 'crash'
      ? `<path class="cross" d="M${fixed(x - 6)} ${fixed(y - 6)}l12 12m0 -12l-12 12"/>`
      : `<path class="${kind === 'command' || kind === 'notify' ? 'filled' : 'hollow'}" d="${triangle}"/>`;
  const place = `x="${fixed(x + { start: -4, middle: 0, end: 4 }[anchor])}" y="${fixed(below ? y + 27 : y - 18)}" text-anchor="${anchor}"`;
  return `<g class="mark ${kind}">${shape}<text ${place}>${escaped(text)}</text></g>`;
}

/** The times at which something happens, as far as they can be written side by side. */
function timeAxis({ moments, left, right, lanes }: Layout, y: number): string[] {
  const [first] = moments;
  if (!first) return [];
  const parts = [
    `<path class="axis" d="M${fixed(left)} ${fixed(y)}H${fixed(right)}"/>`,
    `<text class="unit" x="${fixed(left - 10)}" y="${fixed(y + 4)}">ms</text>`,
  ];
  let free = -Infinity;
  let last = '';
  for (const { x, time } of moments) {
    const text = String(Number(time.toFixed(time < 100 ? 1 : 0)));
    const half = textWidth(text, 10) / 2;
    if (x - half < free || text === last) continue;
    parts.push(
      `<path class="guide" d="M${fixed(x)} ${fixed((lanes[0]?.y ?? 0) - 12)}V${fixed(y)}"/>`,
      `<text class="time" x="${fixed(x)}" y="${fixed(y + 14)}">${text}</text>`,
    );
    free = x + half + 8;
    last = text;
  }
  return parts;
}

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
    parts.push(`<g class="legend">${swatch(x, y)}<text x="${fixed(x + 30)}" y="${fixed(y + 4)}">${escaped(state)}</text></g>`);
    x += room;
    width = Math.max(width, x);
  };
  for (const state of firstStates)
    if (!palette.states.has(state)) entry(state, (x, y) => `<path class="lane" d="M${fixed(x)} ${fixed(y)}h24"/>`);
  for (const [state, { look, half }] of palette.states)
    entry(state, (x, y) => `<rect class="${look}" x="${fixed(x)}" y="${fixed(y - half)}" width="24" height="${2 * half}" rx="2"/>`);
  return { parts, width, bottom: y + 24 };
}
