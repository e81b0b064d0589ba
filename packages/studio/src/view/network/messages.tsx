/** Links, and the messages that wait or move on them. */
import type { Action } from '@conclave/check';
import { stepOf } from '@conclave/check/internal';
import type { Message, NodeId } from '@conclave/core/protocol';
import { useComputed } from '@preact/signals';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { memo } from '../../base/collections.js';
import { pointText, tenths } from '../../base/numbers.js';
import {
  apart,
  type ChannelLine,
  channelLine,
  pathData,
  pitchOn,
  pointOn,
  queueOn,
} from '../../model/channel-line.js';
import { shortened } from '../../model/looks.js';
import type { Point, Size } from '../../model/network-layout.js';
import type { Pair } from '../../model/network-scene.js';
import { callOf, dueWords } from '../../model/words.js';
import { say } from '../../texts/say.js';
import { isMessage, pointed } from '../actions.js';
import { type Detail, type Drawing, useDrawing } from './drawing.js';

const none: readonly Message[] = [];

interface ChannelProps {
  readonly from: NodeId;
  readonly to: NodeId;
}

/** Of thousands of channels only those that carry messages are drawn. */
export const Channels = () => (
  <g>
    {useDrawing().busy.value.map((key) => {
      const [from = '', to = ''] = key.split('→');
      return <Channel key={key} from={from} to={to} />;
    })}
  </g>
);

/** The messages that are on their way from one node to another. */
function Channel({ from, to }: ChannelProps) {
  const drawing = useDrawing();
  const messages = useComputed(() => drawing.channels.value[`${from}→${to}`] ?? none).value;
  const keys = keysOf(messages);
  const isBusy = useComputed(() => drawing.isBusyBack(from, to)).value;
  const progress = useComputed(() => drawing.progress(from, to)).value;
  if (messages.length === 0) return null;
  const { places, radius, width: right, height: bottom } = drawing.scene.value;
  const [a, b] = [places.get(from), places.get(to)];
  if (!a || !b) return null;
  const line = channelLine(a, b, radius, isBusy ? bendOf(Math.hypot(a.x - b.x, a.y - b.y)) : 0);
  const { texts, size } = textsOn(drawing, line, from, messages);
  const moving = progress?.map((part) => pointOn(line, part));
  const { places: points, hidden } = moving
    ? { places: apart(moving, size.height + 2), hidden: 0 }
    : queueOn(line, messages.length, size);
  return (
    <>
      {points.map((at, index) => (
        <Token
          key={keys[index]}
          {...{ from, to }}
          position={index}
          message={messages[index] ?? { type: '' }}
          text={texts[index] ?? ''}
          at={{ x: within(at.x, size.width / 2 + 3, right), y: within(at.y, 11, bottom) }}
          origin={line.start}
          heading={Math.atan2(line.end.y - line.start.y, line.end.x - line.start.x)}
          more={index === points.length - 1 ? hidden : 0}
        />
      ))}
    </>
  );
}

/** `value`, at least `margin` from both ends of 0 to `size`. */
const within = (value: number, margin: number, size: number): number =>
  Math.max(Math.min(margin, size / 2), Math.min(size - margin, value));

interface TokenProps extends ChannelProps, Required<Omit<ShapeProps, 'isSpeck'>> {
  readonly position: number;
  readonly message: Message;
  readonly at: Point;
  readonly origin: Point;
}

function Token({ from, to, position, message, text, at, origin, heading, more }: TokenProps) {
  const drawing = useDrawing();
  const element = useRef<SVGGElement>(null);
  const key = `message ${from}→${to} ${position}`;
  const isPointed = useComputed(() => isMessage(pointed.value, from, to, position)).value;
  const isRoving = useComputed(() => drawing.roving.value === key).value;
  const call = callOf(drawing.session.system.protocol, message, from);
  const due = useComputed(() => dueOf(drawing, from, to, position)).value;
  const behind = more > 0 ? say(', and {more} behind it', { more }) : '';
  const label = `${say('{call} from {from} to {to}', { call, from, to })}${due}${behind}`;
  useLayoutEffect(() => {
    const { player, stepped } = drawing;
    if (!element.current || !stepped.peek() || !animates()) return;
    const [delay, all] = [player.arrival.peek(), player.motion.peek()];
    const isTimed = player.drawnAt.peek() !== undefined;
    // from its sender to its place; at the same pace where its way has times
    element.current.animate([keyframe(origin, 0.3), keyframe(at, 1)], {
      delay,
      duration: all - delay,
      easing: isTimed ? 'linear' : 'ease-out',
      fill: 'backwards',
    });
  }, []);
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no button
    <g
      ref={element}
      class={`token ${isPointed ? 'pointed' : ''}`}
      style={`--look: var(--${drawing.looks.message(message.type)}); transform: translate(${at.x}px, ${at.y}px)`}
      data-channel={`${from}→${to}`}
      data-position={position}
      role="button"
      aria-haspopup="menu"
      tabindex={isRoving ? 0 : -1}
      aria-label={label}
    >
      <title>{label}</title>
      <TokenShape
        text={isPointed ? shortened(call, 24) : text}
        heading={heading}
        more={more}
        isSpeck={!isPointed && drawing.detail.value === 'speck'}
      />
    </g>
  );
}

