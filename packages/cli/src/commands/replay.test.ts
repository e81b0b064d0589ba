import { readFileSync, writeFileSync } from 'node:fs';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { conclave, fixture, json, refuses, temporary, words } from '../fixtures/conclave.js';

/** The path of a trace of this simulation. */
async function traceOf(...argv: readonly string[]): Promise<string> {
  const path = temporary('run.trace');
  await conclave(['simulate', ...argv, '--trace', path]);
  return path;
}

function edit(path: string, change: (text: string) => string): void {
  const before = readFileSync(path, 'utf8');
  const after = change(before);
  expect(after).not.toBe(before);
  writeFileSync(path, after);
}

describe('conclave replay', () => {
  it.each([
    ['A3', '--topology', 'abilene', '--entries', '2', '--order', 'any'],
    ['A3', '--loss', '0.1'],
    words`A7 --option piggyback --option greedy=1 --entries 5 --delay exponential:20
      --order any`,
    ['B3', '--topology', 'ring:8:shuffled:3', '--delay', 'uniform:1:9'],
  ])('repeats %s %s %s', async (...argv) => {
    const path = await traceOf(...argv);
    const { exitCode, stdout, stderr } = await conclave(['replay', path]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const steps = readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#')).length;
    expect(stdout).toBe(`✓ ${path}: all ${steps} steps were the same on fresh nodes.\n`);
    expect((await json('replay', path)).value).toMatchObject({ steps });
  });

  proof('repeats a run with a crash in the middle of a step', async () => {
    const module = fixture('../../../studio/src/model/announcement.contract.ts');
    const path = temporary('run.trace');
    await conclave(['check', module, '--topology', 'complete:3', '--crash', '1', '--trace', path]);
    expect(readFileSync(path, 'utf8')).toMatch(/^a {2}crash\nc {2}drop leader from a$/m);
    const { exitCode, stdout } = await conclave(['replay', path, '--protocol', module]);
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: `✓ ${path}: all 4 steps were the same on fresh nodes.\n`,
    });
  });

  it('finds the first step that differs, and its line', async () => {
    const path = await traceOf('A3', '--topology', 'complete:3', '--seed', '4');
    edit(path, (text) =>
      text.replace('wanted → held', 'wanted → lost').replace('\n# seed', '\n\n# a comment\n# seed'),
    );
    const line =
      readFileSync(path, 'utf8')
        .split('\n')
        .findIndex((text) => text.includes('→ lost')) + 1;
    const { exitCode, stdout, stderr } = await conclave(['replay', path]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
    expect(stdout).toMatch(
      /: the replay diverges after \d+ steps\.\n {2}trace {3}.*wanted → lost.*\n {2}replay {2}.*wanted → held.*\n$/,
    );
    expect(stdout.startsWith(`✗ ${path}:${line}: `)).toBe(true);
    const { exitCode: again, value } = await json('replay', path);
    expect(again).toBe(1);
    expect(value).toMatchObject({
      protocol: 'ricart-agrawala',
      topology: 'complete:3',
      divergence: { line, expected: expect.stringContaining('lost') },
    });
  });

  it('finds an effect that the machine does not have', async () => {
    const path = await traceOf('B3');
    edit(path, (text) => text.replace('⇒ b: election(a)', '⇒ b: election(z)'));
    expect((await json('replay', path)).value.divergence).toMatchObject({
      expected: expect.stringContaining('election(z)'),
      found: expect.stringContaining('election(a)'),
    });
  });

  it('finds a message that was never sent', async () => {
    const path = await traceOf('A3', '--topology', 'complete:3');
    edit(path, (text) => text.replace('request(1) from', 'request(7) from'));
    const line =
      readFileSync(path, 'utf8')
        .split('\n')
        .findIndex((text) => text.includes('request(7)')) + 1;
    const { exitCode, stdout, stderr } = await conclave(['replay', path]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
    expect(stdout.startsWith(`✗ ${path}:${line}: `)).toBe(true);
    expect(stdout).toContain("no 'request(7)' is in flight from ");
  });

  it.each(
    Object.entries({
      '# protocol: ricart-agrawala\n# topology: complete:3\nnonsense\n':
        "run.trace:3: not a step: 'nonsense'",
      '# topology: complete:3\n':
        "run.trace: its header has no protocol. A trace begins with lines such as '# protocol: ricart-agrawala'.",
      '# protocol: ricart-agrawala\n':
        "run.trace: its header has no topology. A trace begins with lines such as '# topology: complete:5'.",
      '# protocol: raymond\n# options: [1]\n# topology: tree:2:3\n': `run.trace: its options '[1]' are not a JSON object. They read like {"greedy":2}.`,
      '# protocol: raymond\n# options: {\n# topology: tree:2:3\n':
        "run.trace: its options '{' are not a JSON object.",
      '# protocol: ping-pong\n# topology: ring:3\n':
        "run.trace is a trace of 'ping-pong', which is not in the catalogue. Name its module: --protocol ./module.ts.",
      '# protocol: ricart-agrawala\n# topology: ring:5\n':
        'Ricart–Agrawala needs a complete network',
    }),
  )('refuses %j', async (text, message) => {
    const path = temporary('run.trace', text);
    const { exitCode, stdout, stderr } = await conclave(['replay', path, '--json']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^error: .*\n$/);
    expect(stderr).toContain(message);
  });

  refuses('replay', {
    'nowhere.trace': /^error: The trace 'nowhere\.trace' cannot be read: ENOENT/,
  });

  it('accepts the protocol from a module, if the trace is of that protocol', async () => {
    const path = await traceOf(
      fixture('ping-pong.js'),
      '--export',
      'pingPong',
      '--initiators',
      'a',
    );
    expect(
      await conclave(words`replay ${path} --protocol ${fixture('ping-pong.js')} --export pingPong`),
    ).toMatchObject({ exitCode: 0 });
    expect(await conclave(['replay', path, '--protocol', fixture('client-server.js')])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `error: ${path} is a trace of 'ping-pong', but '${fixture('client-server.js')}' is 'client-server'. Give the module of 'ping-pong'.\n`,
    });
  });
});

