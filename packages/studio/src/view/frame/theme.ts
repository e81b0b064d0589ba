import { effect, signal } from '@preact/signals';
import { keep, kept } from '../parts/dom.js';

const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const key = 'conclave-theme';

/** What the reader chose; `system`: as the system is. */
export const theme = signal<Theme>(kept(key, themes) ?? 'system');

/** The one after the chosen one. */
export const nextTheme = (): Theme =>
  themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'system';

/** Draws the page in the chosen theme, and remembers it. */
export function followTheme(): void {
  effect(() => {
    const { value } = theme;
    if (value === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = value;
    keep(key, value);
  });
}
