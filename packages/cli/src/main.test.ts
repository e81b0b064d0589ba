/**
 * The command as a process: signals, an stdout that fails, modules that end it. It runs the built
 * packages.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { proof, quickOf } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { fixture, temporary, words } from './fixtures/conclave.js';

const command = fileURLToPath(new URL('../bin/conclave.js', import.meta.url));

interface Conditions {
  /**
   * When to press Ctrl-C, in milliseconds after the start; with `again`, once more after the first
   * answer.
   */
  readonly interruptAfter?: number;
  readonly again?: boolean;
  readonly stdout?: number | 'pipe';
}

interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command as a process; how it ended. */
function conclave(
  argv: readonly string[],
  { interruptAfter, again = false, stdout: into = 'pipe' }: Conditions = {},
) {
  const child = spawn(process.execPath, [command, ...argv], { stdio: ['ignore', into, 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (again && stderr === '') child.kill('SIGINT');
    stderr += text;
  });
  const timer =
    interruptAfter === undefined
      ? undefined
      : setTimeout(() => child.kill('SIGINT'), interruptAfter);
  return new Promise<Ended>((resolve) => {
    child.on('close', (exitCode) => {
      clearTimeout(timer);
      resolve({ exitCode, stdout, stderr });
    });
  });
}

/**
 * Presses Ctrl-C after a second; where the command had not come far enough for `check`, again after
 * twice as long, since the machine may be slow.
 */
async function interrupted(
  argv: readonly string[],
  check: (ended: Ended) => void,
  again = false,
): Promise<void> {
  for (let wait = 1000; ; wait *= 2) {
    const ended = await conclave(argv, { interruptAfter: wait, again });
    try {
      return check(ended);
    } catch (error) {
      if (wait > 60_000) throw error;
    }
  }
}

const heard = 'interrupted: the results so far follow; Ctrl-C once more stops at once.\n';
/** It counts forever. */
const endless = `export const counter = {
  initial: 0,
  actions: () => ['up'],
  next: (count) => count + 1,
  properties: [{ kind: 'always', name: 'it is small', holds: (count) => count < 0 }],
};`;

describe('Ctrl-C', () => {
  const long = ['check', 'A3', '--topology', 'complete:5', '--entries', '2'];

  it.each(
    quickOf(
      [
        ['a check', long],
        ['random walks', ['check', 'A3', '--walks', '1000000000']],
        [
          'a simulation',
          ['simulate', 'A11', '--loss', '0', '--topology', 'ring:5', '--entries', '100000000'],
        ],
      ],
      ([what]) => what === 'a check',
    ),
  )('ends %s with the results so far, in one JSON value', async (_, argv) => {
    await interrupted([...argv, '--json'], ({ exitCode, stdout, stderr }) => {
      expect(exitCode).toBe(130);
      expect(stderr).toContain(heard);
      expect(stderr).toMatch(/^incomplete: interrupted .+\.$/m);
      const value = JSON.parse(stdout);
      expect(value).toMatchObject({
        complete: false,
        incomplete: expect.stringMatching(/^interrupted /),
      });
      const verdicts = value.properties.map(({ verdict }: { verdict: string }) => verdict);
      expect(verdicts).toContain('incomplete');
      expect(verdicts).not.toContain('holds');
    });
  });

  proof('ends the threads of many simulations, with a summary of the runs so far', async () => {
    const argv = ['simulate', 'A3', '--seeds', '1..1000000', '--workers', '2', '--json'];
    await interrupted(argv, ({ exitCode, stdout, stderr }) => {
      expect(exitCode).toBe(130);
      expect(stderr).toMatch(/^incomplete: interrupted after [\d,]+ of 1,000,000 seeds\.$/m);
      const { runs, ended, complete } = JSON.parse(stdout);
      expect({ ...{ quiescent: 0, ...ended }, complete }).toEqual({
        quiescent: runs,
        complete: false,
      });
    });
  });

  proof(
    'ends the check of a system of plain functions, with the violation that was found',
    async () => {
      await interrupted(['check', temporary('counter.mjs', endless)], ({ exitCode, stdout }) => {
        expect(exitCode).toBe(130);
        expect(stdout).toMatch(/^✗ +it is small +always +violated$/m);
        expect(stdout).toMatch(
          /^INCOMPLETE: interrupted with [\d,]+ states? found; nothing is proved to hold\./m,
        );
      });
    },
  );

  proof.each([
    ['waits', 'await new Promise(() => setInterval(() => {}, 1000));'],
    ['computes', 'for (;;);'],
  ])(
    'pressed twice ends at once, without further output, also a module that %s forever',
    async (_, text) => {
      await interrupted(
        ['check', temporary('never.mjs', text)],
        (ended) => expect(ended).toEqual({ exitCode: 130, stdout: '', stderr: heard }),
        true,
      );
    },
  );
});

describe('the process', () => {
  it('passes on stdout, stderr and the exit code', async () => {
    const { exitCode, stdout, stderr } = await conclave(words`check A7 --topology complete:3`);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Raymond .*\n/);
    expect(stderr).toMatch(/^note: Raymond .*\n$/);
    expect(await conclave(['check', 'A0'])).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error: .*'A0'\..*\n$/),
    });
    expect(
      (await conclave(['check', fixture('broken-lock.ts'), '--topology', 'complete:2'])).exitCode,
    ).toBe(1);
  });

  proof.each([
    ['calls process.exit', 'process.exit(0);', 'it calls process.exit'],
    [
      'awaits something that never happens',
      'await new Promise(() => {});',
      'it awaits something at its top level that never happens',
    ],
  ])('has no answer where a module %s', async (_, text, why) => {
    const { exitCode, stdout, stderr } = await conclave(['check', temporary('odd.mjs', text)]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(`fails to load: ${why}`);
  });

  proof.each([0, 1])(
    'has no verdict where a function of a system calls process.exit(%i)',
    async (code) => {
      const next = `(n) => { if (n === 2) process.exit(${code}); return n + 1; }`;
      const system = (next: string) =>
        `export const initial = 0, actions = (n) => (n < 3 ? ['up'] : []), next = ${next}, properties = []`;
      const { exitCode, stdout, stderr } = await conclave([
        'check',
        temporary('exits.mjs', system(next)),
      ]);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toMatch(
        /^error: The command ended without an answer\. Does a module call process\.exit/,
      );
      const answered = await conclave(['check', temporary('counts.mjs', system('(n) => n + 1'))]);
      expect(answered).toMatchObject({
        exitCode: 0,
        stderr: '',
        stdout: expect.stringContaining('4 states'),
      });
    },
  );

  proof.each([
    ['list', ['list']],
    ['the version', ['--version']],
    ['a trace', ['simulate', 'A3', '--trace', '/dev/full']],
  ])('reports a full disk in one line: %s', async (what, argv) => {
    const full = openSync('/dev/full', 'w');
    const { exitCode, stderr } = await conclave(argv, {
      stdout: what === 'a trace' ? 'pipe' : full,
    });
    closeSync(full);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^error: .*ENOSPC: no space left on device, write.*\n$/);
  });
});
