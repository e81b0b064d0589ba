/**
 * Whether the processes took the steps that their machines take: `conform` on some of their
 * journals.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { conform } from '@conclave/check/conform';
import { complete } from '@conclave/core/topology';
import { protocolOf } from './locks.mjs';

/**
 * Adds to what the checker has found. The properties of a lock with leases are about time, which
 * journals do not have, and they assume that no process pauses; the logs tell those. The process
 * that was refused, `newcomer`, has never started.
 */
export function checkJournals({ folder, nodes, names, protocol, newcomer }, found) {
  const options = { cuts: 0, ...(protocol.kill && { properties: [] }) };
  const journals = { names: names.length, files: 0, steps: 0, broken: 0, sent: 0, delivered: 0 };
  for (const name of names) {
    const journalsOfName = join(folder, 'journals', name);
    const files = readdirSync(journalsOfName)
      .filter((file) => file !== `${newcomer}.journal`)
      .map((file) => ({ name: file, text: readFileSync(join(journalsOfName, file), 'utf8') }));
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
