import { headerOf, readLine } from '@conclave/core/internal/trace';
import { ConclaveError } from '@conclave/core/protocol';

export type JournalHeader = ReturnType<typeof headerOf>;
type JournalLine = NonNullable<ReturnType<typeof readLine>>;
export type JournalStep = Extract<JournalLine, { readonly kind: 'step' }>;
export type JournalRemark = Extract<JournalLine, { readonly kind: 'remark' }>;

/** A journal to be checked. */
export interface JournalSource {
  /** Such as its file's name. */
  readonly name: string;
  /** All of it, or its pieces, cut anywhere. */
  readonly text: string | Iterable<string>;
}

/** The lines of a journal, one after the other. */
export class JournalReader {
  readonly name: string;
  readonly header: JournalHeader;
  readonly #lines: Iterator<readonly [line: string, isWhole: boolean]>;
  #number = 0;
  /** How many characters were read. */
  read = 0;
  #next: JournalLine | undefined;
  /** Whether its last line was cut off. */
  isTorn = false;

  /** @throws {ConclaveError} `bad-trace` where it has no header. */
  constructor({ name, text }: JournalSource) {
    this.name = name;
    this.#lines = linesOf(typeof text === 'string' ? [text] : text);
    const remarks = new Map<string, string>();
    for (
      this.#next = this.#read();
      this.#next?.kind === 'remark' && !bodyKeys.has(this.#next.key);
      this.#next = this.#read()
    ) {
      const { key, value, line } = this.#next;
      if (remarks.has(key))
        throw new ConclaveError('bad-trace', `${name}:${line}: its header has '${key}' twice`);
      remarks.set(key, value);
    }
    this.header = headerOf(remarks, name);
  }

  /** The number of the line that was read last. */
  get line(): number {
    return this.#number;
  }

  /** The next line, which stays the next one. */
  get peek(): JournalLine | undefined {
    return this.#next;
  }

  advance(): void {
    this.#next = this.#read();
  }

  #read(): JournalLine | undefined {
    for (let next = this.#lines.next(); !next.done; next = this.#lines.next()) {
      const [text, isWhole] = next.value;
      this.#number++;
      this.read += text.length + 1;
      const line = readLine(text, this.#number);
      if (line?.kind === 'damage' && !isWhole) {
        this.isTorn = true;
        return undefined;
      }
      if (line) return line;
    }
    return undefined;
  }
}

/** Remarks among the steps. */
const bodyKeys: ReadonlySet<string> = new Set(['closed', 'unhandled', 'gap']);

/** The lines, and whether each has its end of line. */
function* linesOf(pieces: Iterable<string>): Generator<readonly [string, boolean]> {
  let rest = '';
  for (const piece of pieces) {
    const text = rest + piece;
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      yield [text.slice(start, end), true];
      start = end + 1;
    }
    rest = text.slice(start);
  }
  if (rest !== '') yield [rest, false];
}

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
