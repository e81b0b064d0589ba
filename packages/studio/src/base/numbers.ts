import { language, say, type Text } from '../texts/say.js';

const locale = () => (language() === 'de' ? 'de' : 'en-US');

/** `12,345` */
export const numeral = (value: number): string => value.toLocaleString(locale());

/** Nouns of the table whose plural, with an s, is there too. */
type Noun = { [T in Text]: `${T}s` extends Text ? T : never }[Text];

/** `1 entry`, `2 entries`: both languages have these two numbers. */
export function counted(count: number, one: Noun): string;
export function counted(count: number, one: Text, many: Text): string;
export function counted(count: number, one: Text, many = `${one}s` as Text): string {
  // a Noun has it
  return `${numeral(count)} ${say(count === 1 ? one : many)}`;
}

/** `250 ms`, `1.5 s` */
export const duration = (seconds: number): string =>
  seconds < 1
    ? `${Math.round(seconds * 1000)} ms`
    : `${seconds.toLocaleString(locale(), { maximumFractionDigits: 1 })} s`;

export const tenths = (value: number): number => Math.round(value * 10) / 10;

/** A point in the data of an SVG path. */
export const pointText = (x: number, y: number): string => `${tenths(x)} ${tenths(y)}`;
