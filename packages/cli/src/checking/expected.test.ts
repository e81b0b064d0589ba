/**
 * `conclave expected`: figures, runs without end, what does not go together, and the graph as
 * a file.
 */
import { existsSync, readFileSync } from 'node:fs';
import { parseLink } from '@conclave/studio/link';
import { describe, expect, it } from 'vitest';
import { conclave, json, refuses, temporary, words } from '../fixtures/conclave.js';
import { figureText } from './expected.js';

const ring = ['expected', 'B15', '--option', 'ids=2', '--topology', 'ring:2', '--cost'];
const contention = ['expected', 'B10', '--topology', 'chain:2', '--cost'];

describe('expected costs of a protocol', () => {
  it('are printed for all schedulers, with what they assume', async () => {
    const { exitCode, stdout, stderr } = await conclave([...ring, 'draws', '--within', '4']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^found +85 states, 120 transitions; 18 states with a draw$/m);
    expect(stdout).toMatch(/^probability that the run ends +1$/m);
    expect(stdout).toMatch(/^expected draws until then +1 to 4$/m);
    expect(stdout).toMatch(/^probability that the run ends within 4 draws +3\/4 \(0\.75\) to 1$/m);
    expect(stdout).toMatch(/^Assumed: .*; only draws are random\.$/m);
  });

  it('end at a tag', async () => {
    const { value } = await json(...ring, 'messages', '--until', 'leader');
    expect(value).toMatchObject({
      complete: true,
      expectation: {
        least: { kind: 'exact', fraction: '3', value: 3 },
        greatest: { kind: 'exact', fraction: '8', value: 8 },
      },
    });
  });

  it('are ∞ where a run may never end: it is printed, and opens in the studio', async () => {
    const { exitCode, stdout } = await conclave([...contention, 'messages']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^probability that the run ends +0 to 1$/m);
    expect(stdout).toMatch(/^expected messages until then +4 to ∞$/m);
    expect(stdout).toContain('✗ the greatest is ∞, on an infinite run:\na  elect ');
    expect(stdout).toContain('— from here on, repeated forever —');
    const [, link = ''] = /^Look: \S+#(\S+)$/m.exec(stdout) ?? [];
    const { value } = await json(...contention, 'messages');
    const { run } = value.expectation.greatest;
    expect(parseLink(link)).toEqual(parseLink(run.link.split('#')[1]));
    expect(parseLink(link)).toMatchObject({ view: 'world', loopsFrom: expect.any(Number) });
    expect(run.trace).toMatch(/^# conclave-trace: 1\n# protocol: firewire\n/);
  });

  it('may be times, in milliseconds', async () => {
    const time = ['time', '--time', 'exact', '--delay', '10:20'];
    const { stdout } = await conclave([...contention, ...time]);
    expect(stdout).toMatch(/^expected ms until then +30 to 745$/m);
  });

  it('are incomplete, with exit code 2, where a limit stops the search', async () => {
    const { exitCode, stdout, stderr } = await conclave([...ring, 'steps', '--max-states', '9']);
    expect(exitCode).toBe(2);
    expect(stdout).toContain('INCOMPLETE: --max-states 9 was reached with 11 states found');
    expect(stdout).toMatch(/^found +11 states, 10 transitions$/m);
    expect(stdout).not.toContain('expected steps');
    expect(stderr).toContain('incomplete:');
  });

  refuses('expected B15 --option ids=2 --topology ring:2', {
    '--cost drwas': /Itai–Rodeh has no cost 'drwas'.*It has messages, steps, time, draws/,
    '--cost time': /this system has no exact time.*Give time: \{ kind: 'exact'/,
    '--cost steps --until ledaer': /ledaer.*leader/,
    '--cost steps --search depth': "unknown option '--search'",
    '--cost draws --graph ring.dot': "The format of the graph 'ring.dot' is unknown",
    '--cost draws --graph nowhere/ring.drn': "The graph cannot be written to 'nowhere/ring.drn'",
  });
});

const module = (parts: string) => `
export const initial = 'tossing';
export const actions = (at) => (at === 'tossing' ? ['heads', 'tails'] : []);
export const next = (at, coin) => (coin === 'heads' ? 'done' : at);
export const rewards = { tails: ({ action }) => (action === 'tails' ? 1 : 0), odd: 3 };
export const properties = [];
${parts}`;
const coin = () => temporary('coin.mjs', module('export const weights = () => [1, 2];'));

describe('expected costs of a system of plain functions', () => {
  it('are those of its steps, or of a reward', async () => {
    const path = coin();
    const { exitCode, stdout, stderr } = await conclave(words`expected ${path} --within 2`);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^coin, a system of plain functions$/m);
    expect(stdout).toMatch(/^found +2 states, 2 transitions; 1 state with a draw$/m);
    expect(stdout).toMatch(/^expected steps until then +3$/m);
    expect(stdout).toMatch(/^probability that the run ends within 2 steps +5\/9 \(0\.5555556\)$/m);
    const { value } = await json('expected', path, '--cost', 'tails');
    expect(value).toMatchObject({ system: 'coin', cost: 'tails', complete: true });
    expect(value.expectation.greatest.fraction).toBe('2');
  });

  it('are ∞ where a scheduler may go around', async () => {
    const path = temporary('coin.mjs', module(''));
    const { stdout } = await conclave(['expected', path]);
    expect(stdout).toMatch(/^expected steps until then +1 to ∞$/m);
    expect(stdout).toContain(
      '✗ the greatest is ∞, on an infinite run:\n— from here on, repeated forever —\ntails\n',
    );
    const { value } = await json('expected', path, '--cost', 'steps');
    expect(value.expectation.greatest.run).toEqual({ actions: ['tails'], loopsFrom: 0 });
  });

  it.each([
    [['heads'], "The system 'coin' has no cost 'heads'. It has steps, tails, odd;"],
    [['odd'], "The reward 'odd' of the system 'coin' is no function."],
    [['steps', '--until', 'done'], '--until is for a protocol'],
    [['steps', '--loss', '1'], '--loss is for a protocol'],
  ])('of %j are refused', async (words, what) => {
    const { exitCode, stderr } = await conclave(['expected', coin(), '--cost', ...words]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(what);
  });
});

describe('the graph', () => {
  it('of a protocol is a file for Storm', async () => {
    const path = temporary('ring.drn');
    const { stdout } = await conclave([...ring, 'draws', '--graph', path]);
    expect(stdout).toMatch(/^Wrote ring\.drn: storm --explicit-drn \S+ring\.drn --exact$/m);
    expect(stdout).toMatch(/^expected draws until then +1 to 4$/m);
    expect(readFileSync(path, 'utf8')).toMatch(/^@nr_states\n85\n@nr_choices\n108\n@model\n/m);
  });

  it('of a system is three files for PRISM', async () => {
    const path = temporary('coin.tra');
    const { value } = await json('expected', coin(), '--cost', 'tails', '--graph', path);
    const paths = ['.tra', '.lab', '.trew'].map((ending) => path.replace('.tra', ending));
    expect(value.graph).toEqual(paths);
    const texts = paths.map((name) => readFileSync(name, 'utf8'));
    expect(texts[0]).toBe('2 2 3\n0 0 0 0.66666666666666663\n0 0 1 0.33333333333333331\n1 0 1 1\n');
    expect(texts[1]).toBe('0="init" 1="goal"\n0: 0\n1: 1\n');
    expect(texts[2]).toMatch(/^# Reward structure "tails"\n/);
  });

  it('is not written after an incomplete search', async () => {
    const path = temporary('ring.drn');
    const { exitCode, stdout } = await conclave([
      ...ring,
      'draws',
      '--graph',
      path,
      '--max-states',
      '9',
    ]);
    expect([exitCode, existsSync(path)]).toEqual([2, false]);
    expect(stdout).not.toContain('Wrote');
  });
});

it('a figure is a fraction, bounds, or ∞', () => {
  const exact = (fraction: string, value: number) => figureText({ kind: 'exact', fraction, value });
  expect(exact('4', 4)).toBe('4');
  expect(exact('1586/315', 1586 / 315)).toBe('1586/315 (5.034921)');
  expect(exact(`${'1'.repeat(40)}/3`, 3.7e39)).toBe('3.7e+39 (a fraction)');
  expect(figureText({ kind: 'interval', least: 0.5, greatest: 0.75 })).toBe(
    'between 0.5 and 0.75 (not proved)',
  );
  expect(figureText({ kind: 'infinite', run: {} })).toBe('∞');
});
