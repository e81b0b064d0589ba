import type { Message, NodeId } from '@conclave/core/protocol';
import { useComputed } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import {
  apart,
  type ChannelLine,
  channelLine,
  pitchOn,
  pointOn,
  queueOn,
} from '../../model/channel-lines.js';
import type { Point, Size } from '../../model/network-layout.js';
import { shortened } from '../../model/node-label.js';
import { callOf, dueWords } from '../../model/words.js';
import { say } from '../../texts/say.js';
import { isMessage, pointed } from '../actions/offered.js';
import { type Detail, type Drawing, useDrawing } from './drawing.js';
import { bendOf } from './edges.js';
import { animates, leave } from './motion.js';
import { type ShapeProps, TokenShape, widthOf } from './token-shape.js';

const none: readonly Message[] = [];

export interface ChannelProps {
  readonly from: NodeId;
  readonly to: NodeId;
}

/** The messages that are on their way from one node to another. */
export function Channel({ from, to }: ChannelProps) {
  const drawing = useDrawing();
  const messages = useComputed(() => drawing.channels.value[`${from}→${to}`] ?? none).value;
  const keys = useKeys(messages);
  const isBusy = useComputed(() => drawing.hasMessages(to, from)).value;
  const progress = useComputed(() => drawing.progress(from, to)).value;
  if (messages.length === 0) return null;
  const { places, radius, width: right, height: bottom } = drawing.scene.value;
  const [a, b] = [places.get(from), places.get(to)];
  if (!a || !b) return null;
  const line = channelLine(a, b, radius, isBusy ? bendOf(Math.hypot(a.x - b.x, a.y - b.y)) : 0);
  const { texts, size } = writtenOn(drawing, line, from, messages);
  const { places: points, hidden } =
    progress === undefined
      ? queueOn(line, messages.length, size)
      : {
          places: apart(
            progress.map((part) => pointOn(line, part)),
            size.height + 2,
          ),
          hidden: 0,
        };
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
    leave(element.current, [origin, at], { delay, duration: all - delay }, isTimed);
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
function writtenOn(
  drawing: Drawing,
  line: ChannelLine,
  from: NodeId,
  messages: readonly Message[],
): { readonly texts: readonly string[]; readonly size: Size } {
  const { value: wanted } = drawing.detail;
  for (const detail of order.slice(order.indexOf(wanted))) {
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

/** A key for each message, which it keeps while others leave the channel or join it. */
function useKeys(messages: readonly Message[]): readonly number[] {
  const before = useRef<{ messages: readonly Message[]; keys: readonly number[]; next: number }>({
    messages: [],
    keys: [],
    next: 0,
  });
  if (before.current.messages !== messages) {
    let { next } = before.current;
    let from = 0;
    const keys = messages.map((message) => {
      const found = before.current.messages.indexOf(message, from);
      if (found < 0) return next++;
      from = found + 1;
      return before.current.keys[found] ?? next++;
    });
    before.current = { messages, keys, next };
  }
  return before.current.keys;
}
