/**
 * A trace as a space-time diagram: an SVG that stands alone, with its style in it, for pages and
 * READMEs. space-time-layout.ts says what stands where, label-placement.ts where texts fit; here it
 * becomes text. The studio draws a part of a run by the same functions (space-time-view.ts).
 */
import {
  endOf,
  type Label,
  type Note,
  type PlacedMark,
  placeLabels,
  placeMarks,
  placeNotes,
} from './label-placement.js';
import { type Arrow, type Layout, layOut, type Stretch, textWidth } from './space-time-layout.js';
import { drawingStyle, messageColours, stateColours, strongColours } from './space-time-style.js';
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
  const palette = Palette.inOrder(layout, strong);
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

export const fixed = (value: number): string => value.toFixed(1);

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};
export const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => entities[character] ?? character);

/** How a bar is drawn: its class, and half of its height in pixels. */
interface BarLook {
  readonly look: string;
  readonly half: number;
}

const [thickBar, thinBar] = [7, 4];

/** How the states and messages of one drawing look. A state without a look is the lane alone. */
export class Palette {
  private constructor(
    readonly states: ReadonlyMap<string, BarLook>,
    private readonly messages: ReadonlyMap<string, string>,
  ) {}

  /** In the order in which they appear: those in `strong` as thick bars, first states without one. */
  static inOrder(layout: Layout, strong: readonly string[]): Palette {
    const isStrong = (state: string): boolean =>
      state
        .split(/[&() ]+/)
        .some((part) => strong.some((name) => `.${part}.`.includes(`.${name}.`)));
    const all = statesOf(layout);
    const thick = all.filter(isStrong);
    const thin = all.filter((state) => !isStrong(state) && !layout.firstStates.has(state));
    const lookOf = (state: string): readonly [string, BarLook][] => {
      const rank = thin.indexOf(state);
      if (isStrong(state))
        return [[state, { look: `strong${thick.indexOf(state) % strongColours}`, half: thickBar }]];
      return rank < 0 ? [] : [[state, { look: `state${rank % stateColours}`, half: thinBar }]];
    };
    const messages = messagesOf(layout).map(
      (type, index) => [type, `message${index % messageColours}`] as const,
    );
    return new Palette(new Map(all.flatMap(lookOf)), new Map(messages));
  }

  /** As all views of a page draw them. */
  static ofPage(layout: Layout, looks: LooksOfPage): Palette {
    const states = statesOf(layout).flatMap((state): readonly [string, BarLook][] => {
      const look = looks.state(state);
      const half = look.startsWith('strong') ? thickBar : thinBar;
      return look === 'initial' ? [] : [[state, { look: look.replace('-', ''), half }]];
    });
    const messages = messagesOf(layout).map(
      (type) => [type, looks.message(type).replace('-', '')] as const,
    );
    return new Palette(new Map(states), new Map(messages));
  }

  message(call: string): string {
    return this.messages.get(typeOf(call)) ?? '';
  }
}

/** The looks of a page: `initial`, `state-2`, `strong-0`; `message-1`. */
interface LooksOfPage {
  state(text: string): string;
  message(type: string): string;
}

/** The states in the order in which they appear, each once. */
const statesOf = ({ stretches }: Layout): readonly string[] => [
  ...new Set([...stretches].sort((a, b) => a.from - b.from).map(({ state }) => state)),
];

/** The types of the messages, each once. */
const messagesOf = ({ arrows }: Layout): readonly string[] => [
  ...new Set(arrows.map(({ call }) => typeOf(call))),
];

const typeOf = (call: string): string => call.split('(', 1)[0] ?? call;

