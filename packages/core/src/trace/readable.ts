import { readable } from '../protocol/bare/readable.js';
import type { Protocol } from '../protocol/protocol.js';
import type { TraceLine } from './trace.js';

/** The lines of a run as they are shown: with names that a user knows, see {@link readable}. */
export function readableLines(
  protocol: Pick<Protocol, 'drawn'>,
  lines: readonly TraceLine[],
): readonly TraceLine[] {
  if (!protocol.drawn) return lines;
  const { shown } = readable(protocol);
  const named = <T extends object>(part: T): T => ({
    ...part,
    ...('call' in part && { call: shown(String(part.call)) }),
    ...('timer' in part && { timer: shown(String(part.timer)) }),
  });
  return lines.map((line) => ({
    ...line,
    event: named(line.event),
    effects: line.effects.map(named),
  }));
}
