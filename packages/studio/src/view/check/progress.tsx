import { duration, grouped } from '../../base/numbers.js';
import type { CheckProgress } from '../../model/check.js';
import type { Job } from '../../worker/job.js';

/** How far a check is: said aloud at its beginning and end only. */
export function Progress({ job }: { readonly job: Job<'check'> }) {
  const { value: progress } = job.progress;
  return (
    <>
      <div
        class="check-bar"
        role="progressbar"
        aria-label="Checking"
        aria-valuetext={progress ? `${grouped(progress.states)} worlds` : 'beginning'}
      />
      <p class="check-hint numbers">{progress ? progressText(progress) : 'Beginning …'}</p>
    </>
  );
}

export function progressText({ states, transitions, depth, seconds }: CheckProgress): string {
  const speed = seconds > 0.2 ? `, ${grouped(Math.round(states / seconds))} worlds/s` : '';
  return `${grouped(states)} worlds, ${grouped(transitions)} transitions, depth ${depth}, ${duration(seconds)}${speed}`;
}