export function bar(
  { y, from, to, state, crashed }: Stretch,
  palette: Palette,
  left: number,
): string[] {
  const start = Math.max(from, left);
  if (crashed) return [`<path class="crashed" d="M${fixed(start)} ${fixed(y)}H${fixed(to)}"/>`];
  const { look, half } = palette.states.get(state) ?? {};
  if (half === undefined) return [];
  const place = `x="${fixed(start)}" y="${fixed(y - half)}" width="${fixed(to - start)}" height="${2 * half}"`;
  return [`<rect class="bar ${look}" ${place} rx="2"><title>${escaped(state)}</title></rect>`];
}

/**
 * @param attributes of the message in a page, which says itself what it is, and finds it near the
 * pointer
 */
export function message(arrow: Arrow, palette: Palette, attributes?: string): string {
  const { fate, call, tail, tip, leaves } = arrow;
  const length = Math.hypot(tip.x - tail.x, tip.y - tail.y) || 1;
  const [ux, uy] = [(tip.x - tail.x) / length, (tip.y - tail.y) / length];
  const at = (along: number, aside: number): string =>
    `${fixed(tip.x - ux * along - uy * aside)} ${fixed(tip.y - uy * along + ux * aside)}`;
  const line = `M${fixed(tail.x)} ${fixed(tail.y)}L${at(fate === 'delivered' && !leaves ? 6 : 0, 0)}`;
  const end = {
    delivered: `<path class="tip" d="M${at(2.5, 0)}L${at(11, 3.8)}L${at(11, -3.8)}Z"/>`,
    lost: `<path class="cross" d="M${fixed(tip.x - 5)} ${fixed(tip.y - 5)}l10 10m0 -10l-10 10"/>`,
    pending: '',
  }[leaves ? 'pending' : fate];
  const look = `class="message ${fate} ${palette.message(call)}"`;
  if (attributes === undefined)
    return `<g ${look}><title>${escaped(messageText(arrow))}</title><path class="line" d="${line}"/>${end}</g>`;
  return `<g ${look} ${attributes}><path class="near" d="${line}"/><path class="line" d="${line}"/>${end}</g>`;
}

/** A message and its fate, in words. */
export const messageText = ({ fate, call, from, to }: Arrow): string =>
  `${call} ${from} → ${to}${fate === 'delivered' ? '' : fate === 'lost' ? ', lost' : ', on its way'}`;

export function messageLabel(label: Label | undefined, look: string): string {
  if (!label) return '';
  const turn = `translate(${fixed(label.x)} ${fixed(label.y)}) rotate(${fixed(label.angle)})`;
  return `<text class="label ${look}" transform="${turn}" y="3.6">${escaped(label.text)}</text>`;
}

function note({ x, y, text, anchor }: Note): string {
  return `<text class="note" x="${fixed(x)}" y="${fixed(y + 3)}" text-anchor="${anchor}">${escaped(text)}</text>`;
}

/** Of the triangle of a mark and of its text from the lane, in pixels. */
const usualDistances = { least: 8, most: 15, text: 18 };
/** The same where lanes are close. */
export const shortDistances = { least: 6, most: 11, text: 13 };

/**
 * A triangle pointing to the lane for input of a node, away from it for a notification; a cross for
 * a crash.
 */
export function mark(
  { kind, text, x, y, below, anchor }: PlacedMark,
  { least, most, text: away } = usualDistances,
): string {
  const side = below ? 1 : -1;
  const [near, far] = kind === 'notify' ? [most, least] : [least, most];
  const triangle = `M${fixed(x)} ${fixed(y + side * near)}L${fixed(x - 4)} ${fixed(y + side * far)}h8Z`;
  const shape =
    kind === 'crash'
      ? `<path class="cross" d="M${fixed(x - 6)} ${fixed(y - 6)}l12 12m0 -12l-12 12"/>`
      : `<path class="${kind === 'command' || kind === 'notify' ? 'filled' : 'hollow'}" d="${triangle}"/>`;
  const place = `x="${fixed(x + { start: -4, middle: 0, end: 4 }[anchor])}" y="${fixed(below ? y + away + 9 : y - away)}" text-anchor="${anchor}"`;
  return `<g class="mark ${kind}">${shape}<text ${place}>${escaped(text)}</text></g>`;
}

