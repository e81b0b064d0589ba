/** Jobs that run once among the processes at each tick, beside the entries and under the same faults. */
import { join } from 'node:path';
import { once } from '@conclave/algorithms/once';
import { fileTicks } from '@conclave/algorithms/once/node';
import { pause } from './random.mjs';

/** The time from one tick to the next, and how long a job takes, in milliseconds. */
const every = 50;
const duration = 15;
/**
 * @param locks by the name of the job
 * @param reached resolves when the harness lets a job go on that it wanted to be here
 * @returns what stops them all
 */
export function startJobs(locks, { folder, store, log, due, reached, report }) {
  const ticks = fileTicks(join(folder, 'ticks'));
  const jobs = [...locks].map(([name, lock]) => {
    const job = once(
      lock,
      name,
      { every },
      async ({ tick, token, signal }) => {
        log('began', name, token, tick.getTime());
        await pause(duration);
        let careful = true;
        if (due('ticking', name)) ({ careful } = await reached('ticking', name));
        if (careful && signal.aborted) return void log('dropped', name, token, tick.getTime());
        await store.tick(name, token, tick.getTime());
      },
      {
        ...{ store: ticks, catchUp: 'all' },
        // the lock is lost by the faults
        onError: (error) => error.code !== 'lost' && report(error),
      },
    );
    job.event$.subscribe(({ type, tick }) => {
      if (type === 'interrupted' || type === 'skipped') log(type, name, '-', tick?.getTime() ?? 0);
    });
    return job;
  });
  return () => Promise.all(jobs.map((job) => job.stop()));
}
