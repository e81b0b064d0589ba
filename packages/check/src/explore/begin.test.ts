/** Searches that begin where a run ends, several counterexamples, and states without an end. */

import { atMost, machineProtocol, never } from '@conclave/core/protocol';
import { complete, star } from '@conclave/core/topology';
import { linesText, replay, type Trace } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';
import { assign, setup } from 'xstate';
import { calls, centralLock } from '../../../core/src/protocol/examples.contract.js';
import type { World } from '../worlds/world.js';
import { worldKey } from '../worlds/world-key.js';
import { Worlds } from '../worlds/worlds.js';
import { explore } from './explore.js';

const inside = never('b is inside', ({ nodes }) =>
  nodes.some(({ id, tags }) => id === 'b' && tags.has('critical')),
);
const traceOf = (...given: Parameters<typeof explore>): Trace =>
  explore(...given).properties.find(({ trace }) => trace)?.trace as Trace; // there is one

/** How many worlds can be reached from `first`, by the definition. */
function reached(worlds: Worlds, first: World): number {
  const keyOf = (world: World) => worldKey(world, worlds.order);
  const found = new Map([[keyOf(first), first]]);
  for (const world of found.values())
    for (const action of worlds.actions(world)) {
      const next = worlds.next(world, action);
      if (!found.has(keyOf(next))) found.set(keyOf(next), next); // grows
    }
  return found.size;
}

describe('a search from a run', () => {
  const run = traceOf(centralLock, star(3), { properties: [inside] });

  it('finds the worlds of the definition from its end, with the whole budget', () => {
    const worlds = new Worlds(centralLock, star(3), { commands: 1 });
    let { initial: end } = worlds;
    const wanted = ['command', 'deliver', 'deliver']; // b acquires, a is asked, b is granted
    for (const type of wanted) {
      const action = worlds
        .actions(end)
        .find((one) => one.type === type && !('node' in one && one.node !== 'b'));
      if (action) end = worlds.next(end, action);
    }
    const { commands } = worlds.initial.remaining;
    const begun = { ...end, remaining: { ...end.remaining, commands } };
    const found = explore(centralLock, star(3), { from: run });
    expect(found.states).toBe(reached(worlds, begun));
    expect(found.states).not.toBe(explore(centralLock, star(3)).states);
    expect(found.complete).toBe(true);
    expect(found.assumptions).toEqual(['that a run begins with the 3 lines of the given one']);
    const first = explore(centralLock, star(3), { from: { ...run, lines: [] } });
    expect(first.states).toBe(explore(centralLock, star(3)).states);
  });

  it('gives counterexamples that replay from the start', () => {
    const left = never('c holds', ({ nodes }) =>
      nodes.some(({ id, value }) => id === 'c' && value === 'critical'),
    );
    const found = explore(centralLock, star(3), { from: run, properties: [left] });
    const { trace } = found.properties[0] ?? {};
    expect(linesText(trace?.lines.slice(0, 3) ?? [])).toBe(linesText(run.lines));
    expect(trace?.lines.length).toBeGreaterThan(5);
    expect(replay(centralLock, star(3), trace as Trace).divergence).toBeUndefined();
  });

  it('keeps the moments of exact time', () => {
    const time = { kind: 'exact', delay: [1, 2] } as const;
    const ring = never('a gives up', ({ nodes }) =>
      nodes.some(({ context }) => context.tries === 1),
    );
    const late = never('a calls twice', ({ nodes }) =>
      nodes.some(({ context }) => context.tries === 2),
    );
    const options = { time, losses: 2, initiators: ['a'] };
    const from = traceOf(calls, complete(2), { ...options, properties: [ring] });
    const { trace } =
      explore(calls, complete(2), { ...options, from, properties: [late] }).properties[0] ?? {};
    const times = trace?.lines.map((line) => line.time ?? 0) ?? [];
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(times.at(-1)).toBe(10);
  });

  it('does not count messages, since those of the run are not known', () => {
    const few = atMost(3, { per: 'acquire' });
    expect(() => explore(centralLock, star(3), { from: run, properties: [few] })).toThrow(
      /counts from the start of a run.*--safety/,
    );
  });

  it('is refused where the run is none of the system', () => {
    const from = { ...run, lines: run.lines.slice(1) };
    expect(() => explore(centralLock, star(3), { from })).toThrow(
      /Line 1, 'a {2}request from b.*' is not possible: possible is /,
    );
  });
});

describe('several counterexamples', () => {
  const busy = never('a client waits', ({ nodes }) =>
    nodes.some(({ tags }) => tags.has('waiting')),
  );

  it('end with different states of the nodes, the shortest first', () => {
    const [found] = explore(centralLock, star(3), {
      properties: [busy],
      counterexamples: 5,
    }).properties;
    const { trace, others = [] } = found ?? {};
    const runs = [trace, ...others.map((one) => one.trace)].map((one) => one?.lines ?? []);
    const ends = runs.map((lines) =>
      ['a', 'b', 'c'].map((id) => lines.findLast(({ node }) => node === id)?.after ?? '').join(' '),
    );
    expect(new Set(ends).size).toBe(5);
    const lengths = runs.map((lines) => lines.length);
    expect(lengths).toEqual(lengths.toSorted((one, other) => one - other));
    for (const one of others)
      expect(replay(centralLock, star(3), one.trace).divergence).toBeUndefined();
  });

  it('need a breadth-first search', () => {
    const options = { counterexamples: 2, search: 'depth' } as const;
    expect(() => explore(centralLock, star(3), options)).toThrow(/breadth-first.*Leave out one/);
  });

  it('are as many as there are, and one without being asked', () => {
    const [one] = explore(centralLock, star(2), { properties: [busy] }).properties;
    expect(one?.others).toBeUndefined();
    const [all] = explore(centralLock, star(2), {
      properties: [busy],
      counterexamples: 9,
    }).properties;
    expect(all?.verdict).toBe('violated');
    expect(all?.others?.length ?? 0).toBeLessThan(8);
  });
});

describe('a bare machine', () => {
  const states = (broken: object) =>
    setup({ types: {} as { context: { tries: number } } }).createMachine({
      context: { tries: 0 },
      initial: 'idle',
      states: {
        idle: { on: { load: 'loading' } },
        loading: { on: { done: 'shown', fail: 'broken', cancel: 'idle' } },
        broken: { on: { log: { actions: assign({ tries: 1 }) }, ...broken } },
        shown: { type: 'final' },
      },
    });
  const checked = (broken: object) =>
    explore(machineProtocol(states(broken)), complete(1), {
      ...{ commands: 'unlimited', coverage: true },
    }).deadEnds;

  it('tells from where its final states cannot be reached, by the shortest run', () => {
    const found = checked({});
    expect(found?.states).toEqual(['broken']);
    expect(linesText(found?.trace.lines ?? [])).toBe(
      'a  load  idle → loading\na  fail  loading → broken\n',
    );
  });

  it('tells nothing where one can always be reached', () => {
    expect(checked({ retry: 'loading' })).toBeUndefined();
  });
});
