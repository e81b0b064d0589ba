/**
 * A short run of the torture (`npm run torture`), and the mutation test of its checker: logs that
 * were changed by hand are refused.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isWhole, proof } from '@conclave/tools/sample';
import { afterAll, beforeAll, describe, expect } from 'vitest';

const program = (file: string) =>
  fileURLToPath(new URL(`../../../tools/torture/${file}`, import.meta.url));

interface Outcome {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

const run = (file: string, ...options: string[]): Promise<Outcome> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [program(file), ...options],
      { maxBuffer: 2 ** 26, timeout: 600_000 },
      (error, output, errors) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, output, errors }),
    );
  });

/** Words of one line of a log. */
type Words = readonly string[];
type Edit = (lines: readonly Words[]) => readonly Words[];

/** What is changed in the logs, and what the checker then says. */
const mutants: readonly {
  readonly name: string;
  readonly file: string;
  readonly edit: Edit;
  readonly says: RegExp;
  /** Whose logs. Default `leased`. */
  readonly of?: 'clients' | 'voters';
}[] = [
  {
    name: 'a write of a value that was there before',
    file: 'store.log',
    edit: (lines) => nth(lines, isWrite, 3, (line) => line.with(7, String(Number(line[7]) - 1))),
    says: /an update is lost/,
  },
  {
    name: 'a write is missing',
    file: 'store.log',
    edit: (lines) => nth(lines, isWrite, 3),
    says: /an update is lost|does not know it/,
  },
  {
    name: 'the last write is missing',
    file: 'store.log',
    edit: (lines) => lines.toSpliced(lines.findLastIndex(isWrite), 1),
    says: /its file says/,
  },
  {
    name: 'the store accepts a token that is too small',
    file: 'store.log',
    edit: (lines) => nth(lines, isWrite, 9, (line) => line.with(6, '0')),
    says: /the store has accepted 0 after/,
  },
  {
    name: 'two entries with one token',
    file: 'entries.log',
    edit: (lines) => {
      const first = lines.find(([, what, , , name]) => what === 'enter' && name === 'n0') ?? [];
      return [...lines.slice(0, -1), first.with(0, lines.at(-1)?.[0] ?? ''), ...lines.slice(-1)];
    },
    says: /two entries with the token|enters without having waited/,
  },
  {
    name: 'two inside',
    file: 'entries.log',
    edit: (lines) => {
      const its = lines.filter(
        ([, what, , , name]) => name === 'n0' && (what === 'enter' || what === 'leave'),
      );
      const at = its.findIndex(
        ([, what, node], index) =>
          index > 6 &&
          what === 'enter' &&
          its[index - 1]?.[1] === 'leave' &&
          its[index - 1]?.[2] !== node,
      );
      const early = String(Number(its[at - 1]?.[0]) - 50);
      return lines
        .filter(([, what]) => what !== 'stall')
        .map((line) => (line === its[at] ? line.with(0, early) : line));
    },
    says: /is inside, ends by/,
  },
  {
    name: 'a process starves',
    file: 'entries.log',
    edit: (lines) =>
      lines.filter(
        ([, what, node, , name]) =>
          !(node === 'b' && name === 'n1' && (what === 'enter' || what === 'leave')),
      ),
    says: /b does not enter n1 within/,
  },
  {
    name: 'nobody enters',
    file: 'entries.log',
    edit: () => [],
    says: /uses the token of n0 \d+ without an entry/,
  },
  { name: 'nothing is stored', file: 'store.log', edit: () => [], says: /Nothing was counted/ },
  {
    name: 'a process reports an error',
    file: 'entries.log',
    edit: (lines) => [
      ...lines,
      [lines.at(-1)?.[0] ?? '', 'error', 'a', '1', '-', 'unhandled', 'something'],
    ],
    says: /A process reports: unhandled something/,
  },
  {
    name: 'a broken line',
    file: 'entries.log',
    edit: (lines) => lines.toSpliced(5, 1, ['?']),
    says: /is no line of a log/,
  },
  {
    name: 'a tick is done twice',
    file: 'store.log',
    edit: (lines) => [...lines, lines.find(isTick) ?? []],
    says: /the tick \d+ is done twice/,
  },
  {
    name: 'a tick is lost',
    file: 'store.log',
    edit: (lines) => nth(lines, isTick, 1),
    says: /the tick \d+ is lost/,
  },
  {
    name: 'no ticks',
    file: 'store.log',
    edit: (lines) => lines.filter(([, op]) => op !== 'tick'),
    says: /The job job0 never ran/,
  },
  {
    name: 'no pauses',
    file: 'harness.log',
    edit: (lines) => lines.filter(([, , , kind]) => !kind?.startsWith('stop')),
    says: /The fault stop-inside never hit/,
  },
  {
    name: 'no times without faults',
    file: 'harness.log',
    edit: (lines) => lines.filter(([, what]) => !what?.startsWith('calm')),
    says: /whether everyone enters is unknown/,
  },
  {
    name: 'a time without faults before all have begun',
    file: 'harness.log',
    edit: (lines) => lines.filter(([, what]) => what !== 'begun'),
    says: /had begun before the first time/,
  },
  {
    name: 'a node that was added does not vote',
    file: 'entries.log',
    edit: (lines) => lines.map((line) => (line[1] === 'changing' ? line.with(5, 'z') : line)),
    says: /adds z and removes .* vote/,
    of: 'voters',
  },
  {
    name: 'a node that was removed votes',
    file: 'entries.log',
    edit: (lines) =>
      lines.map((line) => (line[1] === 'changed' ? line.with(5, 'a,b,c,d,e') : line)),
    says: /removes \w, and then a,b,c,d,e vote/,
    of: 'voters',
  },
  {
    name: 'no change of voters',
    file: 'entries.log',
    edit: (lines) => lines.filter(([, what]) => what !== 'changed'),
    says: /The voters of n0 never changed/,
    of: 'voters',
  },
  {
    name: 'voters that no majority knows',
    file: 'entries.log',
    edit: (lines) =>
      lines.map((line) => (line[1] === 'voters' ? line.with(5, `${line[2]},x,y`) : line)),
    says: /no voters are known to a majority of them/,
    of: 'voters',
  },
  {
    name: 'no change is cut short',
    file: 'harness.log',
    edit: (lines) => lines.filter(([, , , kind]) => kind !== 'kill-changing'),
    says: /The fault kill-changing never hit/,
    of: 'voters',
  },
  {
    name: 'a token of a server or a client comes twice',
    file: 'entries.log',
    edit: (lines) => {
      const [first, second] = lines.filter(([, what]) => what === 'enter');
      return lines.map((line) => (line === second ? line.with(5, first?.[5] ?? '') : line));
    },
    says: /two entries with the token/,
    of: 'clients',
  },
  {
    name: 'an update of a client is lost',
    file: 'store.log',
    edit: (lines) => nth(lines, isWrite, 3, (line) => line.with(7, String(Number(line[7]) - 1))),
    says: /an update is lost/,
    of: 'clients',
  },
  {
    name: 'no client is killed',
    file: 'harness.log',
    edit: (lines) => lines.filter(([, , , kind]) => !kind?.startsWith('kill')),
    says: /The fault kill-client never hit/,
    of: 'clients',
  },
  {
    name: 'no client leaves',
    file: 'harness.log',
    edit: (lines) => lines.filter(([, , , kind]) => kind !== 'leave-client'),
    says: /The fault leave-client never hit/,
    of: 'clients',
  },
  {
    name: 'no end',
    file: 'harness.log',
    edit: (lines) => lines.filter(([, what]) => what !== 'ended'),
    says: /The run has not ended/,
  },
];

