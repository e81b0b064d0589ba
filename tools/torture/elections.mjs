/**
 * `npm run torture -- --elections`: processes elect a leader, which ticks; the leader is killed
 * again and again, and starts again with its storage. See tools/torture/README.md.
 *
 * --kills N   of the leader, for each election. Default 200
 * --only LIST `bully`, `lease`, `followers`. Default: all
 * --json      prints the results as JSON
 * --record    writes docs/torture-elections.md and judges the time until another one leads
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { kinds, runElection, slack } from './election-run.mjs';
import { electionsPage, electionsTable } from './elections-report.mjs';
import { machine } from './plan.mjs';

const { values } = parseArgs({
  options: {
    elections: { type: 'boolean' },
    kills: { type: 'string', default: '200' },
    only: { type: 'string', default: Object.keys(kinds).join(',') },
    seed: { type: 'string', default: String(Date.now()) },
    json: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  },
});
const kills = Number(values.kills);
if (!(Number.isInteger(kills) && kills > 0))
  throw new Error(`--kills is a positive number, not '${values.kills}'`);
const results = { date: new Date().toISOString(), machine: machine(), kills, slack, runs: [] };
for (const kind of values.only.split(','))
  for (const medium of kinds[kind].media)
    results.runs.push(
      await runElection({ kind, medium, kills, seed: values.seed, strict: values.record }),
    );
console.log(values.json ? JSON.stringify(results) : electionsTable(results.runs));
const good = results.runs.every(({ violations }) => violations.length === 0);
if (good && values.record)
  writeFileSync(
    new URL('../../docs/torture-elections.md', import.meta.url),
    electionsPage(results),
  );
process.exit(good ? 0 : 1);
