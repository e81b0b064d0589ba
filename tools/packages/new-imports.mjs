/**
 * Rewrites the imports of programs that were written before locks, elections, groups and jobs had a
 * package of their own; goes with 0.2. Prints the files that it has changed.
 *
 * node tools/packages/new-imports.mjs FILE…
 */
import { readFileSync, writeFileSync } from 'node:fs';
import * as coordination from '@conclave/coordination';

/** By an entry of `@conclave/algorithms` that is gone: that of `@conclave/coordination`. */
const moved = new Map([
  ['lock/choice', ''],
  ['lock/worker', '/worker'],
  ['once/node', '/node'],
  ...['lock', 'locks', 'once', 'election', 'group', 'opentelemetry', 'prometheus'].map((entry) => [
    entry,
    `/${entry}`,
  ]),
]);
const types =
  'ClientSite Contender Delivery Election ElectionClient ElectionClientOptions ElectionOptions EntryTelemetry Group GroupOptions Health Held HeldAll Histogram Holders Leader Leadership LeaseElectionOptions LeaseTimes LeasedSemaphoreOptions Lock LockClientOptions LockMetrics LockOptions LockTelemetry Locks LocksOptions SemaphoreOptions SharedLock View VoterChange WaitOptions';
const names = new Set([...Object.keys(coordination), ...types.split(' ')]);
const nameIn = (part) =>
  part
    .replace(/^type /, '')
    .split(/ as /)[0]
    .trim();

/** The text of a program with the imports of now. */
export const rewritten = (text) =>
  text
    .replace(
      /(import|export)( type)? \{([^}]*)\} from (['"])@conclave\/algorithms\4;?/g,
      (_all, word, type = '', list, quote) => {
        const parts = list.split(',').flatMap((part) => part.trim() || []);
        const of = (isMoved, from) => {
          const chosen = parts.filter((part) => names.has(nameIn(part)) === isMoved);
          return chosen.length === 0
            ? []
            : [`${word}${type} { ${chosen.join(', ')} } from ${quote}${from}${quote};`];
        };
        return [...of(false, '@conclave/algorithms'), ...of(true, '@conclave/coordination')].join(
          '\n',
        );
      },
    )
    .replace(/(['"])@conclave\/algorithms\/([\w/]+)\1/g, (all, quote, entry) =>
      moved.has(entry) ? `${quote}@conclave/coordination${moved.get(entry)}${quote}` : all,
    );

for (const file of process.argv.slice(2)) {
  const text = readFileSync(file, 'utf8');
  if (rewritten(text) === text) continue;
  writeFileSync(file, rewritten(text));
  console.log(file);
}
