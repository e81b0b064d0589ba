import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it, vi } from 'vitest';
import { conclave, fixture, json, refuses, temporary, words } from '../fixtures/conclave.js';

const handled = 'every message is handled or explicitly ignored';
const noDeadlock = 'no node waits in a quiescent state';
const exclusion = 'at most one node is in the critical section';
const entry = 'every node that wants to enter eventually enters';

describe('conclave check', () => {
  it('--json reports what it found', async () => {
    const { exitCode, stderr, value } = await json('check', 'A3', '--topology', 'complete:3');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const ofSteps = value.properties.filter(({ kind }: { kind: string }) => kind === 'everyStep');
    expect(ofSteps).toContainEqual({
      name: 'a node that releases leaves the critical section',
      kind: 'everyStep',
      verdict: 'holds',
    });
    expect(new Set(ofSteps.map(({ verdict }: { verdict: string }) => verdict))).toEqual(
      new Set(['holds']),
    );
    const ofWholes = value.properties.filter(({ kind }: { kind: string }) => kind !== 'everyStep');
    expect({ ...value, properties: ofWholes }).toEqual({
      protocol: 'ricart-agrawala',
      topology: 'complete:3',
      states: 6644,
      transitions: 18_634,
      depth: 18,
      width: 1079,
      steps: { distinct: 1025, confirmed: 1025 },
      seconds: expect.any(Number),
      complete: true,
      assumptions: [],
      properties: expect.arrayContaining([
        { name: exclusion, kind: 'always', verdict: 'holds' },
        { name: entry, kind: 'leadsTo', verdict: 'holds' },
        {
          name: 'a node is in the critical section',
          kind: 'sometimes',
          verdict: 'reached',
          trace: expect.stringMatching(/→ held\n$/),
        },
        {
          name: 'each entry has a larger fencing token than every entry before it',
          kind: 'increases',
          verdict: 'holds',
        },
        { name: handled, kind: 'always', verdict: 'holds' },
        { name: noDeadlock, kind: 'always', verdict: 'holds' },
      ]),
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

  it('says which parts of the statechart no interleaving used', async () => {
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
    expect((await conclave(['check', 'B3', '--topology', 'ring:3'])).stdout).toMatch(
      /^ +never passive\.relaying: election \[larger\] \(guard never true\)\n +guard never false: /m,
    );
    const { stdout } = await conclave(
      words`check raymond --topology chain:2 --option piggyback=true`,
    );
    expect(stdout).toMatch(
      /\n +never entered: released\.asked\n +never delivered: ([^;]+; ){4}and 4 more\n/,
    );
  });

  proof('warns of growing counters when the search did not finish', async () => {
    const endless = words`check A3 --topology complete:2 --entries 20 --max-states 2000`;
    expect((await conclave(endless)).stdout).toMatch(
      /^INCOMPLETE: .*\nclock grows \(0 … \d+\); requestedAt grows \(0 … \d+\): if that goes on for ever, so does the search; give fewer --entries\.$/m,
    );
    expect((await conclave(endless)).stdout).toMatch(
      /^steps +[\d,]+ distinct local steps, none confirmed by XState$/m,
    );
    expect((await json(...endless)).value.diagnosis.growing).toContainEqual({
      field: 'clock',
      least: 0,
      most: expect.any(Number),
    });
    expect((await conclave(['check', 'A3', '--topology', 'complete:3'])).stdout).not.toContain(
      'grows',
    );
  });

  it('explores three nodes of the shape that the protocol needs when a limit is given and no size', async () => {
    const specs = await Promise.all(
      ['A3', 'A7', 'B3'].map(
        async (id) => (await json('check', id, '--max-states', '1')).value.topology,
      ),
    );
    expect(specs).toEqual(['complete:3', 'tree:2:3', 'ring:3']);
  });

  it('prints a summary for people', async () => {
    const { exitCode, stdout } = await conclave(words`check A7 --entries 2 --initiators a,b`);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^Raymond .* \(A7\), mutual-exclusion\nnetwork +tree:2:3, 3 nodes\nchannels +order any\nworkload +up to 2 entries by a, b\n/,
    );
    expect(stdout).toMatch(
      /^fairness +weak\nfound +\d+ states, \d+ transitions, depth \d+, width \d+\ntime +\S+ m?s, [\d,]+ states\/s$/m,
    );
    expect(stdout).toMatch(/^steps +[\d,]+ distinct local steps, all confirmed by XState$/m);
    expect(stdout).toMatch(
      /^made of +local states: a \d+, b \d+, c 1; 5 messages in 9 channel contents; values: queue 5, entries 5, self 3, holder 2\ncoverage +node: /m,
    );
    expect(stdout).toMatch(/^✓ +a node is in the critical section +sometimes +reached$/m);
    expect(stdout).toMatch(
      /\n\nComplete: every reachable state was explored\.\nAssumed: that optional commands come only to a, b\.\n$/,
    );
  });

  it('lists everything that may happen', async () => {
    const argv = words`check B3 --topology ring:2 --loss 2 --duplicate 1 --crash 1 --restart 1`;
    const { stdout, stderr } = await conclave(
      words`${argv} --entries 2 --fair none --max-states 20`,
    );
    expect(stdout).toContain("'elect' to every node, up to 2 times\n");
    expect(stdout).toMatch(
      /^channels +order any, up to 2 messages lost, up to 1 message duplicated$/m,
    );
    expect(stdout).toMatch(
      /^faults +up to 1 crash between or inside steps, up to 1 restart\nfairness +none$/m,
    );
    expect(stderr).toContain('assumes channels that lose nothing; --loss 2 does.\n');
    expect(stderr).toContain('assumes channels that duplicate nothing; --duplicate 1 does.\n');
    expect(
      (await conclave(['check', fixture('client-server.js'), '--max-depth', '99'])).stdout,
    ).toMatch(/^workload +no commands$/m);
  });

  it.each<[number, readonly string[]]>([
    [35, []],
    [231, ['--entries', '2']],
    [5, ['--initiators', 'a']],
    [178, ['--entries', '2', '--order', 'fifo']],
    [60, ['--loss', '1']],
    [199, ['--duplicate', '1']],
    [133, ['--crash', '1', '--atomic-steps']],
    [285, ['--crash', '1', '--restart', '1', '--atomic-steps']],
    [152, ['--crash', '1']],
    [322, ['--crash', '1', '--restart', '1']],
  ])('finds %i states of two nodes with %j', async (states, options) => {
    expect((await json('check', 'A3', '--topology', 'complete:2', ...options)).value).toMatchObject(
      { states, complete: true },
    );
  });

  proof('lets a node crash in the middle of a step, unless --atomic-steps', async () => {
    const argv = [
      'check',
      fixture('../../../studio/src/model/announcement.contract.ts'),
      '--topology',
      'complete:3',
      '--crash',
      '1',
    ];
    const inside = await conclave(argv);
    expect(inside.exitCode).toBe(1);
    expect(inside.stdout).toMatch(/^faults +up to 1 crash between or inside steps$/m);
    expect(inside.stdout).toMatch(
      /\na {2}announce +alone → leading +⇒ b: leader, c: leader\na {2}crash\n[bc] {2}drop leader from a\n/,
    );
    expect(inside.stdout).toContain('with --atomic-steps, it sends all or none.');
    const between = await conclave([...argv, '--atomic-steps']);
    expect(between.exitCode).toBe(0);
    expect(between.stdout).toMatch(/^faults +up to 1 crash between steps$/m);
    expect(between.stdout).toContain(
      'Assumed: that nodes crash between steps only, not while they send.\n',
    );
    const lossy = await conclave([...argv, '--atomic-steps', '--unsent']);
    expect(lossy.exitCode).toBe(1);
    expect(lossy.stdout).toMatch(
      /^faults +up to 1 crash between steps, a crash may lose what the node sent in earlier steps$/m,
    );
    expect(lossy.stdout).toContain(
      'Without --unsent, what a node sent in earlier steps arrives after its crash.\n',
    );
    const assumed = async (...more: readonly string[]) =>
      (await json(...argv, ...more)).value.assumptions;
    const faults = 'that no more fails than this: at most 1 crash';
    const kept = 'that a crash loses nothing of what the node sent in earlier steps';
    expect(await assumed()).toEqual([faults, kept]);
    expect(await assumed('--atomic-steps')).toEqual([
      faults,
      'that nodes crash between steps only, not while they send',
      kept,
    ]);
    expect(await assumed('--unsent')).toEqual([faults]);
  });

  it('lays an overlay of the shape that a protocol needs over a network that lacks it, and says so', async () => {
    const { stderr } = await conclave(['check', 'A7', '--topology', 'complete:3']);
    expect(stderr).toBe(
      'note: Raymond / van de Snepscheut needs a tree network, so it runs on tree-over:complete:3\n',
    );
  });

  it('passes options to the protocol', async () => {
    const path = temporary('lost.trace');
    await conclave(['check', 'A7', '--option', 'greedy=1', '--loss', '1', '--trace', path]);
    expect(readFileSync(path, 'utf8')).toContain('# options: {"greedy":1}\n');
  });

  it('shows progress on a terminal when it takes long', async () => {
    let clock = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (clock += 1500));
    const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 120 });
    await conclave(['check', 'B3', '--topology', 'ring:3'], { terminal });
    vi.restoreAllMocks();
    expect(String(terminal.read())).toMatch(
      /checking: 1 state, 0 transitions, depth 0, \d+ states\/s/,
    );
  });
});

