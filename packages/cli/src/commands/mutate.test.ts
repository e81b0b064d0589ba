import { PassThrough } from 'node:stream';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it, vi } from 'vitest';
import { conclave, fixture, json, refuses, words } from '../fixtures/conclave.js';

describe('conclave mutate', () => {
  proof(
    'prints the score, survivors by the question that no property asks, and a table by operator',
    async () => {
      const argv = words`mutate ${fixture('few-properties.js')} --topology complete:2 --operators
        drop-guard,swap-actions,duplicate-action`;
      const { exitCode, stdout, stderr } = await conclave(argv);
      expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
      for (const line of [
        '\nsystems  complete:2, commands 1 (35 states)\n',
        'An action may be done twice (2). Ask for its price',
        '  - released: acquire / stamp, requestAll → wanted\n  + released: acquire / stamp, stamp, requestAll → wanted\n    differs on complete:2, commands 1:\n',
        '      - a  acquire  released → wanted  ⇒ b: request(1)\n      + a  acquire  released → wanted  ⇒ b: request(2)\n',
      ])
        expect(stdout).toContain(line);
      expect(stdout).toMatch(/\noperator +killed .*survived\n/);
      expect(stdout).toMatch(
        /\nscore +\d\d\.\d % killed, of all but the equivalent and rejected ones\n/,
      );
    },
  );

  it('--json prints one value', async () => {
    const { exitCode, value, stderr } = await json(
      ...words`mutate ${fixture('few-properties.js')} --topology complete:2 --operators
      duplicate-action,drop-guard`,
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
    expect(value).toMatchObject({
      protocol: 'ricart-agrawala',
      systems: [{ name: 'complete:2, commands 1', states: 35 }],
      counts: { survived: 2 },
    });
    expect(value.mutants.find(({ fate }: { fate: string }) => fate === 'survived')).toMatchObject({
      id: 'released: acquire stamp duplicate-action',
      before: 'released: acquire / stamp, requestAll → wanted',
      after: 'released: acquire / stamp, stamp, requestAll → wanted',
    });
  });

  proof('--walks looks for what kills the others in larger systems, and counts that', async () => {
    const { stdout } = await conclave([
      ...['mutate', 'A1', '--entries', '1', '--walks', '60', '--max-depth', '80'],
      ...['--operators', 'drop-guard,negate-guard,delete-transition,swap-actions'],
    ]);
    expect(stdout).toMatch(/^walks +star:4, commands 1, 60 walks of 80 steps: [\d,]+ steps$/m);
  });

  proof('has exit code 0 where no mutant survives', async () => {
    const { exitCode, stdout } = await conclave(
      words`mutate A3 --entries 1 --operators drop-guard,drop-always`,
    );
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Every mutant is noticed.\n');
    expect(stdout).toContain('complete:3, commands 1');
    expect(stdout).not.toContain('commands 2');
  });

  it('has exit code 2 where some are inconclusive, and none survives', async () => {
    const { exitCode, stdout, stderr } = await conclave(
      words`mutate A3 --max-seconds 0 --operators drop-guard`,
    );
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr:
        'incomplete: --max-seconds 0 was reached after 0 of 2 mutants; the score counts the others as if they passed.\n',
    });
    expect(stdout).toContain('complete:2, commands 1: left out, no time\n');
    expect(stdout).toMatch(/score +0\.0 % killed/);
    expect(stdout).toContain('Inconclusive: a limit was reached (2).');
  });

  it('prints the results so far when it is interrupted, with exit code 130', async () => {
    let asked = 0;
    const argv = ['mutate', 'A3', '--topology', 'complete:2', '--operators', 'ignore'];
    const { exitCode, stdout, stderr } = await conclave(argv, { interrupted: () => ++asked > 45 });
    expect(exitCode).toBe(130);
    expect(stderr).toMatch(
      /^incomplete: interrupted after [1-9] of \d+ mutants; the score counts the others as if they passed\.\n$/,
    );
    expect(stdout).toMatch(/^score +\d/m);
    expect(stdout).toContain('Inconclusive: a limit was reached');
  });

  it('says when it runs on an overlay', async () => {
    const { exitCode, stderr, stdout } = await conclave(
      words`mutate A11 --topology grid:2x2 --operators drop-tag`,
    );
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^note: .* so it runs on /);
    expect(stdout).toContain('ring-over:grid:2x2, commands 1');
  });

  it('shows progress on a terminal when it takes long', async () => {
    vi.spyOn(performance, 'now').mockImplementation(
      (
        (time) => () =>
          (time += 1000)
      )(0),
    );
    const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 120 });
    let drawn = '';
    terminal.on('data', (chunk) => {
      drawn += chunk;
    });
    await conclave(['mutate', 'A3', '--topology', 'complete:2', '--operators', 'drop-guard'], {
      terminal,
    });
    vi.restoreAllMocks();
    expect(drawn).toMatch(/mutating: \d of 2, \d killed, 0 survived/);
  });

  refuses('mutate', {
    [`${fixture('two-phase-commit.js')} --export blocking`]:
      /^error: 'blocking' is a system of plain functions, and has no statechart to change\. Give a protocol/,
    'A3 --operators drop': /argument 'drop' is invalid\. There are ignore, delete-transition/,
    'A3 --topology complete:3 --max-states 100':
      /Ricart–Agrawala has more than 100 states on complete:3, commands 1/,
    [`${fixture('client-server.js')} --entries 1`]:
      /--entries has no effect: Client and server has no optional command/,
    [`${fixture('ping-pong.js')} --export deaf`]:
      /deaf-ping-pong does not pass itself: on .*, 'every message is handled/,
    'A3 --max-states 0': /It is a whole number, 1 or more/,
    'A3 --max-depth 9': /--max-depth is for walks\. Add --walks 100\./,
  });

  it('has examples and exit codes in its help', async () => {
    const { exitCode, stdout } = await conclave(['mutate', '--help']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('conclave mutate A3\n');
    expect(stdout).toContain('1  some survive, or are not reached');
    expect(stdout).toContain('130  interrupted');
  });
});
