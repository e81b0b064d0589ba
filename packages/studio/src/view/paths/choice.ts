import type { Paths } from '@conclave/core/exploration';
import { batch, type Signal, signal } from '@preact/signals';
import type { Asking } from '../../worker/asking.js';

/** What a user has chosen among the paths of a system; kept while they play one. */
export class Choice {
  readonly kind: Signal<Paths['kind']> = signal('shortest');
  /** The position of a transition: only the paths that take it. */
  readonly transition: Signal<number | undefined> = signal(undefined);
  readonly order: Signal<'longest' | 'shortest'> = signal('longest');
  /** From 0. */
  readonly page: Signal<number> = signal(0);
  /** The kind that was asked for last. */
  asked: Paths['kind'] | undefined;

  choose(kind: Paths['kind']): void {
    batch(() => {
      this.kind.value = kind;
      this.page.value = 0;
    });
  }

  /** Shows the paths that take a transition, or, where they are shown, all. */
  toggle(transition: number): void {
    batch(() => {
      this.transition.value = this.transition.value === transition ? undefined : transition;
      this.page.value = 0;
    });
  }
}

const choices = new WeakMap<Asking<'paths'>, Choice>();

/** What was chosen among the paths of an asking. */
export function choiceOf(asking: Asking<'paths'>): Choice {
  const known = choices.get(asking) ?? new Choice();
  choices.set(asking, known);
  return known;
}
