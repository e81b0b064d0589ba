import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { conclave, fixture, json, temporary, words } from '../fixtures/conclave.js';

const handled = 'every message is handled or explicitly ignored';
const noDeadlock = 'no node waits in a quiescent state';
const exclusion = 'at most one node is in the critical section';
const entry = 'every node that wants to enter eventually enters';

/** Its verdicts by name. */
const verdicts = (value: {
  readonly properties: readonly { readonly name: string; readonly verdict: string }[];
}) => Object.fromEntries(value.properties.map(({ name, verdict }) => [name, verdict]));

describe('a property that does not hold', () => {
  const argv = ['check', fixture('broken-lock.ts'), '--topology', 'complete:3'];

  it('is exit code 1, with a shortest run and the command that repeats it', async () => {
    const { exitCode, stdout, stderr } = await conclave(argv);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
    expect(stdout).toMatch(/^✗ +at most one node is in the critical section +always +violated$/m);
    expect(stdout).toMatch(
      /\n✗ at most one node is in the critical section, after 6 steps:\na {2}acquire .*\n(.*\n){4}.* wanted → held\nLook: npx conclave studio \S+broken-lock\.ts --link '.*'\n\n/,
    );
    expect(stdout).toMatch(
      /\nAgain: npx conclave check \S+broken-lock\.ts --topology complete:3 --trace run\.trace\n$/,
    );
  });

  it('--json has its trace', async () => {
    const { exitCode, value } = await json(...argv);
    expect(exitCode).toBe(1);
    expect(value.properties[0]).toEqual({
      name: exclusion,
      kind: 'always',
      verdict: 'violated',
      trace: expect.stringMatching(
        /^# conclave-trace: 1\n# protocol: broken-lock\n# topology: complete:3\n/,
      ),
      link: expect.stringMatching(/^broken-lock\?topology=complete:3&steps=/),
    });
  });

  it('has a trace that replay accepts', async () => {
    const path = temporary('run.trace');
    const { stdout } = await conclave([...argv, '--trace', path]);
    const command = `npx conclave replay ${path} --protocol ${fixture('broken-lock.ts')}`;
    expect(stdout).toContain(`Wrote ${path} (trace). Replay: ${command}\n`);
    expect(await conclave(command.split(' ').slice(2))).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it.each([
    ['run.svg', 'space-time diagram', /^<svg /],
    ['run.mmd', 'Mermaid sequence diagram', /^sequenceDiagram\n/],
  ])('is drawn in %s as a %s', async (name, what, beginning) => {
    const path = temporary(name);
    const { stdout } = await conclave([...argv, '--trace', path]);
    expect(stdout).toContain(`\nWrote ${path} (${what}).\n`);
    expect(readFileSync(path, 'utf8')).toMatch(beginning);
  });

  it('of liveness has a run up to the state in which nothing more happens', async () => {
    const lossy = ['check', 'A3', '--topology', 'complete:2', '--loss', '1'];
    const { exitCode, value } = await json(...lossy);
    expect(exitCode).toBe(1);
    expect(verdicts(value)).toMatchObject({
      [exclusion]: 'holds',
      [entry]: 'violated',
      [noDeadlock]: 'violated',
    });
    expect(value.properties[1].loopsFrom).toBe(2);
    const { stdout } = await conclave(lossy);
    const [, run] = stdout.split(`✗ ${entry}, after 2 steps:\n`);
    expect(run).toMatch(
      /^a {2}acquire .*\nb {2}drop request\(1\) from a\n— nothing more happens —\nLook: file:\S+\n\n/,
    );
  });

  it('of liveness has a run with a mark where it begins to repeat', async () => {
    const potato = words`check ${fixture('hot-potato.js')} --export hotPotato --topology ring:2
      --initiators a`;
    const { stdout } = await conclave(potato);
    expect(stdout).toMatch(
      /\n✗ every node plays, on an infinite run:\na {2}begin .*\n— from here on, repeated forever —\n(b {2}potato from a .*\na {2}potato from b .*\n){2}Look: .*\n\nWhat to try:\n {2}With --fair strong, /,
    );
    expect((await json(...potato)).value.properties[0].loopsFrom).toBe(1);
  });

  it.each([
    ['weak', 'violated'],
    ['strong', 'holds'],
  ])('may hold with stronger fairness: with --fair %s the verdict is %s', async (fair, verdict) => {
    const { value } = await json(
      ...words`check ${fixture('hot-potato.js')} --export hotPotato --topology ring:2
      --fair ${fair}`,
    );
    expect(verdicts(value)).toMatchObject({ 'every node plays': verdict });
  });

  it('of kind sometimes has no run', async () => {
    const { exitCode, stdout } = await conclave(['check', 'B3', '--entries', '0']);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^✗ +a node is the leader +sometimes +unreached$/m);
    expect(stdout).not.toContain('✗ a node is the leader');
    expect(stdout).toContain(
      '✗ every live node knows the one leader, in the initial state:\n— nothing more happens —\n',
    );
  });

  it('may be an unhandled message; then the error says where', async () => {
    const deaf = ['check', fixture('ping-pong.js'), '--export', 'deaf', '--topology', 'ring:3'];
    const error =
      "Node b in 'served' does not handle 'ball' (from a). List it under on, or ignore it with ball: {}.";
    const { exitCode, stdout } = await conclave(deaf);
    expect(exitCode).toBe(1);
    expect(stdout).toContain(`✗ ${handled}, after 2 steps:\n`);
    expect(stdout).toContain(`⇒ c: ball\n${error}\n`);
    const { value } = await json(...deaf);
    expect(value.properties).toContainEqual(
      expect.objectContaining({
        name: handled,
        verdict: 'violated',
        trace: expect.stringContaining(`# fault: ${error}\n`),
      }),
    );
  });

  it('may be a step that fails, which is told apart from an unhandled message', async () => {
    const astray = words`check ${fixture('hot-potato.js')} --export astray --topology ring:3`;
    const error =
      "Node a sends 'potato' to stranger, to which it has no channel in 'ring:3'. It was in 'awake' when it was told 'begin'";
    const { exitCode, stdout } = await conclave(astray);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(
      /^. +every message is handled or explicitly ignored +always +incomplete$/m,
    );
    expect(stdout).toContain('✗ no step fails, in the initial state:\n');
    expect(stdout).toContain(`${error}\n`);
    expect(stdout).toContain('What follows a step that fails was not explored.');
    const { value } = await json(...astray);
    expect(value.properties).toContainEqual(
      expect.objectContaining({
        name: 'no step fails',
        verdict: 'violated',
        trace: expect.stringContaining(`# fault: ${error}\n`),
      }),
    );
  });

  it('is the only thing that --trace writes', async () => {
    const path = temporary('run.trace');
    const { exitCode, stdout } = await conclave(words`check B3 --topology ring:3 --trace ${path}`);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`\nThere is no counterexample, so ${path} was not written.\n`);
    expect(existsSync(path)).toBe(false);
  });
});

it('has no hint about faults that did not happen, and none where all holds', async () => {
  const broken = words`check ${fixture('broken-lock.ts')} --topology complete:2`;
  const { stdout } = await conclave([...broken, '--loss', '1', '--crash', '1', '--safety']);
  expect(stdout).toContain('What to try:\n  Every assumption');
  expect((await conclave(['check', 'B3', '--topology', 'ring:3'])).stdout).not.toContain(
    'What to try',
  );
});
