import type { CheckProgress } from '../../model/check.js';
import type { Asking } from '../../worker/asking.js';
import { duration, grouped } from './numbers.js';

/** How far a check is: said aloud at its beginning and end only. */
export function Progress({ asking }: { readonly asking: Asking<'check'> }) {
  const { value: progress } = asking.progress;
  return (
    <div class="check-progress">
      <div
        class="check-bar"
        role="progressbar"
        aria-label="Checking"
        aria-valuetext={progress ? `${grouped(progress.states)} worlds` : 'beginning'}
      />
      <p>{progress ? progressText(progress) : 'Beginning …'}</p>
    </div>
  );
}

export function progressText({ states, transitions, depth, seconds }: CheckProgress): string {
  const speed = seconds > 0.2 ? `, ${grouped(Math.round(states / seconds))} worlds/s` : '';
  return `${grouped(states)} worlds, ${grouped(transitions)} transitions, depth ${depth}, ${duration(seconds)}${speed}`;
}
