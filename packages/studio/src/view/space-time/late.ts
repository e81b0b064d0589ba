import { batch, type ReadonlySignal, useSignal, useSignalEffect } from '@preact/signals';
import type { Moment } from '../../model/run.js';
import type { Session } from '../../model/session.js';

/**
 * What is shown of a session, once the other views have been painted: the diagram takes longest,
 * and no step waits for it.
 */
export function useLate(session: Session): Readonly<
  Record<'now' | 'tip', ReadonlySignal<Moment>>
> & {
  readonly loop: ReadonlySignal<Moment | undefined>;
} {
  const now = useSignal(session.now.peek());
  const tip = useSignal(session.tip.peek());
  const loop = useSignal(session.loop.peek());
  useSignalEffect(() => {
    const next = { now: session.now.value, tip: session.tip.value, loop: session.loop.value };
    const timer = setTimeout(() =>
      batch(() => {
        now.value = next.now;
        tip.value = next.tip;
        loop.value = next.loop;
      }),
    );
    return () => clearTimeout(timer);
  });
  return { now, tip, loop };
}