/** The times at which something happens, as far as they can be written side by side. */
export function timeAxis({ moments, left, right, lanes }: Layout, y: number): string[] {
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

/** What makes a space-time diagram move: rules for its style sheet, and parts above all others. */
interface Motion {
  readonly style: string;
  readonly parts: readonly string[];
}

/** Seconds: for a step, at least and at most for a run, and at its end. */
const pace = { step: 0.8, least: 3, most: 60, rest: 2 };

/** Above the first lane and below the last, in pixels: as far as marks and their texts reach. */
const beyond = 40;

/**
 * A line goes through the diagram as time goes by, again and again. What is later is hidden, and a
 * dot moves on each message that is on its way. Where the reader wants no motion, and on paper, it
 * is the diagram at rest.
 */
function motionOf(layout: Layout, palette: Palette): Motion {
  const { left, right, lanes, arrows, steps } = layout;
  const moving = Math.min(Math.max(steps.length * pace.step, pace.least), pace.most);
  const seconds = moving + pace.rest;
  const length = right - left;
  const momentOf = (x: number): number =>
    ((Math.min(Math.max(x, left), right) - left) / length) * moving * (100 / seconds);
  const top = (lanes[0]?.y ?? 0) - beyond;
  const height = (lanes.at(-1)?.y ?? 0) + beyond - top;
  const still = (lane: { readonly y: number }) =>
    `<path class="lane" d="M0 ${fixed(lane.y - top)}H${fixed(length)}"/>`;
  const style = [
    `.space-time .moves{animation:${fixed(seconds)}s linear infinite}`,
    '.space-time .coming{animation-name:coming}',
    '.space-time .flying{opacity:0}',
    `@keyframes coming{${percent(momentOf(right))},100%{transform:translateX(${fixed(length)}px)}}`,
    ...arrows.map((_, index) => `.space-time .flies${index}{animation-name:flies${index}}`),
    ...arrows.map((arrow, index) => `@keyframes flies${index}{${flight(arrow, momentOf)}}`),
    '@media (prefers-reduced-motion:reduce){.space-time .motion{display:none}}',
    '@media print{.space-time .motion{display:none}}',
  ].join('');
  return {
    style,
    parts: [
      '<g class="motion">',
      `<svg x="${fixed(left)}" y="${fixed(top)}" width="${fixed(length - 1)}" height="${fixed(height)}">`,
      '<g class="moves coming">',
      `<rect class="veil" width="${fixed(length)}" height="${fixed(height)}"/>`,
      ...lanes.map(still),
      `<path class="cursor" d="M0.5 0V${fixed(height)}"/>`,
      '</g>',
      '</svg>',
      ...arrows.map(
        ({ call }, index) =>
          `<g class="message ${palette.message(call)}"><circle class="tip moves flying flies${index}" r="4.5"/></g>`,
      ),
      '</g>',
    ],
  };
}

const percent = (moment: number): string => `${moment.toFixed(2)}%`;

/** In percent: between a frame in which a dot is not seen and the next, in which it is. */
const blink = 0.01;

/** The frames of a dot: from where the message is sent to where it arrives, is lost, or is last. */
function flight({ tail, tip }: Arrow, momentOf: (x: number) => number): string {
  const at = ({ x, y }: Arrow['tip'], opacity: 0 | 1) =>
    `{opacity:${opacity};transform:translate(${fixed(x)}px,${fixed(y)}px)}`;
  const [sent, arrives] = [momentOf(tail.x), momentOf(tip.x)];
  return [
    `0%,${percent(sent - blink)}${at(tail, 0)}`,
    `${percent(sent)}${at(tail, 1)}`,
    `${percent(arrives)}${at(tip, 1)}`,
    `${percent(arrives + blink)},100%${at(tip, 0)}`,
  ].join('');
}