const dueOf = (
  { session: { system, now } }: Drawing,
  from: NodeId,
  to: NodeId,
  position: number,
): string =>
  system.worlds.clockwork
    ? dueWords(system.worlds, now.value.world.clocks?.dues[`${from}→${to}`]?.[position])
    : ''; // most have none

const order: readonly Detail[] = ['full', 'short', 'dot', 'speck'];
const heights: Readonly<Record<Detail, number>> = { full: 17, short: 17, dot: 11, speck: 8 };

/** What is written on the messages of one channel: as much as there is room for on its line. */
function textsOn(
  drawing: Drawing,
  line: ChannelLine,
  from: NodeId,
  messages: readonly Message[],
): { readonly texts: readonly string[]; readonly size: Size } {
  const { value: most } = drawing.detail;
  for (const detail of order.slice(order.indexOf(most))) {
    const texts = messages.map((message) => textOn(drawing, message, from, detail));
    const size = {
      width: detail === 'speck' ? 7 : Math.max(...texts.map(widthOf)),
      height: heights[detail],
    };
    if (detail === 'dot' || detail === 'speck' || pitchOn(line, size) + 4 < line.length)
      return { texts, size };
  }
  return { texts: [], size: { width: 0, height: 0 } };
}

function textOn(
  { session, abbreviations }: Drawing,
  message: Message,
  from: NodeId,
  detail: Detail,
): string {
  if (detail === 'dot' || detail === 'speck') return '';
  if (detail === 'short') return shortened(abbreviations.get(message.type) ?? message.type, 8);
  return shortened(callOf(session.system.protocol, message, from), 16);
}

let numbered = 0;
const numberOf = memo((_: Message) => ({ number: numbered++ }));

/** A key for each message, which it keeps while others leave the channel or join it. */
const keysOf = (messages: readonly Message[]): readonly string[] =>
  messages.map((message, index) => {
    const copies = messages.slice(index + 1).filter((other) => other === message).length;
    return `${numberOf(message).number} ${copies}`;
  });

/** The message that the last step delivered, on its way into its node. */
export function Flight() {
  const { stepped, player } = useDrawing();
  const { value: moment } = stepped;
  const taken = moment?.step?.action;
  // also where the receiver crashes in the middle of it
  const action = taken && (stepOf(taken) ?? taken);
  // while a run with times plays, messages are under way until they arrive
  const isTimed = player.playing.peek() && moment?.step?.time !== undefined;
  if (!moment || isTimed || !animates() || action?.type !== 'deliver') return null;
  return <Flying key={moment.id} {...action} />;
}

type FlyingProps = Extract<Action, { readonly type: 'deliver' }>;

function Flying({ from, to, message }: FlyingProps) {
  const { scene, session, looks, player } = useDrawing();
  const element = useRef<SVGGElement>(null);
  const [isDone, setDone] = useState(false);
  const { places, radius } = scene.value;
  const [a, b] = [places.get(from), places.get(to)];
  const text = shortened(callOf(session.system.protocol, message, from), 16);
  useLayoutEffect(() => {
    if (!element.current || !a || !b) return;
    const size = { width: widthOf(text), height: 17 };
    const [start = a] = queueOn(channelLine(a, b, radius, 0), 1, size).places;
    const animation = element.current.animate([keyframe(start, 1), keyframe(b, 0.1)], {
      duration: player.arrival.peek() || player.motion.peek(),
      easing: 'ease-in',
      fill: 'forwards',
    });
    animation.onfinish = () => setDone(true);
    return () => animation.cancel();
  }, []);
  if (isDone) return null;
  return (
    <g ref={element} class="token flying" style={`--look: var(--${looks.message(message.type)})`}>
      <TokenShape text={text} heading={a && b ? Math.atan2(b.y - a.y, b.x - a.x) : 0} />
    </g>
  );
}

