/** Jobs that run once among the processes at each tick, beside the entries and under the same faults. */
import { join } from 'node:path';
import { fileStore } from '@conclave/coordination/node';
import { once } from '@conclave/coordination/once';
import { between, pause } from './random.mjs';

/** The time from one tick to the next, and how long a job takes, in milliseconds. */
const every = 50;
const duration = 15;
/**
 * @param locks by the name of the job
 * @param reached resolves when the harness lets a job go on that it wanted to be here
 * @returns what stops them all
 */
export function startJobs(locks, { folder, store, log, due, reached, report }) {
  const ticks = fileStore(join(folder, 'ticks'));
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

// Changes of the voters of a lock, by its own processes, while they have entries and faults.

/** How many vote; of five nodes. */
const least = 3;
/** What a change may end with: the lock is lost, or too many do not answer. */
const expected = ['lost', 'timed-out'];

/** @param reached what to do in the middle of the change, such as to be killed; or undefined */
export async function changeVoters(lock, { name, nodes, protocol, random, log, report, reached }) {
  const { add, remove } = aChange(lock.voters, nodes, random);
  log('changing', name, listed(add), listed(remove));
  const changed = lock.changeVoters({ add, remove }, { waitFor: 10 * protocol.lease }).then(
    (voters) => ['changed', listed(voters)],
    (error) => {
      if (!expected.includes(error.code)) report(error);
      return ['unchanged', error.code];
    },
  );
  // one that is killed there has not heard how the change ends
  if (reached) await pause(between(random, 0, protocol.lease / 10)).then(reached);
  const [how, outcome] = await changed;
  log(how, name, outcome);
}

/** One more, one less, or another one. */
function aChange(voters, nodes, random) {
  const others = nodes.filter((node) => !voters.includes(node));
  const add = others.length > 0 ? [random.pick(others)] : [];
  const remove = voters.length > least || add.length > 0 ? [random.pick(voters)] : [];
  if (voters.length === least && random.chance(0.5)) return { add, remove: [] };
  if (voters.length > least && random.chance(0.5)) return { add: [], remove };
  return { add, remove };
}

const listed = (nodes) => nodes.join(',') || '-';
