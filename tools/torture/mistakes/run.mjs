/** `npm run torture -- --mistakes`: runs each mistake over each transport, and prints a table. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mistakes } from './mistakes.mjs';
import { Site } from './site.mjs';

/** The transports over which they run, where none are named. */
const usual = ['tcp', 'nats', 'websocket'];

/** By what must happen. */
const outcomes = { 'refused by name': 'refused', 'waits, and names it': 'waits' };

/**
 * Prints the results, and returns whether all is as it must be.
 * @param chosen the transports that were named, if any
 * @param numbers of the mistakes; default: all
 */
export async function runMistakes({
  chosen,
  short,
  numbers,
  json,
  record,
  machine,
  command,
  folder = mkdtempSync(join(tmpdir(), 'conclave-mistakes-')),
}) {
  const runs = [];
  const wanted = [...mistakes.entries()].filter(
    ([, mistake]) => (!short || mistake.short) && (numbers?.includes(mistake.number) ?? true),
  );
  for (const medium of chosen ?? usual)
    for (const [index, mistake] of wanted) {
      const { number, name, common } = mistake;
      const title = `${medium}, ${common.protocol}: ${name}`;
      showProgress(title);
      const run = {
        medium,
        number,
        of: common.protocol,
        mistake: name,
        ...(await outcome(mistake, medium, join(folder, `${medium}-${index}`), { short })),
      };
      runs.push(run);
      for (const missing of run.missing) console.error(`${title}: missing: ${missing}`);
    }
  showProgress('');
  const good = runs.length > 0 && runs.every(isGood);
  const results = { date: new Date().toISOString(), machine, command, runs };
  console.log(json ? JSON.stringify(results, null, 2) : table(runs));
  if (good) rmSync(folder, { recursive: true, force: true });
  else console.error(`The logs are in ${folder}`);
  if (record && good)
    writeFileSync(new URL('../../../docs/mistakes.md', import.meta.url), pageOf(results));
  if (record && !good) console.error('Not recorded: a run failed.');
  return good;
}

/** Replaces the line on a terminal. */
function showProgress(text) {
  const { isTTY, columns = 120 } = process.stderr;
  if (isTTY) process.stderr.write(`\r${text.slice(0, columns - 1)}\x1b[K`);
}

async function outcome({ common, run }, medium, folder, options) {
  const site = new Site(medium, folder, common);
  try {
    await site.open();
    const expected = await run(site, options);
    return {
      ...site.judged(),
      judges: common.judges ?? ['overlaps', 'repeated', 'smaller'],
      missing: Object.keys(expected).filter((what) => !expected[what]),
      outcome: Object.entries(outcomes).find(([what]) => what in expected)?.[1] ?? 'tolerated',
    };
  } catch (error) {
    return {
      entries: 0,
      overlaps: 0,
      repeated: 0,
      smaller: 0,
      missing: [error.stack ?? String(error)],
      outcome: 'failed',
    };
  } finally {
    await site.close();
  }
}

const isGood = ({ judges = [], missing, ...found }) =>
  missing.length === 0 && judges.every((what) => found[what] === 0);

const titles = [
  '',
  'mistake',
  'lock or election',
  'transport',
  'outcome',
  'entries',
  'overlaps',
  'tokens repeated',
  'tokens smaller',
];

function table(runs) {
  const told = (run) =>
    ['overlaps', 'repeated', 'smaller'].map((what) =>
      run.judges?.includes(what) ? run[what] : `(${run[what]})`,
    );
  const rows = runs.map((run) => [
    run.number,
    run.mistake,
    run.of,
    run.medium,
    run.outcome,
    run.entries,
    ...told(run),
  ]);
  return [titles, titles.map(() => '---'), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}

const pageOf = ({ date, machine: { cores, cpu, node }, command, runs }) => `# Mistakes of operation

Recorded by \`${command}\`, do not edit. Real processes, on ${date.slice(0, 10)}: ${cores} cores (${cpu}), Node ${node}. *Refused*: a process said by name what was wrong, and took no part. *Waits*: no node enters, and the error names those that it waits for. *Tolerated*: all entered eventually. In no case two were inside at once, and no token came twice or was smaller than one before. By \`bully\`, whose terms are no fencing tokens, the numbers in brackets are not judged. What to do about each: [operations.md](operations.md).

${table(runs)}
`;