describe('conclave replay --events', () => {
  const acquired = 'b, acquire\n# asked\nb acquire\n';

  it('fills in, judges and draws what is written down', async () => {
    const drawn = temporary('run.svg');
    const file = temporary('events.txt', 'a  acquire\nb request(1) from a\n\na,  reply from b\n');
    const { exitCode, stdout, stderr } = await conclave([
      ...['replay', file, '--events', '--protocol', 'A3', '--topology', 'complete:2'],
      ...['--trace', drawn],
    ]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain('a  reply from b       wanted → held');
    expect(stdout).toMatch(/^✓ {2}mutual exclusion|^✓ {2}at most one node/m);
    expect(readFileSync(drawn, 'utf8')).toContain('<svg');
  });

  it('repeats a trace, whose other columns it does not read', async () => {
    const path = await traceOf('A3', '--topology', 'complete:2');
    const found = await json('replay', path, '--events');
    expect([found.exitCode, found.value.protocol]).toEqual([0, 'ricart-agrawala']);
    const untimed = (text: string) => text.replace(/^[\d.]+ms +/gm, '').replace(/ +/g, ' ');
    const steps = (text: string) =>
      untimed(text)
        .split('\n')
        .filter((line) => !/^#|^$/.test(line));
    expect(steps(found.value.trace)).toEqual(steps(readFileSync(path, 'utf8')));
  });

  it.each([
    [
      acquired,
      "events.txt:3: 'b acquire' is not possible; possible is a acquire; a request(1) from b",
    ],
    ['x acquire', "'x acquire' is not possible; possible is a acquire; b acquire"],
    ['a dance', "'a dance' is not possible; possible is a acquire"],
  ])('says where %j is not possible, and what is', async (text, why) => {
    const file = temporary('events.txt', text);
    const { exitCode, stderr } = await conclave([
      ...['replay', file, '--events', '--protocol', 'A3', '--topology', 'complete:2'],
    ]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(why);
  });

  it.each([
    [['--events'], 'names no protocol'],
    [['--topology', 'ring:3'], '--topology is for --events'],
  ])('refuses %j', async (argv, why) => {
    const { exitCode, stderr } = await conclave([
      'replay',
      temporary('events.txt', acquired),
      ...argv,
    ]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(why);
  });

  it('says beside the verdicts that it is untimed, where the protocol assumes times', async () => {
    const argv = ['replay', temporary('none.txt', '# nothing\n'), '--events', '--protocol'];
    const untimed =
      'Bully election assumes that a message takes 50–100 ms; untimed, it takes any time. A property may be false here that no timed run violates.';
    expect((await conclave([...argv, 'B1'])).stdout).toContain(`\nUntimed: ${untimed}\n`);
    expect((await json(...argv, 'B1')).value.untimed).toBe(untimed);
    expect((await conclave([...argv, 'A3'])).stdout).not.toContain('Untimed');
  });

  it('fails where a property is false at its end', async () => {
    const file = temporary('events.txt', 'a  go\n');
    const module = temporary(
      'm.mjs',
      `import { createMachine } from 'xstate';
import { never } from '@conclave/core/protocol';
export const properties = [never('it is on', ({ nodes }) => nodes[0].value === 'on')];
export const light = createMachine({ initial: 'off', states: { off: { on: { go: 'on' } }, on: {} } });`,
    );
    const { exitCode, stdout } = await conclave(['replay', file, '--events', '--protocol', module]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('✗  it is on');
  });
});
