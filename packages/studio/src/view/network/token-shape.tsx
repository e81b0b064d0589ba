import { pointText, tenths } from '../../base/numbers.js';

export interface ShapeProps {
  readonly text: string;
  /** Where it goes, in radians. */
  readonly heading: number;
  /** How many newer messages are behind it without a token of their own. */
  readonly more?: number;
  /** Among very many. */
  readonly isSpeck?: boolean;
}

/** A message, to be drawn around the origin. */
export function TokenShape({ text, heading, more = 0, isSpeck = false }: ShapeProps) {
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

export const widthOf = (text: string): number =>
  text === '' ? 9 : Math.max(16, text.length * 5.4 + 11);
