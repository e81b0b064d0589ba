import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { conclave } from './fixtures/conclave.js';
import { protocolFor } from './input/protocol.js';

describe('conclave', () => {
  it('prints its version', async () => {
    expect(await conclave(['--version'])).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    });
  });

  it('without a command prints its help on stderr, with exit code 2', async () => {
    const { exitCode, stdout, stderr } = await conclave([]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^Usage: conclave \[options\] \[command\]/);
  });

  it.each(['list', 'simulate', 'check', 'paths', 'replay', 'export', 'chart', 'studio', 'init'])(
    '%s --help shows examples',
    async (command) => {
      const { exitCode, stdout } = await conclave([command, '--help']);
      expect(exitCode).toBe(0);
      const [, examples = ''] = stdout.split('Examples:\n');
      expect(examples.match(new RegExp(`^  conclave ${command}`, 'gm'))).toHaveLength(
        ['simulate', 'check', 'studio'].includes(command) ? 3 : 2,
      );
      expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([]);
    },
  );

  it.each([
    [
      'an unknown command',
      ['simulat', 'A3'],
      "unknown command 'simulat' (Did you mean simulate?) See conclave --help.",
    ],
    [
      'an unknown option',
      ['simulate', 'A3', '--sead', '2'],
      "unknown option '--sead' (Did you mean --seed?) See conclave simulate --help.",
    ],
    [
      'a missing argument',
      ['chart'],
      "missing required argument 'protocol'. See conclave chart --help.",
    ],
    [
      'too many arguments',
      ['list', 'A3'],
      "too many arguments for 'list'. Expected 0 arguments but got 1. See conclave list --help.",
    ],
    ['an unknown global option', ['--jsn', 'list'], "unknown option '--jsn'. See conclave --help."],
  ])('%s is one line on stderr and exit code 2', async (_, argv, message) => {
    expect(await conclave(argv)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `error: ${message}\n`,
    });
  });

  it('shows the stack of an error with --debug only', async () => {
    const line = /^error: There is no algorithm 'A0'\..*\n$/;
    expect((await conclave(['chart', 'A0'])).stderr).toMatch(line);
    expect((await conclave(['chart', 'A0', '--debug'])).stderr).toMatch(
      /^error: There is no .*\nConclaveError: There is no .*\n {4}at /,
    );
    expect((await conclave(['chart', 'A0'], { debug: true })).stderr).toContain('\n    at ');
  });

  proof('reads an option that is a list, with commas between its parts', async () => {
    const { options } = await protocolFor('A19', { option: ['voters=a,b,c', 'lease=5000'] });
    expect(options).toMatchObject({ voters: ['a', 'b', 'c'], lease: 5000 });
  });

  proof('uses colours on a terminal only', async () => {
    expect((await conclave(['list'], { isTTY: true })).stdout).toContain('\u001b[');
    expect((await conclave(['list'])).stdout).not.toContain('\u001b[');
    expect((await conclave(['list', '--json'], { isTTY: true })).stdout).not.toContain('\u001b[');
  });

  it('says once on a terminal that a check is incomplete, and again on stderr where stdout is a file', async () => {
    const argv = ['check', 'A3', '--topology', 'complete:2', '--max-states', '3'];
    const shown = await conclave(argv, { isTTY: true });
    expect([shown.stdout.match(/incomplete:/gi)?.length, shown.stderr]).toEqual([1, '']);
    expect((await conclave(argv)).stderr).toMatch(/^incomplete: .*\n$/);
  });

  it('has the options of check below headings', async () => {
    const { stdout } = await conclave(['check', '--help']);
    const [, options = ''] = /^Options:$([\s\S]*?)\n\n/m.exec(stdout) ?? [];
    expect(stdout).toMatch(/^What may happen:\n {2}--order/m);
    expect(options).not.toMatch(/^ {2}--/m);
  });
});
