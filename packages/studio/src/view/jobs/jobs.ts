import { effect } from '@preact/signals';
import type { Setup } from '../../link/setup.js';
import { ownProtocol } from '../../model/own.js';
import { Job } from '../../worker/job.js';
import { session, setupText } from '../studio.js';

/** The jobs about one setup; kept, so that a user who follows a counterexample finds them again. */
interface Jobs {
  readonly check: Job<'check'>;
  readonly graph: Job<'graph'>;
  readonly paths: Job<'paths'>;
}

interface Kept {
  readonly jobs: Jobs;
  /** Of a user's own protocol: its module, which may be replaced by another of the same name. */
  readonly source: string | undefined;
}

/** Older results are forgotten: traces and graphs take memory. */
const most = 24;

const kept = new Map<string, Kept>();

/** The jobs about a setup: one of each kind. */
export function jobsOf(setup: Setup): Jobs {
  const key = setupText(setup);
  const source = ownProtocol(setup.protocol)?.source;
  const before = kept.get(key);
  kept.delete(key);
  const isCurrent = before?.source === source;
  if (before && !isCurrent) stop(before);
  const found =
    before && isCurrent
      ? before
      : {
          jobs: {
            check: new Job('check', setup),
            graph: new Job('graph', setup),
            paths: new Job('paths', setup),
          },
          source,
        };
  kept.set(key, found); // the last one is the newest
  for (const [oldest, one] of kept) {
    if (kept.size <= most) break;
    stop(one);
    kept.delete(oldest);
  }
  return found.jobs;
}

function stop({ jobs }: Kept): void {
  for (const job of Object.values(jobs)) job.stop();
}

let last: string | undefined;

/** A session that is closed needs no results: its workers end. */
effect(() => {
  const setup = session.value?.system.setup;
  const key = setup && setupText(setup);
  if (key === last) return;
  last = key;
  for (const [other, one] of kept) if (other !== key) stop(one);
});
