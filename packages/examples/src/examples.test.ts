/** Runs the built programs (`npm run build`) as a reader does, and checks their output. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';

const sources = readdirSync(new URL('.', import.meta.url)).filter(
  (file) => !file.endsWith('.test.ts'),
);

/** The output of the example. It must end with exit code 0. */
async function printed(example: string, ...options: string[]): Promise<string> {
  const program = fileURLToPath(new URL(`../dist/${example}.js`, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...options], {
    env: { ...process.env, NO_COLOR: '1' },
  });
  return stdout;
}

describe('the examples', () => {
  const page = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

  it.each(sources)('%s is in the table of the README', (file) => {
    expect(page).toContain(`[\`${file}\`](src/${file})`);
  });

  // abilene.ts is not an example: `npm start` runs it.
  it.each(sources.filter((file) => file !== 'abilene.ts'))('%s has at most 100 lines', (file) => {
    const lines = readFileSync(new URL(file, import.meta.url), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines.length).toBeLessThanOrEqual(100);
  });
});

proof('abilene violates no property, and measures exactly 2(n−1) messages per entry', async () => {
  const text = await printed('abilene');
  expect(text).toMatch(/│ Ricart–Agrawala +│ 220 +│ 20\.00 +│ 2\(n−1\) = 20 +│/);
  expect(text).toMatch(/│ Raymond .+│ 220 +│ [23]\.\d\d +│/);
  expect(text).not.toContain('✗');
});

describe('worker-lock', () => {
  it('loses no update with the lock', async () => {
    expect(await printed('worker-lock')).toBe(
      '3 workers × 20 rounds = 60; counted with the lock: 60\n',
    );
  });

  proof('loses updates without it', async () => {
    const counted = async () => {
      const text = await printed('worker-lock', '--without-lock');
      return Number(/= 60; counted without the lock: (\d+)\n$/.exec(text)?.[1]);
    };
    // on a slow machine one worker may end before the next one has started
    let left = 60;
    while (left === 60) left = await counted();
    expect(left).toBeLessThan(60);
  });
});

proof(
  'once does no tick twice, and loses none that no rule names, although its leader is killed twenty times',
  async () => {
    expect(await printed('once')).toMatch(
      /^20 kills, \d{2,} ticks: 0 done twice, \d+ cut short by a kill, 0 lost otherwise\n$/,
    );
  },
);

describe('worker-scheduler', () => {
  const rowsOf = (text: string) =>
    new Map(
      [...text.matchAll(/^([a-e]) {2}(.*)$/gm)].map(([, self = '', row = '']) => [self, row]),
    );

  proof('has a next scheduler after the first one was killed', async () => {
    const text = await printed('worker-scheduler');
    const rows = rowsOf(text);
    for (const self of ['a', 'b', 'c']) expect(rows.get(self)).toMatch(/e+·+.*d+$/);
    expect(rows.get('d')).toMatch(/e+·+.*D+$/);
    expect(rows.get('e')).toMatch(/E+$/);
    const [, first = '', second = ''] =
      text.match(/jobs by e in term (\d+)\n5 jobs by d in term (\d+)\n$/) ?? [];
    expect(Number(second)).toBeGreaterThan(Number(first));
  });

  proof('has none by an election that needs every node', async () => {
    const text = await printed('worker-scheduler', '--ring');
    const rows = rowsOf(text);
    for (const self of ['a', 'b', 'c', 'd']) expect(rows.get(self)).toMatch(/e+·{9,}$/);
    expect(text).toMatch(/jobs by e in term \d+\n$/);
  });
});

