/** `conclave check --expected`: figures, runs without end, and what does not go together. */
import { parseLink } from '@conclave/studio/link';
import { describe, expect, it } from 'vitest';
import { conclave, json } from '../fixtures/conclave.js';
import { figureText } from './expected.js';

const ring = ['check', 'B15', '--option', 'ids=2', '--topology', 'ring:2', '--expected'];
const contention = ['check', 'B10', '--topology', 'chain:2', '--expected'];

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

  it.each([
    [[...ring, 'drwas'], "Itai–Rodeh has no cost 'drwas'", 'It has messages, steps, time, draws'],
    [[...ring, 'time'], 'this system has no exact time', "Give time: { kind: 'exact'"],
    [[...ring, 'steps', '--until', 'ledaer'], 'ledaer', 'leader'],
    [[...ring, 'steps', '--search', 'depth'], '--search has no effect', 'Leave out --search'],
    [['check', 'B15', '--until', 'leader'], '--until is for expected costs', 'Add --expected'],
    [['check', 'B15', '--within', '3'], '--within is for expected costs', 'Add --expected'],
  ])('%j is refused', async (argv, what, cure) => {
    const { exitCode, stdout, stderr } = await conclave(argv);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(what);
    expect(stderr).toContain(cure);
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
