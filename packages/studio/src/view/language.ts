import { computed, effect, signal } from '@preact/signals';
import { german } from '../texts/german.js';
import { type Language, languages, speak, type Table } from '../texts/say.js';
import { keep, kept } from './parts/dom.js';

const key = 'conclave-language';

/** What a link or the reader chose; undefined: as the browser is. */
export const chosen = signal<Language | undefined>(kept(key, languages));

/** The language of the page. */
export const language = computed(
  (): Language => chosen.value ?? (navigator.language.startsWith('de') ? 'de' : 'en'),
);

const added = signal<Table>({});
const table = computed(() => (language.value === 'de' ? { ...german, ...added.value } : undefined));

/** German texts of what the page has only when it is asked for. */
export const addTexts = (texts: Table): void => {
  added.value = texts;
};

/** The reader's choice, which is remembered. */
export function choose(other: Language): void {
  chosen.value = other;
  keep(key, other);
}

/** Takes over what stands behind `#`: a link's language, or that of `#?lang=de`. */
export function takeLanguage(hash: string): void {
  const [, asked] = /[?&]lang=(\w+)/.exec(hash.split(';')[0] ?? '') ?? [];
  chosen.value = languages.find((one) => one === asked) ?? chosen.value;
}

/** Draws the page in its language. */
export function followLanguage(): void {
  speak(() => table.value);
  effect(() => {
    document.documentElement.lang = language.value;
  });
}
