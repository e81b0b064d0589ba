import { existsSync, readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it, vi } from 'vitest';
import { conclave, fixture, json, refuses, temporary, words } from '../fixtures/conclave.js';

describe('conclave simulate', () => {
  it('--json reports mutual exclusion', async () => {
    const { exitCode, stderr, value } = await json(
      ...words`simulate A3 --topology complete:4 --entries 3 --seed 9`,
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const steps = value.properties.filter(
      ({ kind, verdict }: { kind: string; verdict: string }) =>
        kind === 'everyStep' && verdict === 'holds',
    );
    expect(value).toEqual({
      protocol: 'ricart-agrawala',
      topology: 'complete:4',
      nodes: 4,
      seed: 9,
      host: 'compiled',
      steps: 100,
      confirmed: expect.any(Number),
      virtualMs: expect.any(Number),
      delivered: 72,
      messages: { reply: 36, request: 36 },
      entries: 12,
      messagesPerEntry: 6,
      meanWait: expect.any(Number),
      synchronisationDelay: expect.any(Number),
      overtaken: expect.any(Number),
      load: Object.fromEntries(
        ['a', 'b', 'c', 'd'].map((node) => [node, { sent: 18, received: 18 }]),
      ),
      properties: [
        { name: 'at most one node is in the critical section', kind: 'always', verdict: 'holds' },
        {
          name: 'every node that wants to enter eventually enters',
          kind: 'leadsTo',
          verdict: 'holds',
        },
        ...steps.slice(0, 6),
        { name: 'a node is in the critical section', kind: 'sometimes', verdict: 'reached' },
        {
          name: 'each entry has a larger fencing token than every entry before it',
          kind: 'increases',
          verdict: 'holds',
        },
        ...steps.slice(6),
      ],
      complete: true,
    });
    expect(steps).toHaveLength(11);
    expect(steps).toContainEqual({
      name: 'a node that requests entry waits or enters at once',
      kind: 'everyStep',
      verdict: 'holds',
    });
  });

  it('--json reports an election', async () => {
    const { value } = await json('simulate', 'lelann-chang-roberts', '--topology', 'ring:c,a,b');
    expect(value).toMatchObject({
      topology: 'ring:c,a,b',
      nodes: 3,
      seed: 1,
      delivered: 8,
      leader: 'c',
      complete: true,
      load: {
        a: { sent: 3, received: 2 },
        b: { sent: 3, received: 3 },
        c: { sent: 2, received: 3 },
      },
    });
    expect(value).not.toHaveProperty('entries');
    expect(value).not.toHaveProperty('meanWait');
    expect(value).not.toHaveProperty('violated');
  });

  proof('--drift makes clocks drift, in one run and in many', async () => {
    const argv = ['C3', '--delay', 'fixed:75', '--until-time', '2000'] as const;
    const accuracy = 'no node is suspected before it crashes';
    const exact = await json('simulate', ...argv, '--seeds', '1..8');
    const drifting = await json('simulate', ...argv, '--drift', '0.5', '--seeds', '1..8');
    expect(exact.value.violations).toEqual([]);
    expect(drifting.value.violations[0]).toMatchObject({ violated: accuracy });
    const { stdout } = await conclave(words`simulate ${argv} --drift 0.5 --seed
      ${String(drifting.value.violations[0].seed)}`);
    expect(stdout).toMatch(/^clocks +drift by up to 0.5$/m);
    expect(stdout).toContain(`✗  ${accuracy}`);
    expect(stdout).toContain('--drift 0.5');
  });

  it('runs on five nodes of the shape that the protocol needs by default', async () => {
    const specs = await Promise.all(
      ['A3', 'A7', 'B3'].map(async (id) => (await json('simulate', id)).value.topology),
    );
    expect(specs).toEqual(['complete:5', 'tree:2:5', 'ring:5']);
  });

  it('lays no overlay over a network whose shape fits and which lacks something else', async () => {
    const { exitCode, stderr } = await conclave(
      words`simulate A12 --option quorums=plane --topology complete:8`,
    );
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr:
        "error: Maekawa needs a complete network; in 'complete:8' there is no known projective plane for 8 nodes, only for 3, 7, 13, 21, 31, 57 …. Try complete:7.\n",
    });
  });

  it('lays an overlay over a network of another shape, says so, and uses its delays', async () => {
    const { stdout, stderr } = await conclave(['simulate', 'A3', '--topology', 'abilene']);
    expect(stderr).toBe(
      'note: Ricart–Agrawala needs a complete network, so it runs on complete-over:abilene\n',
    );
    expect(stdout).toMatch(
      /^network +complete-over:abilene, 11 nodes\nchannels +delay geo, order fifo$/m,
    );
    expect((await json('simulate', 'A7', '--topology', 'abilene')).value.topology).toBe(
      'tree-over:abilene',
    );
  });

  it('reads an edge list', async () => {
    const path = temporary('cities.txt', 'bern zurich 0.5\nzurich chur 0.6\n');
    const { stdout } = await conclave([
      'simulate',
      'A7',
      '--topology',
      `file:${path}`,
      '--seed',
      '2',
    ]);
    expect(stdout).toMatch(/^network +edges:\S+, 3 nodes\nchannels +delay geo/m);
  });

  it('prints a summary for people', async () => {
    const { stdout } = await conclave(
      words`simulate A3 --entries 2 --initiators a,b --hold fixed:8`,
    );
    expect(stdout).toMatch(/^Ricart–Agrawala \(A3\), mutual-exclusion$/m);
    expect(stdout).toMatch(/^workload +2 entries by a, b; seed 1$/m);
    expect(stdout).toMatch(/^messages +32 sent \(reply 16, request 16\)$/m);
    expect(stdout).toMatch(/^cost +8 messages per entry; by formula 2\(n−1\) = 8$/m);
    expect(stdout).toMatch(/^entries +4, /m);
    expect(stdout).toMatch(/^wait +\S+ ms on average$/m);
    expect(stdout).toMatch(/^✓ +a node is in the critical section +sometimes +reached$/m);
    expect(stdout).toMatch(/^Quiescent after \S+ ms of virtual time and 32 deliveries\.$/m);
    expect((await conclave(['simulate', 'B3'])).stdout).toMatch(/^leader +e$/m);
  });

  proof.each([
    ['C4', 'complete:4', '12 messages per multicast; by formula n(n−1) = 12'],
    ['C4b', 'complete:4', '12 messages per multicast; by formula 4(n−1) = 12'],
    ['C4c', 'complete:4', '3 messages per multicast; by formula n−1 = 3'],
    ['C4t', 'complete:4', '3.75 request, numbered messages per multicast; by formula n (3 to 4)'],
    ['C5', 'complete:4', '3.75 messages per multicast; by formula n−1 … n (3 to 4.19)'],
    ['C2', 'complete:20', '380 messages per wave; by formula 2e = 380'],
    ['B1', 'complete:5', '24 messages per election; by formula n−1 … n²−1 (4 to 24)'],
    ['B2', 'complete:4', '8 messages per initiator; by formula 2n = 8'],
    [
      'B3',
      'ring:12',
      '35 messages per election; by formula n·H_n + n = 49.24 on average (24 to 90)',
    ],
    ['A5', 'complete:4', '9.75 messages per entry; by formula 2e + path (0 to 15)'],
  ])(
    'tells the cost of %s per what it is, with the number of this network (%s)',
    async (protocol, topology, text) => {
      const { stdout } = await conclave(['simulate', protocol, '--topology', topology]);
      expect(/^cost +(.*)$/m.exec(stdout)?.[1]).toBe(text);
    },
  );

  proof('says what took the steps, and with --confirm all has XState repeat each', async () => {
    const argv = ['simulate', 'A3', '--topology', 'complete:3', '--entries', '40'];
    const sampled = await conclave(argv);
    expect(sampled.stdout).toMatch(/^steps +\d+ by compiled statecharts, \d confirmed by XState$/m);
    const all = await conclave([...argv, '--confirm', 'all']);
    expect(all.stdout).toBe(sampled.stdout.replace(/\d+ confirmed/, 'all confirmed'));
    const { steps, confirmed } = (await json(...argv, '--confirm', 'all')).value;
    expect(confirmed).toBe(steps);
  });

  it('prints the same for the same seed', async () => {
    const argv = words`simulate A7 --delay exponential:20 --order any --entries 4 --seed 3`;
    expect(await conclave(argv)).toEqual(await conclave(argv));
    expect((await conclave(argv)).stdout).not.toBe(
      (await conclave([...argv.slice(0, -1), '4'])).stdout,
    );
  });

  it('passes options to the protocol, each with its type', async () => {
    const path = temporary('run.trace');
    await conclave(words`simulate A7 --option piggyback --option greedy=2 --option holder=b --trace
      ${path}`);
    expect(readFileSync(path, 'utf8')).toContain(
      '# options: {"piggyback":true,"greedy":2,"holder":"b"}\n',
    );
  });

  it('warns of conditions that the protocol does not assume, and shows their effect', async () => {
    const argv = ['simulate', 'A3', '--loss', '0.1'];
    const { exitCode, stdout, stderr } = await conclave(argv);
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      'warning: Ricart–Agrawala assumes channels that lose nothing; --loss 0.1 does.\n',
    );
    expect(stdout).toMatch(
      /^✗ +every node that wants to enter eventually enters +leadsTo +violated$/m,
    );
    expect(stdout).toMatch(
      /\nThe last 20 of \d+ steps:\n(.*ms {2}.*\n){20}\nAgain: npx conclave simulate A3 --loss 0\.1 --trace run\.trace --seed 1\n$/,
    );
    const warned =
      await conclave(words`simulate ${fixture('ping-pong.js')} --export pingPong --order any
      --duplicate .5 --initiators a`);
    expect(warned.stderr).toContain(
      'warning: ping-pong assumes channels that keep the order; --order any does not.\n',
    );
    expect(warned.stderr).toContain(
      'warning: ping-pong assumes channels that duplicate nothing; --duplicate 0.5 does.\n',
    );
  });

  it('gives a command to those nodes only that may get it', async () => {
    const { exitCode, stdout } = await conclave(['simulate', 'C5', '--option', 'founders=2']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^messages +3 sent \(message 2, submit 1\)$/m);
  });

  it('crashes and restarts nodes', async () => {
    const path = temporary('run.trace');
    await conclave(words`simulate B3 --initiators a --crash c@100:between --crash d@200+50:between
      --trace ${path}`);
    expect(readFileSync(path, 'utf8')).toMatch(
      /100\.000ms {2}c {2}crash\n.*d {2}crash\n.*250\.000ms {2}d {2}restart/,
    );
    await conclave(words`simulate B3 --initiators a --crash c@1.5:inside --trace ${path}`);
    expect(readFileSync(path, 'utf8')).toMatch(
      /2\.000ms {2}c {2}election\(b\) from b .*\n *2\.000ms {2}c {2}crash\n/,
    );
  });

  it.each([
    ['--until-steps', 'step'],
    ['--until-time', 'time'],
  ])('stops at %s and leaves verdicts open', async (option, limit) => {
    const argv = ['simulate', 'B3', '--delay', 'fixed:5', option, '7'];
    const { exitCode, value } = await json(...argv);
    expect(exitCode).toBe(0);
    expect(value).toMatchObject({
      complete: false,
      properties: expect.arrayContaining([expect.objectContaining({ verdict: 'incomplete' })]),
    });
    expect((await conclave(argv)).stdout).toContain(`\nStopped by the ${limit} limit after `);
  });

  it('says at the limit of steps what the run needs, by the formula where there is one', async () => {
    const ended = async (...argv: readonly string[]) =>
      (await conclave(['simulate', ...argv])).stdout.trimEnd().split('\n').at(-1);
    expect(await ended('B3', '--topology', 'ring:8', '--until-steps', '20')).toMatch(
      /Stopped by the step limit after .*verdicts\. By its formula, n·H_n \+ n, LeLann–Chang–Roberts takes about 54 steps here: give --until-steps 108\.$/,
    );
    expect(await ended('A3', '--entries', '2', '--until-steps', '20')).toMatch(
      /By its formula, 2\(n−1\), Ricart–Agrawala takes up to 105 steps here: give --until-steps 105\.$/,
    );
    expect(await ended('A11', '--until-steps', '20')).toMatch(
      /Give more than --until-steps 20, or --until-time if it runs forever\.$/,
    );
  });

  proof('stops where time stands still, which is exit code 2', async () => {
    const argv = ['simulate', 'A11', '--delay', 'fixed:0'];
    const { exitCode, stdout, stderr } = await conclave(argv);
    expect(exitCode).toBe(2);
    expect(stderr).toBe(
      'incomplete: time stands still after 100,001 steps, at 0 ms: the nodes take steps forever at the same moment. Give messages a --delay above 0.\n',
    );
    expect(stdout).toMatch(
      /\nTime stands still after 0 ms of virtual time and [\d,]+ deliveries: the nodes take steps forever at the same moment\.\n$/,
    );
    expect((await json(...argv)).value).toMatchObject({
      complete: false,
      incomplete: expect.stringMatching(/^time stands still /),
    });
  });

  it('reports what a dropped assumption breaks in its one JSON value', async () => {
    const { exitCode, stderr, value } = await json(
      ...words`simulate A1 --topology star:12 --duplicate 0.2 --seed 1`,
    );
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^warning: [^\n]+\n$/);
    expect(value).toMatchObject({
      complete: false,
      violated:
        'the queue has each client once from its request to its grant, in the order of arrival',
      trace: expect.stringContaining('duplicate request from g'),
    });
  });

  it('reports an unhandled message in its one JSON value', async () => {
    const { exitCode, value } = await json(
      ...words`simulate ${fixture('ping-pong.js')} --export deaf --topology ring:3`,
    );
    expect(exitCode).toBe(1);
    expect(value).toMatchObject({
      complete: false,
      violated: 'every message is handled or explicitly ignored',
      fault: expect.stringMatching(
        /^Node \S+ in '.+' does not handle '.+' \(from \S+\) \(at [\d.]+ ms, seed 1\)\. List it under on/,
      ),
      trace: expect.stringContaining('# fault: Node '),
    });
  });

  it.each([
    ['run.svg', 'space-time diagram', /^<svg /],
    ['run.animated.svg', 'space-time diagram that moves', /@keyframes coming/],
    ['run.mmd', 'Mermaid sequence diagram', /^sequenceDiagram\n/],
    ['run.shiviz', 'ShiViz log', /^a {"a":1}$/m],
    ['run.trace', 'trace', /^# conclave-trace: 1\n# protocol: lelann-chang-roberts\n/],
  ])('writes %s as a %s', async (name, what, beginning) => {
    const path = temporary(name);
    const { stdout } = await conclave(['simulate', 'B3', '--trace', path]);
    expect(stdout).toContain(`\nWrote ${path} (${what}`);
    expect(readFileSync(path, 'utf8')).toMatch(beginning);
  });

  proof('shows progress on a terminal when a run takes long', async () => {
    let clock = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (clock += 1500));
    const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
    await conclave(['simulate', 'A3', '--topology', 'complete:40', '--entries', '60'], {
      terminal,
    });
    vi.restoreAllMocks();
    expect(String(terminal.read())).toMatch(
      /simulating: \d+,\d+ messages, \d+\.\d s of virtual time/,
    );
  });
});

