/**
 * What the catalogue says about an algorithm. An entry is in the folder of its algorithm, so that
 * one can be loaded without the others.
 */
import { nearest } from '@conclave/core/internal';
import { ConclaveError, type Json, type Protocol } from '@conclave/core/protocol';
import { marks } from './marks.js';
import { type OptionSchema, validOptions } from './options.js';

/**
 * One algorithm of the catalogue. Command line, tables, pages, mutants and the tests of all
 * algorithms follow from its entry.
 */
export interface Entry {
  readonly id: string;
  readonly name: string;
  /** Its folder under this package's `src`. */
  readonly folder: string;
  /** What its tests show, as letters: see {@link marks}. */
  readonly marks: readonly string[];
  /** As the command line offers them. */
  readonly options: readonly {
    readonly name: string;
    readonly type: 'boolean' | 'number' | 'string' | 'list';
    readonly meaning: string;
  }[];
  /** Options with another statechart. */
  readonly charted: readonly Readonly<Record<string, Json>>[];
  /**
   * By region of its machine: the id of the algorithm whose machine this is. Its page refers to the
   * page of that one.
   */
  readonly parts: Readonly<Record<string, string>>;
  /**
   * The protocol with these options; those left out have their defaults.
   *
   * @throws {ConclaveError} `bad-input` for an option that it does not have, or that is no such
   * value.
   */
  readonly make: (options?: Readonly<Record<string, Json>>) => Protocol;
}

/**
 * The entry of an algorithm whose folder is in the folder `family`, under `src`. Its protocol is
 * made when the entry is first asked for its name: to load the catalogue makes none.
 *
 * @param known the options, as the command line offers them
 */
export function entryOf(
  family: string,
  make: Entry['make'],
  known: Readonly<Record<string, OptionSchema>> = {},
  { charted = [], parts = {} }: Partial<Pick<Entry, 'charted' | 'parts'>> = {},
): Entry {
  let made: Protocol | undefined;
  const protocol = () => {
    made ??= make();
    return made;
  };
  return {
    get id() {
      return protocol().id ?? '';
    },
    get name() {
      return protocol().name;
    },
    get folder() {
      return `${family}/${this.name}`;
    },
    get marks() {
      return [...(marks[this.id] ?? '')];
    },
    options: Object.entries(known).map(([name, { type, meaning }]) => ({ name, type, meaning })),
    charted,
    parts,
    make: (given = {}) => make(validOptions(protocol().name, known, given)),
  };
}

/** The protocol of this id or name, with these options. */
export type ProtocolOf = (idOrName: string, options?: Readonly<Record<string, Json>>) => Protocol;

type Named = Pick<Entry, 'id' | 'name'>;

/** The one of this id or name, in any case. */
export function entryNamed<T extends Named>(
  entries: readonly T[],
  idOrName: string,
): T | undefined {
  const wanted = idOrName.toLowerCase();
  return entries.find(({ id, name }) => id.toLowerCase() === wanted || name === wanted);
}

export function noSuchAlgorithm(entries: readonly Named[], idOrName: string): ConclaveError {
  const meant = nearest(
    idOrName,
    entries.map(({ name }) => name),
  );
  const known = entries.map(({ id, name }) => `${id} ${name}`).join(', ');
  return new ConclaveError(
    'bad-input',
    `There is no algorithm '${idOrName}'`,
    meant === undefined
      ? `There are ${known}; or give the path of a module of your own.`
      : `Did you mean '${meant}'?`,
  );
}