/** The message that the step which is shown has lost: it fades, and is crossed out. */
export function Lost() {
  const { scene, session, looks } = useDrawing();
  const action = useComputed(() => session.now.value.step?.action).value;
  if (action?.type !== 'drop') return null;
  const { from, to, message } = action;
  const { places, radius } = scene.value;
  const [a, b] = [places.get(from), places.get(to)];
  if (!a || !b) return null;
  const at = pointOn(channelLine(a, b, radius, 0), 0.6);
  return (
    <g
      class="token lost"
      style={`--look: var(--${looks.message(message.type)}); transform: translate(${at.x}px, ${at.y}px)`}
    >
      <title>{say('lost')}</title>
      <g key={session.now.value.id} class="fading">
        <TokenShape
          text={shortened(callOf(session.system.protocol, message, from), 16)}
          heading={Math.atan2(b.y - a.y, b.x - a.x)}
        />
      </g>
      <path class="cross" d="M-9 -9L9 9M-9 9L9 -9" />
    </g>
  );
}

interface ShapeProps {
  readonly text: string;
  /** Where it goes, in radians. */
  readonly heading: number;
  /** How many newer messages are behind it without a token of their own. */
  readonly more?: number;
  /** Among very many. */
  readonly isSpeck?: boolean;
}

/** A message, to be drawn around the origin. */
function TokenShape({ text, heading, more = 0, isSpeck = false }: ShapeProps) {
  const width = widthOf(text);
  const [ux, uy] = [Math.cos(heading), Math.sin(heading)];
  const toBorder = (half: number, part: number) => half / Math.max(1e-6, Math.abs(part));
  const reach = text === '' ? 4.5 : Math.min(toBorder(width / 2, ux), toBorder(8, uy));
  const way = `translate(${pointText(ux * reach, uy * reach)}) rotate(${tenths((heading * 180) / Math.PI)})`;
  return (
    <>
      {more > 0 && (
        <rect class="behind" x={-width / 2 + 3} y="-5" width={width} height="16" rx="8" />
      )}
      {text === '' ? (
        <circle class="body" r={isSpeck ? 3.4 : 4.5} />
      ) : (
        <rect class="body" x={-width / 2} y="-8" width={width} height="16" rx="8" />
      )}
      {!isSpeck && <path class="way" d="M-0.5 -4L5 0L-0.5 4z" transform={way} />}
      {text !== '' && (
        <text class="call" dy="0.35em">
          {text}
        </text>
      )}
      {more > 0 && (
        <text class="more" x={width / 2 + 5} dy="0.35em">
          +{more}
        </text>
      )}
    </>
  );
}

const widthOf = (text: string): number => (text === '' ? 9 : Math.max(16, text.length * 5.4 + 11));

const still = matchMedia('(prefers-reduced-motion: reduce)');

const animates = (): boolean => !still.matches && document.visibilityState === 'visible';

const keyframe = ({ x, y }: Point, opacity: number): Keyframe => ({
  transform: `translate(${x}px, ${y}px)`,
  opacity,
});

/** How far the two lines of a pair are from each other, where both carry messages. */
const bendOf = (length: number): number => Math.min(20, Math.max(9, length * 0.09));

/** The channels between two neighbours: one line, or two where both carry messages. */
export function Edge({ pair: { from, to, isOneWay } }: { readonly pair: Pair }) {
  const drawing = useDrawing();
  const isCut = useComputed(() => drawing.isCut(from, to)).value;
  const isBusy = useComputed(() => drawing.isBusyBack(from, to)).value;
  const { places, radius } = drawing.scene.value;
  const [a, b] = [places.get(from), places.get(to)];
  if (!a || !b) return null;
  const bend = isBusy ? bendOf(Math.hypot(a.x - b.x, a.y - b.y)) : 0;
  const line = channelLine(a, b, radius, bend);
  const data = pathData(line) + (isBusy ? pathData(channelLine(b, a, radius, bend)) : '');
  const middle = pointOn(line, 0.5);
  const angle = (Math.atan2(b.y - a.y, b.x - a.x) * 180) / Math.PI;
  return (
    <g class={`edge ${isCut ? 'cut' : ''}`} data-edge={`${from}→${to}`}>
      <path class="hit" d={data} />
      <path class="line" d={data} />
      {isOneWay && (
        <path
          class="tip"
          d="M-7 -3.5L0 0L-7 3.5z"
          transform={`translate(${line.end.x} ${line.end.y}) rotate(${angle})`}
        />
      )}
      {isCut && (
        <path
          class="break"
          d="M-4 -7L0 7M2 -7L6 7"
          transform={`translate(${middle.x} ${middle.y}) rotate(${angle})`}
        />
      )}
    </g>
  );
}
