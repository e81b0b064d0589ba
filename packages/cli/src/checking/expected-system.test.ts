/** `conclave check --expected` of systems of plain functions, and the graph as a file. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { conclave, json, temporary, words } from '../fixtures/conclave.js';

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
    const { exitCode, stdout, stderr } = await conclave(
      words`check ${path} --expected steps --within 2`,
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^coin, a system of plain functions$/m);
    expect(stdout).toMatch(/^found +2 states, 2 transitions; 1 state with a draw$/m);
    expect(stdout).toMatch(/^expected steps until then +3$/m);
    expect(stdout).toMatch(/^probability that the run ends within 2 steps +5\/9 \(0\.5555556\)$/m);
    const { value } = await json('check', path, '--expected', 'tails');
    expect(value).toMatchObject({ system: 'coin', cost: 'tails', complete: true });
    expect(value.expectation.greatest.fraction).toBe('2');
  });

  it('are ∞ where a scheduler may go around', async () => {
    const path = temporary('coin.mjs', module(''));
    const { stdout } = await conclave(['check', path, '--expected', 'steps']);
    expect(stdout).toMatch(/^expected steps until then +1 to ∞$/m);
    expect(stdout).toContain(
      '✗ the greatest is ∞, on an infinite run:\n— from here on, repeated forever —\ntails\n',
    );
    const { value } = await json('check', path, '--expected', 'steps');
    expect(value.expectation.greatest.run).toEqual({ actions: ['tails'], loopsFrom: 0 });
  });

  it.each([
    [['heads'], "The system 'coin' has no cost 'heads'. It has steps, tails, odd;"],
    [['odd'], "The reward 'odd' of the system 'coin' is no function."],
    [['steps', '--until', 'done'], '--until is for a protocol'],
    [['steps', '--fair', 'none'], '--fair has no effect on expected costs'],
  ])('of %j are refused', async (words, what) => {
    const { exitCode, stderr } = await conclave(['check', coin(), '--expected', ...words]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(what);
  });
});

describe('the graph', () => {
  const ring = ['check', 'B15', '--option', 'ids=2', '--topology', 'ring:2', '--expected', 'draws'];

  it('of a protocol is a file for Storm', async () => {
    const path = temporary('ring.drn');
    const { stdout } = await conclave([...ring, '--graph', path]);
    expect(stdout).toMatch(/^Wrote ring\.drn: storm --explicit-drn \S+ring\.drn --exact$/m);
    expect(stdout).toMatch(/^expected draws until then +1 to 4$/m);
    expect(readFileSync(path, 'utf8')).toMatch(/^@nr_states\n85\n@nr_choices\n108\n@model\n/m);
  });

  it('of a system is three files for PRISM', async () => {
    const path = temporary('coin.tra');
    const { value } = await json('check', coin(), '--expected', 'tails', '--graph', path);
    const paths = ['.tra', '.lab', '.trew'].map((ending) => path.replace('.tra', ending));
    expect(value.graph).toEqual(paths);
    const texts = paths.map((name) => readFileSync(name, 'utf8'));
    expect(texts[0]).toBe('2 2 3\n0 0 0 0.66666666666666663\n0 0 1 0.33333333333333331\n1 0 1 1\n');
    expect(texts[1]).toBe('0="init" 1="goal"\n0: 0\n1: 1\n');
    expect(texts[2]).toMatch(/^# Reward structure "tails"\n/);
  });

  it('is not written after an incomplete search', async () => {
    const path = temporary('ring.drn');
    const { exitCode, stdout } = await conclave([...ring, '--graph', path, '--max-states', '9']);
    expect([exitCode, existsSync(path)]).toEqual([2, false]);
    expect(stdout).not.toContain('Wrote');
  });

  it.each([
    [[...ring, '--graph', 'ring.dot'], "The format of the graph 'ring.dot' is unknown"],
    [[...ring, '--graph', 'nowhere/ring.drn'], "The graph cannot be written to 'nowhere/ring.drn'"],
    [['check', 'B15', '--graph', 'ring.drn'], '--graph is for expected costs'],
  ])('%j is refused before the search', async (argv, what) => {
    const { exitCode, stdout, stderr } = await conclave(argv);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(what);
  });
});
