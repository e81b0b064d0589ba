import { existsSync, readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { conclave, fixture, json, temporary } from '../fixtures/conclave.js';

const handled = 'every message is handled or explicitly ignored';
const noDeadlock = 'nobody waits when nothing can happen any more';
const exclusion = 'at most one node is in the critical section';
const entry = 'every node that wants to enter does so in the end';

/** Its verdicts by name. */
const verdicts = (value: { readonly properties: readonly { readonly name: string; readonly verdict: string }[] }) =>
  Object.fromEntries(value.properties.map(({ name, verdict }) => [name, verdict]));

describe('conclave check', () => {
  it('--json reports what it found', async () => {
    const { exitCode, stderr, value } = await json('check', 'A3');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(value).toEqual({
      protocol: 'ricart-agrawala',
      topology: 'complete:3',
      states: 6644,
      transitions: 18_634,
      depth: 18,
      seconds: expect.any(Number),
      complete: true,
      properties: [
        { name: exclusion, kind: 'always', verdict: 'holds' },
        { name: entry, kind: 'leadsTo', verdict: 'holds' },
        { name: 'a node is in the critical section', kind: 'sometimes', verdict: 'reached', trace: expect.stringMatching(/→ held\n$/) },
        { name: handled, kind: 'always', verdict: 'holds' },
        { name: noDeadlock, kind: 'always', verdict: 'holds' },
      ],
      coverage: [
        {
          role: 'node',
          transitions: 8,
          taken: 8,
          missed: [],
          guards: { asked: 2, neverTrue: [], neverFalse: [] },
          unentered: [],
          undelivered: ['released: reply', 'held: reply'],
        },
      ],
      diagnosis: {
        nodes: expect.any(Object),
        fields: expect.objectContaining({ clock: 9 }),
        messages: 6,
        contents: 12,
        growing: [],
      },
    });
  });

  it('says what of the statechart no interleaving used', async () => {
    const lonely = await conclave(['check', 'A3', '--topology', 'complete:2', '--initiators', 'a']);
    expect(lonely.stdout).toMatch(
      new RegExp(
        [
          '^coverage +node: 5 of 8 transitions taken',
          'never wanted: request \\[oursIsOlder\\]',
          'never wanted: request',
          'never held: request',
          'never delivered: released: reply; wanted: request; held: request; held: reply\n\n',
        ].join('\n +'),
        'm',
      ),
    );
    expect((await conclave(['check', 'B3'])).stdout).toMatch(
      /^ +never passive\.relaying: election \[larger\] \(asked, never true\)\n +never false: /m,
    );
    const { stdout } = await conclave(['check', 'raymond', '--topology', 'chain:2']);
    expect(stdout).toMatch(/\n +never entered: released\.asked\n +never delivered: ([^;]+; ){4}and 4 more\n/);
  });

  it('warns of counters that grow when it did not come to an end', async () => {
    const endless = ['check', 'A3', '--topology', 'complete:2', '--entries', '20', '--max-states', '2000'];
    expect((await conclave(endless)).stdout).toMatch(
      /^INCOMPLETE: .*\nclock grows \(0 … \d+\); requestedAt grows \(0 … \d+\): it may never end; bound the commands, or normalise\.$/m,
    );
    expect((await json(...endless)).value.diagnosis.growing).toContainEqual({ field: 'clock', least: 0, most: expect.any(Number) });
    expect((await conclave(['check', 'A3'])).stdout).not.toContain('grows');
  });

  it('looks at three nodes of the shape the protocol needs when nothing is said', async () => {
    const specs = await Promise.all(['A3', 'A7', 'B3'].map(async (id) => (await json('check', id, '--max-states', '1')).value.topology));
    expect(specs).toEqual(['complete:3', 'tree:2:3', 'ring:3']);
  });

  it('prints a summary for people', async () => {
    const { exitCode, stdout } = await conclave(['check', 'A7', '--entries', '2', '--initiators', 'a,b']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^Raymond .* \(A7\), mutual-exclusion\nnetwork +tree:2:3, 3 nodes\nchannels +order any\nworkload +up to 2 entries by a, b\n/,
    );
    expect(stdout).toMatch(/^fairness +weak\nfound +\d+ states, \d+ transitions, depth \d+\ntime +\S+ m?s, [\d,]+ states\/s$/m);
    expect(stdout).toMatch(/^✓ +a node is in the critical section +sometimes +reached$/m);
    expect(stdout).toMatch(/\n\nComplete: every reachable state was looked at\.\n$/);
  });

  it('tells all that may happen', async () => {
    const argv = ['check', 'B3', '--topology', 'ring:2', '--loss', '2', '--duplicate', '1', '--crash', '1', '--restart', '1'];
    const { stdout, stderr } = await conclave([...argv, '--entries', '2', '--fair', 'none', '--max-states', '20']);
    expect(stdout).toContain("'elect' told to every node up to 2 times\n");
    expect(stdout).toMatch(/^channels +order any, up to 2 messages lost, up to 1 doubled$/m);
    expect(stdout).toMatch(/^faults +up to 1 crash, up to 1 restart\nfairness +none$/m);
    expect(stderr).toContain('assumes channels that lose nothing; --loss 2 does.\n');
    expect(stderr).toContain('assumes channels that deliver once; --duplicate 1 does not.\n');
    expect((await conclave(['check', fixture('client-server.js')])).stdout).toMatch(/^workload +nothing told to anybody$/m);
  });

  it.each<[number, readonly string[]]>([
    [35, []],
    [231, ['--entries', '2']],
    [5, ['--initiators', 'a']],
    [178, ['--entries', '2', '--order', 'fifo']],
    [60, ['--loss', '1']],
    [199, ['--duplicate', '1']],
    [133, ['--crash', '1']],
    [285, ['--crash', '1', '--restart', '1']],
  ])('finds %i states of two nodes with %j', async (states, options) => {
    expect((await json('check', 'A3', '--topology', 'complete:2', ...options)).value).toMatchObject({ states, complete: true });
  });

  it('lays the shape a protocol needs over a network that lacks it, and says so', async () => {
    const { stderr } = await conclave(['check', 'A7', '--topology', 'complete:3']);
    expect(stderr).toBe('note: Raymond / van de Snepscheut needs a tree network, so it runs on tree-over:complete:3\n');
  });

  it('hands options to the protocol', async () => {
    const path = temporary('lost.trace');
    await conclave(['check', 'A7', '--option', 'greedy=1', '--loss', '1', '--trace', path]);
    expect(readFileSync(path, 'utf8')).toContain('# options: {"greedy":1}\n');
  });

  it('shows progress on a terminal when it takes long', async () => {
    let clock = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (clock += 1500));
    const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 120 });
    await conclave(['check', 'B3'], { terminal });
    vi.restoreAllMocks();
    expect(String(terminal.read())).toMatch(/checking: 1 state, 0 transitions, depth 0, \d+ states\/s/);
  });
});

