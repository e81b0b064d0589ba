/** What the reader of the page has chosen, and the browser remembers: its language, its theme. */
import { computed, effect, signal } from '@preact/signals';
import { type Language, languages } from '../texts/languages.js';
import { speak, type Table } from '../texts/say.js';
import { unpacked } from './catalogue/data.js';

/** Remembers a choice for the next visit, where the browser keeps anything; otherwise it lasts as long as the page. */
export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`conclave-${key}`, value);
  } catch {}
}

/** What was remembered; undefined where nothing was. */
export function recall(key: string): string | undefined {
  try {
    return localStorage.getItem(`conclave-${key}`) ?? undefined;
  } catch {
    return undefined;
  }
}

interface FormerText {
  readonly name: string;
  readonly text: string;
}

/** What was written in the playground, the last first: by the name of the exercise or protocol. */
export const formerTexts = signal<readonly FormerText[]>(readTexts());

function readTexts(): readonly FormerText[] {
  try {
    return JSON.parse(recall('texts') ?? '[]');
  } catch {
    return [];
  }
}

const mostTexts = 12;

export function keepText(name: string, text: string): void {
  const others = formerTexts.peek().filter((former) => former.name !== name);
  formerTexts.value = [{ name, text }, ...others].slice(0, mostTexts);
  remember('texts', JSON.stringify(formerTexts.peek()));
}

const stored = <T extends string>(key: string, choices: readonly T[]): T | undefined =>
  choices.find((one) => one === recall(key));

/** What a link or the reader chose; undefined: as the browser is. */
export const ownLanguage = signal<Language | undefined>(stored('language', languages));

const asked = computed(
  (): Language => ownLanguage.value ?? (navigator.language.startsWith('de') ? 'de' : 'en'),
);
const german = signal<Table | undefined>(undefined);
const table = computed(() => (asked.value === 'de' ? german.value : undefined));

/** The language of the page: that which is asked for, once its texts are unpacked. */
export const language = computed((): Language => (table.value ? 'de' : 'en'));

let unpacking: Promise<void> | undefined;
/** Unpacks the German texts where they are asked for: most readers never do. */
export function unpackTexts(): Promise<void> | undefined {
  if (asked.value === 'de')
    unpacking ??= unpacked('german').then((text) => {
      german.value = JSON.parse(text || '{}');
    });
  return unpacking;
}

/** The reader's choice of a language. */
export function choose(other: Language): void {
  ownLanguage.value = other;
  remember('language', other);
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
  effect(() => void unpackTexts());
  effect(() => {
    document.documentElement.lang = language.value;
  });
  effect(() => {
    const { value } = theme;
    document.documentElement.style.colorScheme = value === 'system' ? '' : value;
    remember('theme', value);
  });
}
