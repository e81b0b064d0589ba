/** What the reader of the page has chosen, and the browser remembers: its language, its theme. */
import { computed, effect, signal } from '@preact/signals';
import { german } from '../texts/german.js';
import { type Language, languages, speak, type Table } from '../texts/say.js';

/** Remembers a choice, where the browser keeps anything; otherwise it lasts as long as the page. */
function keep(key: string, value: string): void {
  try {
    localStorage.setItem(`conclave-${key}`, value);
  } catch {}
}

/** The choice that was remembered. */
function stored<T extends string>(key: string, choices: readonly T[]): T | undefined {
  try {
    const text = localStorage.getItem(`conclave-${key}`);
    return choices.find((one) => one === text);
  } catch {
    return undefined;
  }
}

/** What a link or the reader chose; undefined: as the browser is. */
export const ownLanguage = signal<Language | undefined>(stored('language', languages));

/** The language of the page. */
export const language = computed(
  (): Language => ownLanguage.value ?? (navigator.language.startsWith('de') ? 'de' : 'en'),
);

const added = signal<Table>({});
const table = computed(() => (language.value === 'de' ? { ...german, ...added.value } : undefined));

/** German texts of what the page has only when it is asked for. */
export const addTexts = (texts: Table): void => {
  added.value = texts;
};

/** The reader's choice of a language. */
export function choose(other: Language): void {
  ownLanguage.value = other;
  keep('language', other);
}

/** Takes over what stands behind `#`: a link's language, or that of `#?lang=de`. */
export function takeLanguage(hash: string): void {
  const [, asked] = /[?&]lang=(\w+)/.exec(hash.split(';')[0] ?? '') ?? [];
  ownLanguage.value = languages.find((one) => one === asked) ?? ownLanguage.value;
}

const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** What the reader chose; `system`: as the system is. */
export const theme = signal<Theme>(stored('theme', themes) ?? 'system');

/** The one after the chosen one. */
export const nextTheme = (): Theme =>
  themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'system';

/** Draws the page in its language and its theme. */
export function followPreferences(): void {
  speak(() => table.value);
  effect(() => {
    document.documentElement.lang = language.value;
  });
  effect(() => {
    const { value } = theme;
    document.documentElement.style.colorScheme = value === 'system' ? '' : value;
    keep('theme', value);
  });
}