describe('a property that does not hold', () => {
  const argv = ['check', fixture('broken-lock.ts')];

  it('is exit code 1, with a shortest run and the command that makes it again', async () => {
    const { exitCode, stdout, stderr } = await conclave(argv);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
    expect(stdout).toMatch(/^✗ +at most one node is in the critical section +always +violated$/m);
    expect(stdout).toMatch(
      /\n✗ at most one node is in the critical section, after 6 steps:\na {2}acquire .*\n(.*\n){4}.* wanted → held\n\n/,
    );
    expect(stdout).toMatch(/\nAgain: conclave check \S+broken-lock\.ts --trace run\.trace\n$/);
  });

  it('--json holds its trace', async () => {
    const { exitCode, value } = await json(...argv);
    expect(exitCode).toBe(1);
    expect(value.properties[0]).toEqual({
      name: exclusion,
      kind: 'always',
      verdict: 'violated',
      trace: expect.stringMatching(/^# protocol: broken-lock\n# topology: complete:3\n/),
    });
  });

  it('leaves a trace that replay takes', async () => {
    const path = temporary('run.trace');
    const { stdout } = await conclave([...argv, '--trace', path]);
    const command = `conclave replay ${path} --protocol ${fixture('broken-lock.ts')}`;
    expect(stdout).toContain(`Wrote ${path} (trace). Replay: ${command}\n`);
    expect(await conclave(command.split(' ').slice(1))).toMatchObject({ exitCode: 0, stderr: '' });
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

  it('of liveness is shown up to where it comes to rest', async () => {
    const lossy = ['check', 'A3', '--topology', 'complete:2', '--loss', '1'];
    const { exitCode, value } = await json(...lossy);
    expect(exitCode).toBe(1);
    expect(verdicts(value)).toMatchObject({ [exclusion]: 'holds', [entry]: 'violated', [noDeadlock]: 'violated' });
    expect(value.properties[1].loopsFrom).toBe(2);
    const { stdout } = await conclave(lossy);
    expect(stdout).toMatch(/in the end, after 2 steps:\na {2}acquire .*\nb {2}drop request\(1\) from a\n— here it comes to rest —\n\n/);
  });

  it('of liveness is shown with the part that repeats for ever', async () => {
    const potato = ['check', fixture('hot-potato.js'), '--export', 'hotPotato', '--topology', 'ring:2', '--initiators', 'a'];
    const { stdout } = await conclave(potato);
    expect(stdout).toMatch(
      /\n✗ everybody plays, on a run without end:\na {2}begin .*\n— from here on, for ever —\n(b {2}potato from a .*\na {2}potato from b .*\n){2}\nAgain/,
    );
    expect((await json(...potato)).value.properties[0].loopsFrom).toBe(1);
  });

  it.each([
    ['weak', 'violated'],
    ['strong', 'holds'],
  ])('may hold where more is granted: with --fair %s it is %s', async (fair, verdict) => {
    const { value } = await json('check', fixture('hot-potato.js'), '--export', 'hotPotato', '--topology', 'ring:2', '--fair', fair);
    expect(verdicts(value)).toMatchObject({ 'everybody plays': verdict });
  });

  it('of kind sometimes has no run to show', async () => {
    const { exitCode, stdout } = await conclave(['check', 'B3', '--entries', '0']);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^✗ +a node is the leader +sometimes +unreached$/m);
    expect(stdout).not.toContain('✗ a node is the leader');
    expect(stdout).toContain('✗ every live node knows the one leader, at the very start:\n— here it comes to rest —\n');
  });

  it('may be a message that no state handles; then the error says where', async () => {
    const deaf = ['check', fixture('ping-pong.js'), '--export', 'deaf'];
    const error = "Node b in 'served' does not handle 'ball' (from a). List it under on, or ignore it with ball: {}.";
    const { exitCode, stdout } = await conclave(deaf);
    expect(exitCode).toBe(1);
    expect(stdout).toContain(`✗ ${handled}, after 2 steps:\n`);
    expect(stdout).toContain(`⇒ c: ball\n${error}\n`);
    const { value } = await json(...deaf);
    expect(value.properties).toContainEqual(
      expect.objectContaining({ name: handled, verdict: 'violated', trace: expect.stringContaining(`# fault: ${error}\n`) }),
    );
  });

  it('is all that --trace writes', async () => {
    const path = temporary('run.trace');
    const { exitCode, stdout } = await conclave(['check', 'B3', '--trace', path]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`\nThere is no counterexample, so ${path} was not written.\n`);
    expect(existsSync(path)).toBe(false);
  });
});

describe('a limit', () => {
  it.each([
    ['--max-states', '5', 'states'],
    ['--max-memory', '0', 'memory'],
    ['--max-seconds', '0', 'seconds'],
    ['--max-depth', '2', 'depth'],
  ])('%s %s leaves the check incomplete, which is exit code 2', async (option, value, limit) => {
    const argv = ['check', 'B3', option, value];
    const { exitCode, stdout, stderr } = await conclave(argv);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(
      new RegExp(`^incomplete: ${option} ${value} was reached with \\d+ states? found; nothing is proved to hold\\.\\n$`),
    );
    expect(stdout).toMatch(/^\? +at most one node is the leader +always +incomplete$/m);
    expect(stdout).toMatch(new RegExp(`^INCOMPLETE: ${option} ${value} was reached .* What was not seen may violate anything\\.`, 'm'));
    const report = await json(...argv);
    expect(report.value).toMatchObject({ complete: false, limit });
    expect(report).toMatchObject({ exitCode: 2, stderr });
  });

  it('that is not reached changes nothing', async () => {
    const limits = ['--max-states', '6644', '--max-memory', '500', '--max-seconds', '60.5', '--max-depth', '18'];
    const { exitCode, value } = await json('check', 'A3', ...limits);
    expect(exitCode).toBe(0);
    expect(value).toMatchObject({ complete: true, states: 6644 });
    expect(value).not.toHaveProperty('limit');
  });

  it('does not hide what was found before it', async () => {
    const { exitCode, stdout, stderr } = await conclave(['check', fixture('broken-lock.ts'), '--max-depth', '6']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
    expect(stdout).toMatch(/^INCOMPLETE: --max-depth 6 was reached /m);
    expect(stdout).toContain(`✗ ${exclusion}, after 6 steps:\n`);
  });
});

describe('conclave check refuses', () => {
  it.each<[string, readonly string[], string]>([
    ['an unknown algorithm', ['A99'], "There is no algorithm 'A99'."],
    ['a network that will not do', ['A3', '--topology', 'ring:5'], 'Ricart–Agrawala needs a complete network'],
    ['unknown initiators', ['A3', '--initiators', 'a,z'], "Budget: the initiator 'z' is no node of 'complete:3'"],
    [
      'entries of nothing',
      [fixture('client-server.js'), '--entries', '2'],
      '--entries: Client and server has no command that could be given to them',
    ],
    [
      'initiators of nothing',
      [fixture('client-server.js'), '--initiators', 'a'],
      '--initiators: Client and server has no command that could be given to them',
    ],
    ['restarts without crashes', ['A3', '--restart', '1'], '--restart 1 leads nowhere where nobody crashes. Add --crash 1.'],
    ['an unknown order', ['A3', '--order', 'lifo'], "option '--order <order>' argument 'lifo' is invalid. Allowed choices are fifo, any."],
    ['a probability of loss', ['A3', '--loss', '0.1'], "option '--loss <n>' argument '0.1' is invalid. It is a whole number, 0 or more."],
    [
      'an unknown fairness',
      ['A3', '--fair', 'very'],
      "option '--fair <fairness>' argument 'very' is invalid. Allowed choices are none, weak",
    ],
    ['no memory', ['A3', '--max-memory', 'all'], "option '--max-memory <MB>' argument 'all' is invalid. It is a number of megabytes, 0 or"],
    [
      'no time',
      ['A3', '--max-seconds', '1m'],
      "option '--max-seconds <s>' argument '1m' is invalid. It is a number of seconds, 0 or more.",
    ],
    ['an unknown option', ['A3', '--option', 'greedy=2'], "ricart-agrawala has no option 'greedy'."],
    ['an option that is not offered', ['A3', '--workers', '2'], "unknown option '--workers'"],
    ['a trace it cannot write', ['A3', '--trace', 'no/such/folder/x'], "The trace cannot be written to 'no/such/folder/x': ENOENT"],
    [
      'a machine that cannot even start, with the command to see it again',
      [fixture('hot-potato.js'), '--export', 'misaddressed'],
      `to which it has no channel in 'ring:3'. Again: conclave check ${fixture('hot-potato.js')} --export misaddressed --json`,
    ],
  ])('%s', async (_, argv, message) => {
    const { exitCode, stdout, stderr } = await conclave(['check', ...argv, '--json']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^error: .*\n$/);
    expect(stderr).toContain(message);
  });
});
