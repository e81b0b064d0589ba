import type { Arrow, Layout } from './space-time-layout.js';
import { fixed, type Palette } from './space-time-parts.js';

/** What makes a space-time diagram move: rules for its style sheet, and parts above all others. */
export interface Motion {
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
export function motionOf(layout: Layout, palette: Palette): Motion {
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