const isTick = ([, op, , , , answer]: Words): boolean => op === 'tick' && answer === 'accepted';
const isWrite = ([, op, , , , answer]: Words): boolean => op === 'write' && answer === 'accepted';

/** Replaces the `n`-th line for which `is` holds, or leaves it out. */
function nth(
  lines: readonly Words[],
  is: (line: Words) => boolean,
  n: number,
  change?: (line: Words) => Words,
): readonly Words[] {
  const index = lines.indexOf(lines.filter(is)[n] ?? []);
  return change
    ? lines.map((line, at) => (at === index ? change(line) : line))
    : lines.filter((_, at) => at !== index);
}

describe('torture', () => {
  const folderOf = (protocol: string) => join(temporary, `tcp-${protocol}`);
  const temporary = mkdtempSync(join(tmpdir(), 'conclave-torture-test-'));
  let outcome: Outcome;
  beforeAll(async () => {
    if (!isWhole) return;
    outcome = await run(
      'torture.mjs',
      '--short',
      '--only',
      'tcp',
      '--protocols',
      'leased,clients,voters,naimi-trehel,followers',
      '--json',
      '--keep',
      '--folder',
      temporary,
    );
  });
  afterAll(() => rmSync(temporary, { recursive: true }));

  proof('finds nothing', () => {
    expect(outcome, outcome.errors).toMatchObject({ code: 0 });
    const { runs, elections } = JSON.parse(outcome.output);
    expect(runs).not.toHaveLength(0);
    expect(elections).toMatchObject([{ medium: 'tcp', violations: [] }]);
    expect(elections[0].shown).toBeGreaterThan(0);
    for (const { entries, violations, missing } of runs) {
      expect(violations).toEqual([]);
      expect(missing).toEqual([]);
      expect(entries).toBeGreaterThanOrEqual(2 * 3 * 4); // twice, each process under each name
    }
  });

  proof.for(['postgres-row,redis-row,nats-row', 'file-row', 'sqlite-row'])(
    'finds nothing in rows of stores that are down now and then, with clocks that jump: %s',
    async (stores, { skip }) => {
      const { code, output, errors } = await run(
        'torture.mjs',
        ...['--short', '--only', stores, '--protocols', 'row', '--json'],
      );
      skip(/is not installed/.test(errors), errors);
      expect(code, errors).toBe(0);
      for (const { violations, missing, faults } of JSON.parse(output).runs)
        expect([violations, missing, faults['clock-ahead'] > 0]).toEqual([[], [], true]);
    },
  );

  proof('finds nothing in elections whose leader is killed, paused or cut off', async () => {
    const { code, output, errors } = await run(
      'torture.mjs',
      ...['--elections', '--only', 'bully,lease', '--kills', '3', '--json'],
    );
    expect(code, errors).toBe(0);
    const { runs } = JSON.parse(output);
    expect(runs).toMatchObject([
      { kind: 'bully', violations: [] },
      { kind: 'lease', violations: [] },
    ]);
    for (const { takeovers, ticks, interruptions } of runs) {
      expect([takeovers.length, interruptions]).toEqual([3, 1]);
      expect(ticks).toBeGreaterThan(0);
    }
  });

  proof('refuses logs that were changed', async () => {
    const copies = mutants.map(({ name, file, edit, of = 'leased' }, index) => {
      const copy = join(temporary, `mutant-${index}`);
      cpSync(folderOf(of), copy, { recursive: true });
      const lines = readFileSync(join(copy, file), 'utf8').split('\n').slice(0, -1);
      const changed = edit(lines.map((line) => line.split(' '))).map(
        (words) => `${words.join(' ')}\n`,
      );
      expect(changed, name).not.toEqual(lines.map((line) => `${line}\n`));
      writeFileSync(join(copy, file), changed.join(''));
      return copy;
    });
    const { code, output } = await run('check.mjs', ...copies);
    const found = JSON.parse(output);
    expect(code).toBe(1);
    mutants.forEach(({ name, says }, index) => {
      const { violations, missing } = found[index];
      expect([...violations, ...missing].join('\n'), name).toMatch(says);
    });
  });
});