describe('a limit', () => {
  it.each([
    ['--max-states', '5', 'states'],
    ['--max-memory', '0', 'memory'],
    ['--max-seconds', '0', 'seconds'],
    ['--max-depth', '2', 'depth'],
  ])('%s %s leaves the check incomplete, which is exit code 2', async (option, value, limit) => {
    const argv = ['check', 'B3', '--topology', 'ring:3', option, value];
    const { exitCode, stdout, stderr } = await conclave(argv);
    expect(exitCode).toBe(2);
    // how many states were found until memory was looked at depends on the machine
    const why = new RegExp(
      `^incomplete: ${option} ${value} was reached with \\d+ states? found; nothing is proved to hold\\.\\n$`,
    );
    expect(stderr).toMatch(why);
    expect(stdout).toMatch(/^\? +at most one node is the leader +always +incomplete$/m);
    expect(stdout).toMatch(
      new RegExp(
        `^INCOMPLETE: ${option} ${value} was reached .* Unexplored states may violate any property\\.`,
        'm',
      ),
    );
    const report = await json(...argv);
    expect(report.value).toMatchObject({ complete: false, limit });
    expect(report).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(why) });
  });

  it('that is not reached changes nothing', async () => {
    const limits = words`--max-states 6644 --max-memory 500 --max-seconds 60.5 --max-depth 18`;
    const { exitCode, value } = await json('check', 'A3', ...limits);
    expect(exitCode).toBe(0);
    expect(value).toMatchObject({ complete: true, states: 6644 });
    expect(value).not.toHaveProperty('limit');
  });

  it('does not hide what was found before it', async () => {
    const { exitCode, stdout, stderr } = await conclave(
      words`check ${fixture('broken-lock.ts')} --max-depth 6`,
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
    expect(stdout).toMatch(/^INCOMPLETE: --max-depth 6 was reached /m);
    expect(stdout).toContain(`✗ ${exclusion}, after 6 steps:\n`);
  });
});

