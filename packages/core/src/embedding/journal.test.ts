import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conform } from '@conclave/check/conform';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ballOver } from './ball.contract.js';
import { embed } from './embed.js';
import type { Journal } from './journal.js';
import { handStepped } from './memory.js';
import { fileJournal } from './node/file-journal.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function inMemory(): Journal & { readonly lines: string[] } {
  const lines: string[] = [];
  return { lines, append: (line) => void lines.push(line), close: async () => {} };
}

const pair = () => {
  const network = handStepped(['a', 'b']);
  const at = (self: string) => ({
    self,
    peers: [self === 'a' ? 'b' : 'a'],
    transport: network.transport(self),
    clock: network.clock(self),
  });
  return { network, at };
};

const ball = ballOver({ order: 'fifo', loss: false, duplication: false });

it('writes each step, and takes the label off what arrives', async () => {
  const { network, at } = pair();
  const [one, two] = [inMemory(), inMemory()];
  const a = embed(ball, { ...at('a'), journal: one, incarnation: 7 });
  const b = embed(ball, { ...at('b'), journal: two, incarnation: 2, choose: () => 'tails' });
  a.send({ type: 'throw' });
  expect(network.inFlight[0]?.message).toEqual({ type: 'ball', throws: 1, '#': '7.1' });
  network.deliver('a', 'b');
  b.send({ type: 'toss' });
  b.send({ type: 'name', name: 'Eve  | "x"' });
  b.send({ type: 'nap' });
  network.fire('b', network.timers('b')[0] ?? '');
  await a.close();
  await b.close();
  expect(
    two.lines
      .filter((line) => !line.startsWith('#'))
      .map((line) => line.slice(0, line.lastIndexOf(' state '))),
  ).toEqual([
    'b  start  without  | 2.1',
    'b  ball(1) from a  without → with  ⇒ notify caught(1)  | 2.2 from 7.1',
    'b  toss  with  ⇒ choose heads | tails  | 2.3',
    'b  chosen tails  with  | 2.4',
    'b  name("Eve  | \\"x\\"")  with  | 2.5',
    'b  nap  with → napping  ⇒ start 1000.ball.napping 1000ms  | 2.6',
    'b  timeout 1000.ball.napping  napping → with  ⇒ notify caught(1)  | 2.7',
  ]);
  expect(two.lines.at(-1)).toBe('# closed: 7');
  const sources = [one, two].map(({ lines }, index) => ({
    name: `${index}`,
    text: `${lines.join('\n')}\n`,
  }));
  const { verdict, complaints, steps } = conform(ball, ball.topology.example(2), sources);
  expect([verdict, complaints, steps]).toEqual([
    'violates',
    expect.arrayContaining([expect.objectContaining({ kind: 'header' })]),
    0,
  ]); // another spec
});

it('takes the label off without a journal, and says where a message has none', () => {
  const { network, at } = pair();
  const lines = inMemory();
  const a = embed(ball, { ...at('a'), journal: lines, incarnation: 1 });
  const b = embed(ball, at('b'));
  a.send({ type: 'throw' });
  network.deliver('a', 'b');
  expect(b.state.context).toMatchObject({ throws: 1 });
  b.send({ type: 'throw' });
  network.deliver('b', 'a');
  expect(lines.lines.at(-1)).toContain('| 1.3 from ? state ');
});

it('writes what no state handles', () => {
  const { network, at } = pair();
  const lines = inMemory();
  embed(ball, { ...at('a'), journal: lines, onError: () => {} });
  const thrown = { type: 'ball', throws: 3 };
  network.transport('b').send('a', thrown);
  network.deliver('b', 'a');
  expect(lines.lines.at(-1)).toBe('# unhandled: ball(3) from b ?');
});

it('stops a node that is off its machine, before it sends', () => {
  const { network, at } = pair();
  const a = embed(ball, { ...at('a'), confirm: 'all' });
  a.send({ type: 'name', name: 'Ada' });
  // as a program that takes the state for its own
  Object.assign(a.state.context, { throws: 41 });
  expect(() => a.send({ type: 'throw' })).toThrow(
    "Node a in 'without' is off its machine: by the machine, context.throws was 0, in the node 41. Is its context changed from outside, or does its machine ask a clock or chance? The node has stopped.",
  );
  expect(network.inFlight).toEqual([]);
  expect(() => a.send({ type: 'throw' })).toThrow('Node a is closed');
});

it('has its header in the file as soon as the node has started', async () => {
  const file = fileJournal(folder, 'a', { flushAfter: 1_000_000 });
  const text = () => readFileSync(join(folder, 'a.1.journal'), 'utf8');
  expect(text()).toBe('');
  const a = embed(ball, { ...pair().at('a'), journal: file });
  expect(text()).toMatch(/^# conclave-journal: 1\n[\s\S]*# incarnation: \d+\n$/);
  await a.close();
});

it('a file of its own for each start, written when closed and when the process exits', async () => {
  const first = fileJournal(folder, 'a/b');
  const second = fileJournal(folder, 'a/b', { flushAfter: 1_000_000 });
  first.append('one');
  second.append('two');
  await first.close();
  expect(readdirSync(folder)).toEqual(['a%2Fb.1.journal', 'a%2Fb.2.journal']);
  expect(readFileSync(join(folder, 'a%2Fb.1.journal'), 'utf8')).toBe('one\n');
  await second.close();
  await second.close();
  second.append('too late');
  expect(readFileSync(join(folder, 'a%2Fb.2.journal'), 'utf8')).toBe('two\n');
  const below = join(folder, 'a%2Fb.2.journal', 'journals'); // a file is no folder
  expect(() => fileJournal(below, 'a')).toThrow(
    `The journal of node a cannot be made in '${below}'`,
  );
});
