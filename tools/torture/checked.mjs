/** A run, and what the checker finds in its logs. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conform } from '@conclave/check/conform';
import { complete } from '@conclave/core/topology';
import { check } from './check.mjs';
import { protocolOf } from './locks.mjs';
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

// Whether the processes took the steps that their machines take: `conform` on the journals of some
// of the names.

/**
 * Adds to what the checker has found. The properties of a lock with leases are about time, which
 * journals do not have, and they assume that no process pauses; the logs tell those. The process
 * that was refused, `newcomer`, has never started.
 */
function checkJournals({ folder, nodes, names, protocol, newcomer }, found) {
  const options = { cuts: 0, ...(protocol.kill && { properties: [] }) };
  const journals = { names: names.length, files: 0, steps: 0, broken: 0, sent: 0, delivered: 0 };
  for (const name of names) {
    const its = join(folder, 'journals', name);
    const files = readdirSync(its)
      .filter((file) => file !== `${newcomer}.journal`)
      .map((file) => ({ name: file, text: readFileSync(join(its, file), 'utf8') }));
    const {
      verdict,
      complaints,
      notes,
      steps,
      messages,
      journals: read,
    } = conform(protocolOf(protocol), complete(nodes), files, options);
    journals.files += files.length;
    journals.steps += steps;
    journals.sent += messages.sent;
    journals.delivered += messages.delivered;
    journals.broken += read.filter(({ end }) => end === 'broken').length;
    if (verdict === 'conforms') continue;
    for (const { kind, file, line, text, what } of complaints.slice(0, 3))
      found.violations.push(
        `The journals of ${name} do not conform: ${kind} ${file}:${line ?? ''} ${what ?? text ?? ''}`,
      );
    if (verdict === 'incomplete')
      found.missing.push(
        `The journals of ${name} cannot be repeated as a whole: ${notes.join(' ')}`,
      );
  }
  if (names.length > 0 && journals.steps === 0) found.violations.push('The journals are empty');
  found.journals = journals;
}
