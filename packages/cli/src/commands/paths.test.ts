import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { conclave, fixture, json } from '../fixtures/conclave.js';

const lock = ['paths', 'A3', '--topology', 'complete:2'];

describe('conclave paths', () => {
  it('lists paths, the longest first, and what each takes first', async () => {
    const { exitCode, stdout, stderr } = await conclave(lock);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(
      'paths     11 shortest paths, 58 steps; 35 states\ntaken     8 of 8 transitions\n',
    );
    expect(stdout).toMatch(
      /^path {2}steps {2}takes first +actions\n1 +8 +released: acquire → wanted +a acquire, b acquire, b request\(1\) from a,/m,
    );
    expect(stdout).toMatch(
      /^2 +8 +released: request +a acquire, b request\(1\) from a, b acquire, a reply from b, a release,$/m,
    );
    expect(stdout).toMatch(/^3 +8 +– +b acquire,/m);
  });

  it('--json has the numbers of the actions, their words and the transitions', async () => {
    const { exitCode, value } = await json(...lock);
    expect(exitCode).toBe(0);
    const { paths, transitions, ...rest } = value;
    expect(rest).toEqual({
      protocol: 'ricart-agrawala',
      topology: 'complete:2',
      kind: 'shortest',
      states: 35,
      complete: true,
      uncovered: [],
    });
    expect(paths).toHaveLength(11);
    expect(paths[10]).toEqual({
      length: 3,
      takesFirst: [],
      takes: ['released: acquire → wanted', 'wanted: request [oursIsOlder]'],
      actions: ['a acquire', 'b acquire', 'a request(1) from b'],
      steps: [0, 0, 1],
    });
    expect(transitions).toContainEqual({ transition: 'held: request', paths: 2, isPossible: true });
  });

  it('names the transitions that no path takes', async () => {
    const { stdout } = await conclave(['paths', 'raymond', '--show', '1']);
    expect(stdout).toMatch(
      /No path takes, although some step does \(2\):\n {2}held: release \[oneWaits\] → released\.away\n {2}held: release → released\.asked\n\nNo step in this system takes \(2\):\n/,
    );
    expect(stdout).toContain('and 48 paths more: --show 52\n');
  });

  it('--covering chooses paths, the shortest first', async () => {
    const { value } = await json(...lock, '--covering', 'released: request');
    expect(value.paths.map(({ length }: { length: number }) => length)).toEqual([
      4, 4, 4, 4, 5, 5, 8, 8,
    ]);
    for (const { takes } of value.paths) expect(takes).toContain('released: request');
    expect(await conclave([...lock, '--covering', 'heId'])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^error: No transition has the text 'heId'\. There are released: acquire → wanted; .*\n$/,
      ),
    });
  });

  proof('has crashes in the middle of a step, unless --atomic-steps', async () => {
    const argv = [
      fixture('../../../studio/src/model/announcement.contract.ts'),
      '--topology',
      'complete:2',
      '--initiators',
      'a',
      '--crash',
      '1',
    ];
    const { value } = await json('paths', ...argv);
    const inside = value.paths.filter(({ actions }: { actions: readonly string[] }) =>
      actions[0]?.startsWith("a crash in the middle of 'a ann"),
    );
    expect(inside).toMatchObject([{ takes: ['alone: announce → leading'], length: 1 }]);
    expect((await conclave(['paths', ...argv, '--atomic-steps'])).stdout).not.toContain(
      'in the middle of',
    );
  });

  it('--kind simple has more paths', async () => {
    const { value } = await json(...lock, '--kind', 'simple');
    expect([value.kind, value.complete, value.paths.length]).toEqual(['simple', true, 20]);
  });

  it.each([
    [['--max-paths', '5'], 'more than 5 paths (--max-paths).', 5],
    [
      ['--max-states', '10'],
      'more than 10 states (--max-states); these are 6 paths to 12 states.',
      6,
    ],
    [['--entries', '0'], 'nothing can happen, so there is no path.', 1],
  ])('with %j is incomplete: exit code 2, and it says why', async (options, why, count) => {
    const { exitCode, stderr, value } = await json(...lock, ...options);
    expect({ exitCode, stderr, incomplete: value.incomplete }).toEqual({
      exitCode: 2,
      stderr: `incomplete: ${why}\n`,
      incomplete: why,
    });
    expect(value.paths).toHaveLength(count);
  });

  it('claims nothing of what it has not found', async () => {
    const { stdout } = await conclave([...lock, '--max-states', '10']);
    expect(stdout).toMatch(/\nNo step that was found takes \(\d\):\n/);
    expect(stdout).not.toContain('in this system');
  });

  it('is incomplete, too, where a transition is on no path', async () => {
    const { exitCode, stderr } = await conclave([
      'paths',
      'raymond',
      '--covering',
      'released.asked: request',
    ]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: "incomplete: no path takes a transition with the text 'released.asked: request'.\n",
    });
  });

  it('says where an action fails', async () => {
    const { exitCode, stderr, value } = await json(...lock, '--duplicate', '1');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(
      /incomplete: an action fails, and no path leads beyond it: Node [ab] in '\w+' does not handle 'reply'/,
    );
    expect(value.fault).toMatch(/does not handle 'reply'/);
  });

  it('stops when the user asks', async () => {
    const { exitCode, stderr } = await conclave(lock, { interrupted: () => true });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 130,
      stderr: 'incomplete: interrupted after 1 path to 1 state; there are more.\n',
    });
  });

  it("takes a module's protocol, with the roles of its transitions", async () => {
    const { exitCode, value } = await json('paths', fixture('client-server.js'));
    expect(exitCode).toBe(0);
    expect(value.paths.length).toBeGreaterThan(0);
    expect(
      value.transitions.map(({ transition }: { transition: string }) => transition.split(' ')[0]),
    ).toEqual(expect.arrayContaining(['server', 'client']));
  });
});
