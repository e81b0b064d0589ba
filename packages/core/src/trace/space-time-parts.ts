import type { Label, Note, PlacedMark } from './label-placement.js';
import { textWidth } from './space-time-columns.js';
import type { Arrow, Layout, Stretch } from './space-time-layout.js';
import { messageColours, stateColours, strongColours } from './space-time-style.js';

/** How states and types of messages look: `initial`, `state-2`, `strong-0`; `message-1`. */
export interface LooksOfStates {
  state(text: string): string;
  message(type: string): string;
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

/** How states and types of messages look, in the order in which they appear. */
export class Palette {
  readonly states = new Map<string, { readonly look: string; readonly half: number }>();
  readonly #messages = new Map<string, string>();

  constructor(
    { stretches, arrows, firstStates }: Layout,
    strong: readonly string[],
    looks?: LooksOfStates,
  ) {
    const isStrong = (state: string): boolean =>
      state
        .split(/[&() ]+/)
        .some((part) => strong.some((name) => `.${part}.`.includes(`.${name}.`)));
    const states = new Set(
      [...stretches].sort((a, b) => a.from - b.from).map(({ state }) => state),
    );
    if (looks) {
      for (const state of states) {
        const look = looks.state(state);
        if (look !== 'initial')
          this.states.set(state, {
            look: look.replace('-', ''),
            half: look.startsWith('strong') ? 7 : 4,
          });
      }
      for (const { call } of arrows)
        this.#messages.set(typeOf(call), looks.message(typeOf(call)).replace('-', ''));
      return;
    }
    const thick = [...states].filter(isStrong);
    const thin = [...states].filter((state) => !isStrong(state) && !firstStates.has(state));
    for (const state of states) {
      const rank = thin.indexOf(state);
      if (isStrong(state))
        this.states.set(state, { look: `strong${thick.indexOf(state) % strongColours}`, half: 7 });
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

export function note({ x, y, text, anchor }: Note): string {
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