refuses('check', {
  'A3 --topology ring:5': 'Ricart–Agrawala needs a complete network',
  'A3 --initiators a,z': "The initiator 'z' is no node of 'complete:3'. Its nodes: a, b, c.",
  [`${fixture('client-server.js')} --entries 2`]:
    '--entries has no effect: Client and server has no optional command',
  'A18 --unsent': '--unsent has no effect where no node crashes. Add --crash 1.',
  'A3 --atomic-steps': '--atomic-steps has no effect where no node crashes. Add --crash 1.',
  'A3 --restart 1': '--restart 1 has no effect where no node crashes. Add --crash 1.',
  'A3 --loss 0.1':
    "option '--loss <n>' argument '0.1' is invalid. It is a whole number, 0 or more.",
  'A3 --fair very':
    "option '--fair <fairness>' argument 'very' is invalid. Allowed choices are none, weak",
  'A3 --max-memory all':
    "option '--max-memory <MB>' argument 'all' is invalid. It is a number of megabytes, 0 or",
  'A3 --max-seconds 1m':
    "option '--max-seconds <s>' argument '1m' is invalid. It is a number of seconds, 0 or more.",
  'A3 --delay 5': '--delay is for exact time. Add --time exact.',
  'A3 --time exact --delay 4:1':
    "option '--delay <least:most>' argument '4:1' is invalid. It is a number such as 3, or least:most such as 1:4.",
  'A3 --time exact':
    'Ricart–Agrawala does not say how long messages take. Give --time exact --delay 1:4.',
  'A3 --drift 0.1': '--drift is for exact time. Add --time exact.',
  'A3 --time exact --delay 1:4 --drift -0.1':
    "option '--drift <ratio>' argument '-0.1' is invalid. It is a number from 0 to below 1, in whole millionths.",
  'A3 --time exact --delay 1 --stay critical':
    "option '--stay <tag=least:most>' argument 'critical' is invalid. It is a tag and how long, such as critical=0:5.",
  'A3 --time exact --delay 1 --stay calm=0:5': "Exact time: no state has the tag 'calm'. There are",
  'A3 --seeds 1..5': '--seeds is for walks. Add --walks 100.',
  'A3 --walks 5 --seeds 1..5 --seed 1':
    '--seed is for one seed, and --seeds for several. Leave one of them out.',
  'A3 --walks 5 --seeds 2..5 --trace x': 'Take one of them, as in --seed 2 --trace x.',
  'A3 --seed 5': '--seed is for walks. Add --walks 100.',
  'A3 --walks 5 --max-states 9':
    '--max-states is for a search, and --walks takes walks. Leave one of them out.',
  'A3 --walks 0': "option '--walks <n>' argument '0' is invalid. It is a whole number, 1 or more.",
  'A3 --trace no/such/folder/x': "The trace cannot be written to 'no/such/folder/x': ENOENT",
  [`${fixture('hot-potato.js')} --export misaddressed`]: `to which it has no channel in 'ring:2'. Again: npx conclave check ${fixture('hot-potato.js')} --export misaddressed --json`,
  'A3 --topology complete:13 --partition 1':
    "'complete:13' has up to 4095 splits. Explore partitions on at most 12 nodes.",
});
