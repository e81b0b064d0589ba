import type { Paths } from '@conclave/core/internal/exploration';
import { batch, type Signal, signal } from '@preact/signals';
import { memo } from '../../base/memo.js';
import type { Job } from '../../worker/job.js';

/** What a user has chosen among the paths of a system; kept while they play one. */
export class Choice {
  readonly kind: Signal<Paths['kind']> = signal('shortest');
  /** The position of a transition: only the paths that take it. */
  readonly transition: Signal<number | undefined> = signal(undefined);
  readonly order: Signal<'longest' | 'shortest'> = signal('longest');
  /** From 0. */
  readonly page: Signal<number> = signal(0);
  /** The kind whose paths were generated last. */
  generated: Paths['kind'] | undefined;

  /** Turns the order, and shows its first page. */
  turn(): void {
    batch(() => {
      this.order.value = this.order.value === 'longest' ? 'shortest' : 'longest';
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

/** What was chosen among the paths of a job. */
export const choiceOf = memo((_: Job<'paths'>) => new Choice());
