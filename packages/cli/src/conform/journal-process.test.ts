/**
 * What journals hold when their process is killed, exits, or may not write any more: three nodes of
 * a lock in a process of their own.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Conformed, conform } from '@conclave/check/conform';
import { complete } from '@conclave/core/topology';
import { protocolOf } from '@conclave/tools/catalogue';
import { proof } from '@conclave/tools/sample';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { journalsIn } from '../commands/conform.js';

let folder = '';
let child: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
});
afterEach(() => {
  child?.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

const moduleUrl = (name: string) => JSON.stringify(import.meta.resolve(name));

/**
 * Starts the nodes a, b and c with journals; `a` enters and leaves by `enter()`, and `say` tells
 * the test.
 */
function start(options: string, program: string, limit?: number): ChildProcess {
  const source = `
    import { execFileSync } from 'node:child_process';
    import { writeSync } from 'node:fs';
    import { ricartAgrawala } from ${moduleUrl('@conclave/algorithms')};
    import { lock } from ${moduleUrl('@conclave/coordination')};
    import { memoryNetwork } from ${moduleUrl('@conclave/core/embedding')};
    import { fileJournal } from ${moduleUrl('@conclave/core/embedding/node')};
    const say = (text) => writeSync(1, text + '\\n');
    const errors = [];
    const nodes = ['a', 'b', 'c'];
    const network = memoryNetwork(nodes);
    const [a, b, c] = nodes.map((self) => lock(ricartAgrawala, {
      self, peers: nodes.filter((id) => id !== self), transport: network.transport(self),
      journal: fileJournal(${JSON.stringify(folder)}, self, self === 'a' ? ${options} : { flushAfter: 1e8, buffer: 256 }),
      onError: (error) => errors.push(error),
    }));
    const enter = async () => (await a.acquire()).release();
    ${program}`;
  const command = [process.execPath, '--input-type=module', '-e', source];
  const [file = '', ...rest] =
    limit === undefined ? command : ['prlimit', `--fsize=${limit}:unlimited`, ...command];
  child = spawn(file, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  return child;
}

async function ended(process: ChildProcess): Promise<string> {
  let text = '';
  process.stdout?.on('data', (piece) => {
    text += String(piece);
  });
  await once(process, 'close');
  return text;
}

function conformed(): Conformed {
  return conform(protocolOf('A3'), complete(['a', 'b', 'c']), journalsIn(folder).journals);
}

const textOf = (node: string) => readFileSync(join(folder, `${node}.1.journal`), 'utf8');

it('a killed process leaves prefixes that conform', async () => {
  const killed = start(
    '{ flushAfter: 1e8, buffer: 1000 }',
    'for (let entries = 1; ; entries++) { await enter(); if (entries === 50) say("50"); }',
  );
  if (!killed.stdout) throw new Error('it has no output');
  await once(killed.stdout, 'data');
  killed.kill('SIGKILL');
  expect(await once(killed, 'close')).toEqual([null, 'SIGKILL']);
  const { verdict, complaints, journals } = conformed();
  expect([verdict, complaints]).toEqual(['conforms', []]);
  expect(journals.map(({ node, end, steps }) => [node, end, steps > 30])).toEqual(
    ['a', 'b', 'c'].map((node) => [node, 'open', true]),
  );
});

proof('a process that exits by itself writes all its lines', async () => {
  expect(
    await ended(
      start(
        '{ flushAfter: 1e8 }',
        'for (let n = 0; n < 5; n++) await enter(); say("done"); process.exit(3);',
      ),
    ),
  ).toBe('done\n');
  const { verdict, journals, messages } = conformed();
  expect([verdict, messages.sent, messages.delivered]).toEqual(['conforms', 20, 20]);
  expect(journals.map(({ end, steps }) => [end, steps])).toEqual([
    ['open', 21],
    ['open', 6],
    ['open', 6],
  ]);
});

const untilError = 'let before = 0; for (; errors.length === 0; before++) await enter();';
const report =
  'say(JSON.stringify(errors.map(({ code, message }) => [code, message.slice(0, 11), message.includes("EFBIG")])));';

proof.runIf(process.platform === 'linux')(
  'a file that may not grow: the node goes on, and the journal says its gap',
  async () => {
    const freed = "execFileSync('prlimit', ['--pid', String(process.pid), '--fsize=unlimited']);";
    const program = `${untilError} await enter(); ${freed} await enter(); await a.close(); await b.close(); await c.close(); say(before > 2); say(errors.every(({ code, message }) => code === 'unavailable' && message.includes('EFBIG')));`;
    expect(await ended(start('{ flushAfter: 1e8, buffer: 256 }', program, 3000))).toBe(
      'true\ntrue\n',
    );
    const text = textOf('a');
    const [before = '', after = ''] = text.split(/(?:^# gap: .*\n)+/m);
    const kept = Buffer.byteLength(before);
    // whole lines, up to the limit
    expect([kept > 2700, kept < 3000, before.endsWith('\n')]).toEqual([true, true, true]);
    const lost = [...text.matchAll(/^# gap: (\d+) EFBIG/gm)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
    expect(lost).toBeGreaterThan(3);
    const steps = text.match(/^a {2}/gm)?.length ?? 0;
    expect([after.startsWith('a  '), text.split('\n').at(-2)]).toEqual([
      true,
      `# closed: ${steps + lost}`,
    ]);
    const { verdict, complaints, notes } = conformed();
    expect([verdict, complaints, notes.join('\n')]).toEqual([
      'incomplete',
      [],
      expect.stringContaining('lines are lost'),
    ]);
  },
);

proof.runIf(process.platform === 'linux')(
  'a required journal that may not grow stops its node',
  async () => {
    const program = `${untilError.replace('await enter()', 'await enter().catch(() => {})')}
    ${report} await a.acquire().catch(({ code }) => say(code)); process.exit(0);`;
    const text = await ended(
      start('{ flushAfter: 1e8, buffer: 256, required: true }', program, 3000),
    );
    expect(text).toMatch(/^\[\["unavailable","The journal",true\].*\]\nclosed\n$/);
  },
);
