import { proof } from '@conclave/tools/sample';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { conclave, fixture, json, refuses, temporary, words } from '../fixtures/conclave.js';

const simulate = (path: string, ...argv: readonly string[]) =>
  conclave(['simulate', path, ...argv]);

const endless = 'await new Promise(() => {}); export const one = 1';

describe("a module of the user's own", () => {
  proof(
    'that awaits something that never happens is refused as soon as the event loop is empty',
    async () => {
      const path = temporary('waits.mjs', endless);
      const before = process.listenerCount('beforeExit');
      const check = conclave(['check', path]);
      // The command itself is loaded first.
      await vi.waitFor(() => expect(process.listenerCount('beforeExit')).toBeGreaterThan(before), {
        timeout: 20_000,
      });
      process.emit('beforeExit', 0); // as with an empty event loop
      const { exitCode, stdout, stderr } = await check;
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toBe(
        `error: '${path}' fails to load: it awaits something at its top level that never happens\n`,
      );
      expect(process.listenerCount('beforeExit')).toBe(before);
    },
  );

  proof('that takes too long to load is refused', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const path = temporary('slow.mjs', endless);
    const check = conclave(['check', path]);
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1), { timeout: 20_000 });
    await vi.advanceTimersByTimeAsync(30_000);
    const { exitCode, stderr } = await check;
    expect(exitCode).toBe(2);
    expect(stderr).toBe(
      `error: '${path}' fails to load: it has not finished loading within 30 s\n`,
    );
  });

  proof('can call process.exit again after it is loaded', async () => {
    const { exit } = process;
    await conclave(['check', temporary('exits.mjs', 'process.exit(0)')]);
    expect(process.exit).toBe(exit);
  });

  proof('may be TypeScript with one protocol', async () => {
    const { exitCode, value } = await json(
      ...words`simulate ${fixture('broken-lock.ts')} --topology complete:2 --initiators a`,
    );
    expect(exitCode).toBe(0);
    expect(value).toMatchObject({ protocol: 'broken-lock', entries: 1, messagesPerEntry: 2 });
  });

  proof('may be JavaScript; the initiators get the first optional command', async () => {
    const { exitCode, stdout } = await simulate(
      fixture('ping-pong.js'),
      '--export',
      'pingPong',
      '--initiators',
      'a',
    );
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^ping-pong, game\nnetwork +ring:5, 5 nodes\n.*\nworkload +'serve' to a; seed 1\nmessages +5 sent \(ball 5\)$/m,
    );
  });

  proof('may export it as default, and need no command', async () => {
    const { exitCode, stdout } = await simulate(fixture('client-server.js'));
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^workload +no commands; seed 1\nmessages +8 sent \(answer 4, ask 4\)$/m,
    );
  });

  proof(
    'whose machine does not handle a message gets an error with what, where, and how to repeat it',
    async () => {
      const path = fixture('ping-pong.js');
      const { exitCode, stdout, stderr } = await simulate(path, '--export', 'deaf');
      const fault =
        "Node b in 'served' does not handle 'ball' (from a) (at 1.000 ms, seed 1). List it under on, or ignore it with ball: {}.";
      expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
      expect(stdout).toMatch(
        /^✗ +every message is handled or explicitly ignored +always +violated$/m,
      );
      expect(stdout).toContain('0.000ms  a  serve  idle → served  ⇒ b: ball\n');
      expect(stdout).toContain(
        `⇒ a: ball\n${fault}\n\nAgain: npx conclave simulate ${path} --export deaf --trace run.trace --seed 1\n`,
      );
      const report = await json('simulate', path, '--export', 'deaf');
      expect(report).toMatchObject({ exitCode: 1, stderr: '' });
      expect(report.value).toMatchObject({
        fault,
        violated: 'every message is handled or explicitly ignored',
        complete: false,
      });
      expect((await conclave(['check', path, '--export', 'deaf'])).exitCode).toBe(1);
    },
  );

  proof.each([
    ['throws.js', "throw new Error('not\\ntoday')", 'fails to load: not today'],
    ['exits.mjs', 'process.exit(0)', 'fails to load: it calls process.exit'],
    ['stubborn.mjs', 'try { process.exit(0) } catch {}', 'fails to load: it calls process.exit'],
    ['broken.ts', 'export const = 1', 'fails to load: '],
    [
      'none.mjs',
      'export const one = 1, two = {}',
      'exports no protocol (it exports one, two). Export a statechart of XState, or what defineProtocol returns: https://github.com/conclave-ts/conclave/blob/main/docs/your-machine.md.',
    ],
    ['empty.js', '', 'exports no protocol (it exports nothing).'],
  ])('%s, which says %j, is refused', async (name, text, message) => {
    const { exitCode, stdout, stderr } = await conclave(['simulate', temporary(name, text)]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^error: .*\n$/);
    expect(stderr).toContain(`${name}' ${message}`);
  });

  refuses('simulate', {
    './nowhere.ts': "There is no file './nowhere.ts'",
    [fixture('unknown-target.js')]:
      "fails to load: Invalid transition definition for state node '(machine).here': Child state 'nowhere' does not exist",
    [fixture('ping-pong.js')]:
      "ping-pong.js' exports several protocols: deaf, pingPong. Choose one, as in --export deaf.",
    [`${fixture('ping-pong.js')} --export pong`]:
      "ping-pong.js' exports no protocol called 'pong'. Its protocols: deaf, pingPong.",
  });
});
