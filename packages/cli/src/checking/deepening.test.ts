import { fileURLToPath } from 'node:url';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { conclave, fixture, json, temporary, words } from '../fixtures/conclave.js';

const exclusion = 'at most one node is in the critical section';

interface System {
  readonly topology: string;
  readonly entries: number;
  readonly complete: boolean;
  readonly limit?: string;
}

/**
 * A clock on which each look takes so many seconds: what is explored does not depend on the
 * machine.
 */
function slowClock(seconds: number): () => number {
  let now = 0;
  return () => (now += seconds * 1000);
}

/** A clock on which the search has little time, and the walks have much. */
function unevenClock(): () => number {
  let looks = 0;
  return () => 1000 * (++looks < 5 ? 10 * looks : 60 + looks / 5);
}

describe('conclave check without sizes', () => {
  proof(
    'goes on to larger systems until the time is over, and says what it did not try',
    async () => {
      const check = async () =>
        JSON.parse(
          (
            await conclave(['check', 'A8', '--max-seconds', '57600', '--json'], {
              clock: slowClock(1000),
            })
          ).stdout,
        );
      const value = await check();
      const sizes = value.systems.map(({ topology, entries }: System) => `${topology} ${entries}`);
      expect(sizes).toEqual(
        expect.arrayContaining([
          'complete:2 1',
          'complete:2 2',
          'complete:2 3',
          'complete:3 1',
          'complete:3 2',
          'complete:4 1',
        ]),
      );
      expect(value).toMatchObject({
        protocol: 'naimi-trehel',
        ended: 'the time is over',
        notTried: [expect.stringMatching(/^\d nodes$/), expect.stringMatching(/^\d+ commands$/)],
        seconds: expect.any(Number),
        coverage: [{ role: 'node', transitions: 12, taken: 12, missed: [], unentered: [] }],
      });
      expect(value).not.toHaveProperty('incomplete');
      for (const { verdict } of value.properties) expect(['holds', 'reached']).toContain(verdict);
      for (const system of value.systems)
        expect(system).toMatchObject({
          complete: true,
          loss: 0,
          crash: 0,
          properties: expect.any(Array),
        });
      const three = value.systems.find(
        ({ topology, entries }: System) => topology === 'complete:3' && entries === 1,
      );
      expect(three).toMatchObject({ states: 164, transitions: 296, depth: 13 });
      expect(
        (await check()).systems.map(({ topology, entries }: System) => `${topology} ${entries}`),
      ).toEqual(sizes);
    },
  );

  proof('lists each system with its counts, and of many the largest', async () => {
    const { exitCode, stdout, stderr } = await conclave(['check', 'B3', '--max-seconds', '57600'], {
      clock: slowClock(2000),
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(
      /^systems +ring:2 with one command each: 22 states, 35 transitions, depth 6\n +ring:/m,
    );
    expect(stdout).toMatch(/^ +ring:2 with up to 2 commands each: 63 states, /m);
    expect(stdout).toMatch(
      /^coverage +node: 15 of 16 transitions taken\n +never passive\.relaying: election \[larger\]/m,
    );
    expect(stdout).toMatch(
      /\nExhausted: every reachable state of the \d+ systems above was explored\. Transitions that were never taken are not checked either\. How many systems fit into the time depends on the machine: continue with --max-seconds 60, or choose one with --topology\.\nNot tried: \d nodes; \d commands\.\n$/,
    );
    const many = await conclave(['check', 'B3', '--max-seconds', '57600'], {
      clock: slowClock(500),
    });
    expect(many.stdout).toMatch(
      /^ +and \d+ systems on these networks with fewer commands or faults; --json lists all$/m,
    );
    expect(many.stdout).not.toContain('ring:2 with one command each: 22 states');
  });

  proof('never calls a cut system exhausted', async () => {
    const { value } = await json('check', 'B3', '--max-seconds', '0.5');
    const cut: readonly System[] = value.systems.filter(({ complete }: System) => !complete);
    for (const system of cut) expect(system).toMatchObject({ limit: 'seconds' });
    expect(value.ended).toBe('the time is over');
    expect(value.notTried.length).toBe(2);
  });

  proof.each([
    ['fourNodes', 'a ball has less than four hops', '--topology ring:4'],
    ['threeCommands', 'a count is below three', '--topology ring:2 --entries 3'],
    ['oneLoss', 'no node waits in a quiescent state', '--topology complete:2 --loss 1'],
    ['oneCrash', 'a node is alone', '--topology complete:2 --crash 1'],
    ['oneRestart', 'a neighbour starts once', '--topology ring:2 --crash 1 --restart 1'],
  ])(
    'finds the violation of %s, which the smallest systems do not have',
    async (name, property, size) => {
      const path = fixture('late-bugs.js');
      const { exitCode, stdout } = await conclave(
        words`check ${path} --export ${name} --max-seconds 36000`,
      );
      expect(exitCode).toBe(1);
      expect(stdout).toContain(`\n✗ ${property}, after `);
      expect(stdout).toContain(
        `\nAgain: npx conclave check ${path} --export ${name} ${size} --trace run.trace\n`,
      );
      expect((await conclave(['check', path, '--export', name, ...size.split(' ')])).exitCode).toBe(
        1,
      );
    },
  );

  it('judges only what is safe where nodes crash because the protocol tolerates it, and says so', async () => {
    const safeOnly = ['check', fixture('late-bugs.js'), '--export', 'safeOnly'];
    const { exitCode, stdout } = await conclave([...safeOnly, '--max-seconds', '57600'], {
      clock: slowClock(2000),
    });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^ +complete:2 with one command each, 1 crash: \d+ states, /m);
    expect(stdout).toMatch(
      /\nAssumed: that no more fails than in these systems\.\n(.*\n)*Not tried: .*; liveness and cost with crashes\.\n$/,
    );
    // The user wants to see it.
    const crashing = await conclave([...safeOnly, '--crash', '1', '--max-seconds', '57600'], {
      clock: slowClock(2000),
    });
    expect(crashing.exitCode).toBe(1);
    expect(crashing.stdout).toContain('\n✗ no node waits in a quiescent state, after ');
  });

  it('ends early where nothing is left that adds states', async () => {
    const { exitCode, value } = await json(
      ...words`check ${fixture('late-bugs.js')} --export still --max-seconds 36000`,
    );
    expect(exitCode).toBe(0);
    expect(value).toMatchObject({
      ended: 'nothing is left that adds states',
      notTried: [],
      systems: [{ states: 1 }],
    });
    const { stdout } = await conclave(
      words`check ${fixture('late-bugs.js')} --export still --max-seconds 36000`,
    );
    expect(stdout).toContain(
      '\nExhausted: every reachable state of complete:2 was explored. Nothing is left that adds states.\n',
    );
    expect(stdout).not.toContain('Not tried');
  });

  it('proves nothing where no system was exhausted, which is exit code 2', async () => {
    const { exitCode, stdout, stderr } = await conclave(['check', 'A3', '--max-seconds', '0']);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: 'incomplete: cut after 0 ms; nothing is proved to hold.\n',
    });
    expect(stdout).toMatch(
      /^INCOMPLETE: cut after 0 ms; nothing is proved to hold\.\nNot tried: 3 nodes; 2 commands\.$/m,
    );
    expect(stdout).not.toContain('✓');
    const { value } = await json('check', 'A3', '--max-seconds', '0');
    expect(value).toMatchObject({
      incomplete: expect.any(String),
      systems: [{ topology: 'complete:2', entries: 1, complete: false }],
    });
  });

  proof(
    'stops at the smallest system that violates a property, and says how to repeat it',
    async () => {
      const path = temporary('run.trace');
      const { exitCode, stdout } = await conclave(
        words`check ${fixture('broken-lock.ts')} --max-seconds=60 --trace ${path}`,
      );
      expect(exitCode).toBe(1);
      expect(stdout).toMatch(
        /^systems +complete:2 with one command each: 25 states, 40 transitions, depth 8\ntime /m,
      );
      expect(stdout).toContain(`\n✗ ${exclusion}, after 6 steps:\n`);
      expect(stdout).toMatch(
        /\nAgain: npx conclave check \S+broken-lock\.ts --trace \S+run\.trace --topology complete:2\n\nWrote /,
      );
      const replay = await conclave(['replay', path, '--protocol', fixture('broken-lock.ts')]);
      expect(replay.exitCode).toBe(0);
    },
  );

  proof(
    'calls reached what any system reaches: with two nodes, the other one gets the ball',
    async () => {
      const game = fileURLToPath(new URL('../../../examples/src/ping-pong.ts', import.meta.url));
      const { exitCode, value } = await json('check', game, '--max-seconds', '2');
      expect(exitCode).toBe(0);
      expect(value.properties).toContainEqual(
        expect.objectContaining({
          name: 'a player other than the first holds the ball',
          verdict: 'reached',
        }),
      );
      // Alone, three nodes and one service do not: the ball comes back to the server.
      expect((await json('check', game, '--topology', 'ring:3')).exitCode).toBe(1);
    },
  );

  it('ends with the results so far when it is interrupted', async () => {
    let asked = 0;
    const { exitCode, stdout, stderr } = await conclave(['check', 'B3', '--max-seconds', '3600'], {
      interrupted: () => ++asked > 100,
    });
    expect(exitCode).toBe(130);
    expect(stderr).toMatch(/^incomplete: interrupted; \d+ systems? exhausted\.\n$/);
    expect(stdout).toContain(', interrupted\ntime ');
  });
});

it('walks after a check without sizes refute what the explored systems have not shown, and say how to walk there again', async () => {
  const check = ['check', fixture('late-bugs.js'), '--export', 'threeCommands'];
  // the time is over after the first systems
  const { exitCode, stdout } = await conclave([...check, '--max-seconds', '60'], {
    clock: unevenClock(),
  });
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^walks +ring:\d.*: \d+ walks?, [\d,]+ steps, not exhausted$/m);
  expect(stdout).toContain('\n✗ a count is below three, after ');
  const [again = ''] = /^Again: npx conclave (.*)$/m.exec(stdout)?.slice(1) ?? [];
  expect(again).toContain('--walks');
  const repeated = await conclave(again.split(' ').slice(0, -2));
  expect(repeated.exitCode).toBe(1);
});
