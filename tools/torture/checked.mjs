/** A run, and what the checker finds in its logs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check } from './check.mjs';
import { checkJournals } from './conformance.mjs';
import { media } from './media.mjs';

/** Runs it, ends all its processes, and checks its logs. */
export async function checked(run) {
  try {
    await run.all();
  } catch (error) {
    run.fail(error.stack ?? String(error));
    run.log('ended');
  }
  const seconds = (Date.now() - run.started) / 1000;
  const survivors = await run.close();
  const { medium, protocol, nodes, names, conditions, calm, seed } = run.options;
  const { hasBroker, server: hasServer } = media[medium];
  const facts = {
    ...{ medium, protocol, nodes, names: run.names, jobs: run.jobs, conditions, calm, seed },
    hasBroker,
  };
  const seen = {
    counts: run.counts,
    failures: run.failures,
    survivors,
    processes: run.processes,
    // as the checker sees them: a process that is killed at any time is inside, waiting or idle
    expected: run.kinds.filter(
      (kind) => !['kill-written', 'kill-anytime', 'kill-ticking'].includes(kind),
    ),
  };
  writeFileSync(join(run.folder, 'run.json'), JSON.stringify({ ...facts, ...seen }));
  const found = check(run.folder);
  if (run.failures.length === 0)
    checkJournals(
      {
        folder: run.folder,
        nodes,
        names: run.journaled,
        protocol,
        newcomer: run.newcomer?.replace(' ', '.'),
      },
      found,
    );
  return { seconds, names, rounds: run.rounds, hasBroker, server: hasServer?.(), ...found };
}