proof(
  'worker-counter has the same views and values at all workers, without the one that was killed, and with the one that joined',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'counter-'));
    const file = join(folder, 'counter.svg');
    const text = await printed('worker-counter', '--svg', file);
    const svg = readFileSync(file, 'utf8');
    rmSync(folder, { recursive: true });
    const of = (self: string) =>
      [...text.matchAll(new RegExp(`^${self} +(\\S+)(?: from \\w)? +(\\w+)`, 'gm'))].map(
        ([, call, members]) => ({ call, members }),
      );
    const views = (self: string) =>
      of(self)
        .filter(({ call = '' }) => call.startsWith('view'))
        .map(({ call, members }) => `${call} ${members}`);
    expect(views('a')).toEqual(['view(1) abc', 'view(2) ab', 'view(3) abd']);
    expect([views('b'), views('c'), views('d')]).toEqual([
      views('a'),
      ['view(1) abc'],
      ['view(3) abd'],
    ]);
    const values = ['a', 'b', 'd'].map(
      (self) => of(self).find(({ call = '' }) => call.startsWith('end'))?.call,
    );
    expect(values[0]).toMatch(/^end\(\d+\)$/);
    expect(new Set(values).size).toBe(1);
    expect(text).toMatch(/^c +crash$/m);
    expect(svg).toMatch(/^<svg .*class="space-time"/);
    expect(svg).toContain('increment(d1)');
  },
);

proof('play-ping-pong prints a run and the verdicts', async () => {
  const text = await printed('play-ping-pong');
  expect(text).toMatch(/pong +ball\(3\) from ping +playing → holding\n/);
  expect(text).toContain('always there is exactly one ball: holds\n');
  expect(text).toMatch(/\nsometimes .+: reached\n$/);
});

describe('read-a-protocol', () => {
  let page = '';
  it('prints the page of a protocol, with its chart and a run', async () => {
    page = await printed('read-a-protocol');
    expect(page).toMatch(/^# Raymond/);
    expect(page.match(/(?<=^<summary>).+(?=<\/summary>$)/gm)).toEqual([
      'Facts',
      'Statechart',
      'Messages',
      'Commands',
      'Properties',
      'The run as text',
    ]);
    expect(page).toMatch(/wanted → held/);
  });

  it('prints only the chart', async () => {
    const chart = await printed('read-a-protocol', '--chart');
    expect(chart).toMatch(/^stateDiagram-v2\n/);
    expect(page).toContain(chart.trimEnd());
  });
});

proof(
  'tennis-court lets players without an overlap play at once, and players with an overlap wait',
  async () => {
    const text = await printed('tennis-court');
    const rows = [
      ...text.matchAll(
        /│ (\w+) +│ ([\d.]+ – [\d.]+) +│ at \d+ ms +│ from (\d+) to (\d+) ms +│ ([a-z, ]*?) +│/g,
      ),
    ];
    const had = new Map(
      rows.map(([, who = '', court, from, to, beside]) => [
        who,
        { court, from: Number(from), to: Number(to), beside },
      ]),
    );
    expect([...had.keys()].sort()).toEqual(['anna', 'bert', 'cleo', 'dora']);
    const [anna, bert, cleo] = ['anna', 'bert', 'cleo'].map((who) => had.get(who));
    expect(anna).toMatchObject({ court: '10.28 – 12.17' });
    expect(cleo?.from).toBeGreaterThanOrEqual(bert?.to ?? Infinity);
    expect(bert?.from).toBeGreaterThanOrEqual(anna?.to ?? Infinity);
    expect(anna?.beside).toBe('dora');
    expect(text).toContain('\nno two nodes hold conflicting intervals at once: holds\n');
    expect(text).not.toContain('violated');
  },
);

proof('lossy-lock is stuck on lossy channels, and completes with retransmission', async () => {
  const [bare = '', reliable = ''] = (await printed('lossy-lock')).split(/^(?=with )/m);
  expect(bare).toMatch(/^bare: ([0-9]|1[0-9]) of 20 entries/);
  expect(bare).toContain('every node that wants to enter eventually enters: violated\n');
  expect(reliable).toMatch(/^with retransmission: 20 of 20 entries, 120 messages/);
  expect(reliable).toContain('every node that wants to enter eventually enters: holds\n');
  for (const text of [bare, reliable])
    expect(text).toContain('at most one node is in the critical section: holds\n');
});
