/**
 * What the page says, in the language of its reader. English texts stand where they are used; each
 * is the key of its German text in the table. A text that the table does not have is a type error.
 */

import type { german, grading } from './german.js';
import type { Language } from './languages.js';

type Place<T> = T extends `${string}{${infer Name}}${infer Rest}`
  ? Exclude<Name, ''> | Place<Rest>
  : never;
/** An English text of the table; `{name}` in it is a place for a value. */
type Pattern = keyof typeof german | keyof typeof grading;
/** A text without places. */
export type Text = { [T in Pattern]: [Place<T>] extends [never] ? T : never }[Pattern];

type Values<T> = [Place<T>] extends [never]
  ? []
  : [values: Readonly<Record<Place<T>, string | number>>];

/** Texts by their English. */
export type Table = Readonly<Partial<Record<string, string>>>;
let spoken: () => Table | undefined = () => undefined;

/**
 * Says from now on what the table has; undefined: English.
 *
 * @param table is asked at each text, so that it may read a signal
 */
export const speak = (table: typeof spoken): void => {
  spoken = table;
};

/** The table that is spoken, for a worker to speak, too; undefined: English. */
export const spokenTable = (): Table | undefined => spoken();
export const language = (): Language => (spoken() ? 'de' : 'en');

export function say<T extends Pattern>(text: T, ...[values]: Values<T>): string {
  const given: Readonly<Record<string, string | number | undefined>> = { ...values };
  const known = sayAny(text);
  return values
    ? known.replace(/\{(\w+)\}/g, (place, name) => String(given[name] ?? place))
    : known;
}

/** A text that may be in the table, such as a note of a link; others stay as they are. */
export function sayAny(text: string): string {
  const table = spoken();
  return table && Object.hasOwn(table, text) ? (table[text] ?? text) : text;
}

/** The language of what the catalogue says, where it is not that of the page: German has not all of it. */
export const langOf = (text?: string): 'en' | undefined => {
  const table = spoken();
  return table && !(text !== undefined && Object.hasOwn(table, text)) ? 'en' : undefined;
};

/** The labels of a row of tabs. */
export const sayLabels = <T extends { readonly label: Text }>(tabs: readonly T[]) =>
  tabs.map((tab) => ({ ...tab, label: say(tab.label) }));
