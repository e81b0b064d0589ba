import { ConclaveError } from '@conclave/core/protocol';
import { computed, effect, signal } from '@preact/signals';
import { type Link, linkText, parseLink } from '../link/link.js';
import type { Setup, StudioBudget } from '../link/setup.js';
import { Session } from '../model/session.js';

/** What the page shows: the catalogue, or a session in one of its views. */
export const session = signal<Session | undefined>(undefined);
export const view = signal<Link['view']>('world');
/** What went wrong last, for the user to read; undefined where nothing did. */
export const problem = signal<ConclaveError | undefined>(undefined);

/** The text behind `#` that leads here again. */
export const hash = computed(() => (session.value ? linkText(session.value.link(view.value)) : ''));

/** Runs what a user asked for; an error of theirs is shown, and nothing else changes. */
export async function attempt(work: () => unknown): Promise<void> {
  try {
    problem.value = undefined;
    await work();
  } catch (error) {
    if (!(error instanceof ConclaveError)) throw error;
    problem.value = error;
  }
}

/** Opens what a link describes; without one, the catalogue. */
export async function open(link: Link | undefined): Promise<void> {
  const opened = link && (await Session.open(link));
  session.value = opened;
  view.value = link?.view ?? 'world';
}

/** A new session. */
export const begin = (setup: Setup, shown: Link['view'] = 'world'): Promise<void> => open({ setup, view: shown, steps: [] });

/** The same run with another budget, such as one more message that may be lost. */
export async function allow(change: StudioBudget): Promise<void> {
  if (session.value) session.value = await session.value.withBudget(change);
}

/** Keeps the address and the page together, in both directions. */
export function followAddress(): void {
  const read = () => attempt(() => open(parseLink(location.hash)));
  addEventListener('hashchange', () => {
    if (location.hash.slice(1) !== hash.value) void read();
  });
  void read().then(() =>
    effect(() => {
      const text = hash.value;
      if (location.hash.slice(1) !== text) history.replaceState(undefined, '', `#${text}`);
    }),
  );
}
