/**
 * `node tools/torture/check.mjs DIR …`: checks the logs of runs. It knows nothing but the logs; prints
 * what it found as JSON, and ends with code 1 where something is violated or the logs are not
 * complete.
 */
import { pathToFileURL } from 'node:url';
import { checkCalm, checkFaults, checkRefusal } from './check/faults.mjs';
import { checkOverlaps } from './check/overlaps.mjs';
import { readRun } from './check/read.mjs';
import { checkSpins } from './check/spins.mjs';
import { checkStore } from './check/store.mjs';
import { checkTicks } from './check/ticks.mjs';
import { checkVoters } from './check/voters.mjs';

/**
 * `violations`: what must not be; `missing`: why the run proves less than it should; the rest are
 * measurements.
 */
export function check(folder) {
  const found = { violations: [], missing: [] };
  const run = readRun(folder, found);
  checkStore(run, found);
  checkOverlaps(run, found);
  checkCalm(run, found);
  checkFaults(run, found);
  checkRefusal(run, found);
  checkTicks(run, found);
  checkSpins(run, found);
  checkVoters(run, found);
  return found;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const found = process.argv.slice(2).map(check);
  console.log(JSON.stringify(found, null, 2));
  process.exitCode = found.some(({ violations, missing }) => violations.length + missing.length > 0)
    ? 1
    : 0;
}
