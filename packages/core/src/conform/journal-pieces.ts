import { ConclaveError } from '../base/error.js';
import type { JournalSource } from './journal-reader.js';

/** The name of a piece of a journal that was rotated: `a.1+2.journal` follows `a.1.journal`. */
const pieceName = /^(.*)\+(\d+)(\.journal)$/;

/** The journals, those that were rotated in one: their lines are numbered on.
 *
 * @throws {ConclaveError} `bad-trace` where a piece is missing before another one.
 */
export function joinedPieces(sources: readonly JournalSource[]): readonly JournalSource[] {
  const pieces = new Map<string, JournalSource[]>();
  for (const source of sources) {
    const [, start, number, ending] = pieceName.exec(source.name) ?? [];
    const name = start === undefined ? source.name : `${start}${ending}`;
    const all = pieces.get(name) ?? [];
    all[number === undefined ? 0 : Number(number) - 1] = source;
    pieces.set(name, all);
  }
  return [...pieces].map(([name, all]) => {
    const missing = Array.from(all).indexOf(undefined as never);
    if (missing >= 0)
      throw new ConclaveError(
        'bad-trace',
        `${all.at(-1)?.name} is there, but ${missing === 0 ? name : name.replace(/\.journal$/, `+${missing + 1}.journal`)} before it is not`,
        'Give all pieces of a journal that was rotated.',
      );
    return all.length === 1
      ? (all[0] ?? { name, text: '' })
      : { name, text: { [Symbol.iterator]: () => textsOf(all) } };
  });
}

function* textsOf(sources: readonly JournalSource[]): Generator<string> {
  for (const { text } of sources)
    if (typeof text === 'string') yield text;
    else yield* text;
}

/**
 * Whether it has no character: its process ended before its node started, which has not sent
 * anything.
 */
export function isEmpty({ text }: JournalSource): boolean {
  if (typeof text === 'string') return text === '';
  for (const piece of text) if (piece !== '') return false;
  return true;
}
