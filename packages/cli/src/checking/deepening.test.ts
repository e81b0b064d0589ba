import type { Exploration } from '@conclave/core/exploration';
import { describe, expect, it } from 'vitest';
import { conclave, fixture, json, temporary } from '../fixtures/conclave.js';
import type { Verdict } from '../output/text.js';
import { overall, overallCoverage } from './deepening.js';

type Coverage = NonNullable<Exploration['coverage']>;

/** A system with these verdicts on an `always` and a `sometimes` of one name; `complete` is false for one that was cut. */
const system = (verdicts: readonly [Verdict, Verdict], complete = true, coverage: Coverage = []): Exploration => ({
  ...{ protocol: 'p', topology: 't', states: 1, transitions: 0, depth: 0, width: 1, seconds: 0, complete, coverage, assumptions: [] },
  steps: { distinct: 0, confirmed: 0 },
  properties: [
    { name: 'it is so', kind: 'always', verdict: verdicts[0] },
    { name: 'it is so', kind: 'sometimes', verdict: verdicts[1] },
  ],
  diagnosis: { nodes: {}, fields: {}, messages: 0, contents: 0, growing: [] },
});
const verdicts = (...systems: readonly Exploration[]) => overall(systems).map(({ verdict }) => verdict);

describe('several systems together', () => {
  it('violate what one violates, and reach what one reaches, even if it was cut', () => {
    expect(verdicts(system(['holds', 'reached']), system(['violated', 'unreached'], false))).toEqual(['violated', 'reached']);
    expect(verdicts(system(['holds', 'unreached']), system(['incomplete', 'reached'], false))).toEqual(['holds', 'reached']);
  });

  it('show that a property holds if it holds in each exhausted one, and nothing by those that were cut', () => {
    expect(verdicts(system(['holds', 'unreached']), system(['incomplete', 'incomplete'], false))).toEqual(['holds', 'unreached']);
    expect(verdicts(system(['holds', 'unreached']), system(['incomplete', 'incomplete']))).toEqual(['incomplete', 'incomplete']);
    expect(verdicts(system(['incomplete', 'incomplete'], false))).toEqual(['incomplete', 'incomplete']);
    expect(overall([])).toEqual([]);
  });

  it('have a remark on a property only if each of them has one', () => {
    const remarked = (remark: string): Exploration => {
      const { properties, ...rest } = system(['holds', 'reached']);
      return { ...rest, properties: properties.map((property, index) => (index === 0 ? { ...property, remark } : property)) };
    };
    expect(overall([remarked('one'), remarked('two')])[0]).toMatchObject({ verdict: 'holds', remark: 'two' });
    expect(overall([remarked('one'), system(['holds', 'reached'])])[0]).toEqual({ name: 'it is so', kind: 'always', verdict: 'holds' });
    expect(overall([system(['vacuous', 'reached']), remarked('two')])[0]).toMatchObject({ verdict: 'holds', remark: 'two' });
  });

  it('miss of a statechart what each misses', () => {
    const used = (missed: readonly string[], neverTrue: readonly string[], neverFalse: readonly string[]): Coverage => [
      {
        role: 'r',
        transitions: 4,
        taken: 4 - missed.length,
        missed,
        guards: { asked: 2, neverTrue, neverFalse },
        unentered: missed,
        undelivered: [],
      },
    ];
    const of = (coverage: Coverage) => system(['holds', 'reached'], true, coverage);
    // The guard of a was never true, then true; that of b not evaluated, then never true; that of c never false, then false.
    const [role] = overallCoverage([of(used(['a', 'b', 'd'], ['a'], ['c'])), of(used(['b', 'd'], ['b'], []))]);
    expect(role).toEqual({
      ...{ role: 'r', transitions: 4, taken: 2, missed: ['b', 'd'], unentered: ['b', 'd'], undelivered: [] },
      guards: { asked: 2, neverTrue: ['b'], neverFalse: [] },
    });
  });
});

const exclusion = 'at most one node is in the critical section';
const sizesOf = (value: { readonly systems: readonly { readonly topology: string; readonly entries: number }[] }) =>
  value.systems.map(({ topology, entries }) => `${topology} ${entries}`);