describe('a violated property', () => {
  const argv = words`simulate ${fixture('broken-lock.ts')} --topology complete:3 --hold fixed:50`;

  it('is exit code 1, with the trace and the command that repeats it', async () => {
    const { exitCode, stdout, stderr } = await conclave(argv);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
    expect(stdout).toMatch(/^✗ +at most one node is in the critical section +always +violated$/m);
    expect(stdout).toMatch(/\nStopped at the violation after /);
    expect(stdout).toMatch(
      / {2}wanted → held\n\nAgain: npx conclave simulate \S+broken-lock\.ts --topology complete:3 --hold fixed:50 --trace run\.trace --seed 1\n$/,
    );
  });

  it('--json has its name and the trace', async () => {
    const { exitCode, value } = await json(...argv);
    expect(exitCode).toBe(1);
    expect(value).toMatchObject({
      violated: 'at most one node is in the critical section',
      complete: false,
    });
    expect(value.trace).toMatch(
      /^# conclave-trace: 1\n# protocol: broken-lock\n# topology: complete:3\n/,
    );
  });

  it('that is found only at the end has a trace, too', async () => {
    const { value } = await json('simulate', 'A3', '--loss', '0.1');
    expect(value).toMatchObject({
      violated: 'every node that wants to enter eventually enters',
      complete: true,
    });
    expect(value.trace).toMatch(/ {2}drop re\w+/);
  });

  it('has a trace that replay accepts', async () => {
    const path = temporary('run.trace');
    const { stdout } = await conclave([...argv, '--trace', path]);
    const command = `npx conclave replay ${path} --protocol ${fixture('broken-lock.ts')}`;
    expect(stdout).toContain(`Replay: ${command}\n`);
    expect(await conclave(command.split(' ').slice(2))).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

refuses('simulate', {
  A99: "There is no algorithm 'A99'. There are A",
  'A3 --topology ring:5':
    "Ricart–Agrawala needs a complete network; in 'ring:5' a and c have no link between them. Try complete:5.",
  'A3 --topology rng:5': "Topology 'rng:5' is of no known kind. Did you mean ring?",
  'A3 --topology file:nowhere.txt': "The edge list 'nowhere.txt' cannot be read: ENOENT",
  'A3 --delay fast': "'fast' is no delay. Write fixed:5, ",
  'A3 --delay geo':
    "--delay geo takes the delays of the links, and in 'complete:5' a→b has none. Use a backbone",
  'A3 --think geo': "'geo' is the delay of links, and --think and --hold have none. Write fixed:5.",
  'A3 --order lifo':
    "option '--order <order>' argument 'lifo' is invalid. Allowed choices are fifo, any.",
  'A3 --drift 1':
    "option '--drift <ratio>' argument '1' is invalid. It is a number from 0 to below 1, in whole millionths.",
  'A3 --loss 1.5': "option '--loss <p>' argument '1.5' is invalid. It is a number from 0 to 1.",
  'A3 --seed x': "option '--seed <n>' argument 'x' is invalid. It is a whole number.",
  'A3 --entries 0.5':
    "option '--entries <k>' argument '0.5' is invalid. It is a whole number, 0 or more.",
  'A3 --until-time -1':
    "option '--until-time <ms>' argument '-1' is invalid. It is a number of milliseconds, 0 or more.",
  'B3 --entries 3': '--entries is for a critical section, and LeLann–Chang–Roberts has none',
  'A3 --initiators a,z':
    "The workload names the node 'z', which the network does not have. It has a, b, c, d, e.",
  'A3 --initiators a,,b':
    "option '--initiators <nodes>' argument 'a,,b' is invalid. It is 'all', or nodes such as a,b.",
  [`${fixture('client-server.js')} --initiators a`]:
    '--initiators has no effect: Client and server has no optional command',
  'A3 --crash z@5': "Fault 1 (crash): 'z' is no node of 'complete:5'.",
  'A3 --crash z':
    "'z' is no crash. Write c@100, or c@100+50 for a restart 50 ms later; after it :inside for a crash in the middle of the next step, or :between for one between two.",
  'A3 --option greedy=2':
    "ricart-agrawala: there is no option 'greedy'. It knows acknowledged, timeout, cancel.",
  'A7 --option greedy=many': "raymond: greedy is 'many'. Give a whole number, 0 or more.",
  'A3 --export x':
    "--export is for a module of your own, and 'A3' is not a path. Write its path as ./module.ts.",
  [`${fixture('client-server.js')} --option x`]:
    "A protocol from a module has no --option, so 'x' has no effect. Set it in the module.",
  'A3 --trace no/such/folder/x': "The trace cannot be written to 'no/such/folder/x': ENOENT",
});

it('names the line of an edge list that is wrong', async () => {
  const edges = `file:${temporary('edges.txt', 'a b 1\nb c soon\n')}`;
  const { exitCode, stderr } = await conclave(['simulate', 'A3', '--topology', edges]);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(
    /^error: \S+edges\.txt:2: the delay 'soon' is not a number of milliseconds from 0 to 1e12\n$/,
  );
});

it('writes no trace of a run that could not start', async () => {
  const path = temporary('run.trace');
  expect(await conclave(['simulate', 'A3', '--topology', 'ring:5', '--trace', path])).toMatchObject(
    { exitCode: 2 },
  );
  expect(existsSync(path)).toBe(false);
});
