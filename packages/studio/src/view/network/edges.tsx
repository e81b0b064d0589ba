import { useComputed } from '@preact/signals';
import { channelLine, pathData, pointOn } from '../../model/channel-lines.js';
import type { Pair } from '../../model/network-scene.js';
import { useDrawing } from './drawing.js';

/** How far the two lines of a pair are from each other, where both carry messages. */
export const bendOf = (length: number): number => Math.min(20, Math.max(9, length * 0.09));

/**
 * The channels between two neighbours: one line, or two where messages are on their way in both
 * directions.
 */
export function Edge({ pair: { from, to, isOneWay } }: { readonly pair: Pair }) {
  const drawing = useDrawing();
  const isCut = useComputed(() => drawing.isCut(from, to)).value;
  const isBusy = useComputed(
    () => drawing.hasMessages(from, to) && drawing.hasMessages(to, from),
  ).value;
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