describe('conclave check without sizes', () => {
  it('explores larger systems until two have added nothing to a full coverage', async () => {
    const { exitCode, stderr, value } = await json('check', 'A8', '--for', '1h');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    // With three nodes and one entry each, transitions stay untaken.
    expect(sizesOf(value)).toEqual(['complete:2 1', 'complete:2 2', 'complete:3 1', 'complete:3 2', 'complete:4 1', 'complete:4 2']);
    expect(value).toMatchObject({
      protocol: 'naimi-trehel',
      exhausted: { topology: 'complete:4', entries: 2 },
      ended: 'the coverage is full, and two larger systems added nothing',
      seconds: expect.any(Number),
      coverage: [{ role: 'node', transitions: 12, taken: 12, missed: [], unentered: [] }],
    });
    expect(value).not.toHaveProperty('incomplete');
    for (const { verdict } of value.properties) expect(['holds', 'reached']).toContain(verdict);
    for (const system of value.systems) expect(system).toMatchObject({ complete: true, properties: expect.any(Array) });
    expect(value.systems[2]).toMatchObject({ states: 164, transitions: 296, depth: 13 });
  });

  it('says which systems it exhausted, and which was cut', async () => {
    const { exitCode, stdout, stderr } = await conclave(['check', 'B3', '--for', '500ms']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(
      /^systems +ring:2 with one command each: 22 states, 35 transitions, depth 6\n +ring:2 with up to 2 commands each: 63 states, /m,
    );
    expect(stdout).toMatch(/^coverage +node: 15 of 16 transitions taken\n +never passive\.relaying: election \[larger\]/m);
    const [, exhausted, cut] =
      /\nExhausted: every reachable state of (ring:\d with .+ each) and of all systems above it was explored\. (.+) Transitions that were never taken are not checked either\. Continue with --for 1m, or choose a system: --topology ring:\d\.\n$/.exec(
        stdout,
      ) ?? [];
    expect(exhausted).toBeDefined();
    expect(cut).toMatch(/^(ring:\d with .+ each was cut after 500 ms, which proves nothing about it|Then the time was over)\.$/);
  });

  it('keeps to its time, and never calls a cut system exhausted', async () => {
    const started = performance.now();
    const { value } = await json('check', 'B3', '--for', '1s');
    expect(performance.now() - started).toBeLessThan(6000);
    type System = { readonly complete: boolean; readonly topology: string; readonly entries: number };
    const systems: readonly System[] = value.systems;
    const cut = systems.filter(({ complete }) => !complete);
    expect(cut).toHaveLength(value.ended === 'the last system was cut' ? 1 : 0);
    for (const system of cut) expect(system).toMatchObject({ limit: 'seconds' });
    const { topology, entries } = systems.findLast(({ complete }) => complete) ?? {};
    expect(value.exhausted).toEqual({ topology, entries });
    expect(['the last system was cut', 'the time is over']).toContain(value.ended);
  });

  it('proves nothing where no system was exhausted, which is exit code 2', async () => {
    const { exitCode, stdout, stderr } = await conclave(['check', 'A3', '--for', '0s']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: 'incomplete: cut after 0 ms; nothing is proved to hold.\n' });
    expect(stdout).toMatch(/^INCOMPLETE: cut after 0 ms; nothing is proved to hold\.$/m);
    expect(stdout).not.toContain('✓');
    const { value } = await json('check', 'A3', '--for', '0s');
    expect(value).toMatchObject({ incomplete: expect.any(String), systems: [{ topology: 'complete:2', entries: 1, complete: false }] });
    expect(value).not.toHaveProperty('exhausted');
  });

  it('stops at the smallest system that violates a property, and says how to repeat it', async () => {
    const path = temporary('run.trace');
    const { exitCode, stdout } = await conclave(['check', fixture('broken-lock.ts'), '--for=1m', '--trace', path]);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^systems +complete:2 with one command each: 25 states, 40 transitions, depth 8\ntime /m);
    expect(stdout).toContain(`\n✗ ${exclusion}, after 6 steps:\n`);
    expect(stdout).toMatch(/\nAgain: conclave check \S+broken-lock\.ts --trace \S+run\.trace --topology complete:2\n\nWrote /);
    const replay = await conclave(['replay', path, '--protocol', fixture('broken-lock.ts')]);
    expect(replay.exitCode).toBe(0);
  });

  it('calls reached what any system reaches: with two nodes, the other one gets the ball', async () => {
    const game = new URL('../../../examples/src/ping-pong.ts', import.meta.url).pathname;
    const { exitCode, value } = await json('check', game, '--for', '1m');
    expect(exitCode).toBe(0);
    expect(value.properties).toContainEqual(
      expect.objectContaining({ name: 'a player other than the first holds the ball', verdict: 'reached' }),
    );
    // Alone, three nodes and one service do not: the ball comes back to the server.
    expect((await json('check', game, '--topology', 'ring:3')).exitCode).toBe(1);
  });

  it('ends with the results so far when it is interrupted', async () => {
    let asked = 0;
    const { exitCode, stdout, stderr } = await conclave(['check', 'B3', '--for', '1h'], { interrupted: () => ++asked > 100 });
    expect(exitCode).toBe(130);
    expect(stderr).toMatch(/^incomplete: interrupted; exhausted up to ring:\d with .+ each\.\n$/);
    expect(stdout).toContain(', interrupted\ntime ');
  });
});
