/**
 * Random walks over the worlds of small protocols: when the walk is replayed as a trace, actors
 * must do the same as pure steps.
 */

import { traceHeader } from '@conclave/core/internal/trace';
import type { Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { complete, star } from '@conclave/core/topology';
import { linesText, parseTrace, replay, type Trace, traceText } from '@conclave/core/trace';
import { assertRuns, isWhole } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calls, cards, centralLock } from '../../../core/src/protocol/examples.contract.js';
import type { Budget } from './budget.js';
import { canonical } from './canonical.js';
import { viewOf } from './local-node.js';
import { runLines } from './run-lines.js';
import type { Action, World } from './world.js';
import { worldKey } from './world-key.js';
import { Worlds } from './worlds.js';

const systems: readonly (readonly [string, Protocol, Topology, Budget])[] = [
  ['a lock', centralLock, star(4), { commands: 2 }],
  [
    'callers',
    calls,
    complete(2),
    { commands: 2, losses: 2, duplications: 2, crashes: 2, restarts: 2 },
  ],
  [
    'three callers on fifo channels',
    calls,
    complete(3),
    { duplications: 3, crashes: 1, restarts: 1, order: 'fifo' },
  ],
  ['card players', cards, complete(2), { losses: 1, crashes: 1, restarts: 1 }],
  [
    'callers whose network splits',
    calls,
    complete(3),
    { losses: 1, duplications: 1, crashes: 1, restarts: 1, partitions: 2 },
  ],
  ['card players whose network splits', cards, complete(2), { partitions: 2 }],
  [
    'callers in exact time',
    calls,
    complete(2),
    {
      commands: 2,
      losses: 2,
      crashes: 1,
      restarts: 1,
      partitions: 1,
      time: { kind: 'exact', delay: [0, 2] },
    },
  ],
  [
    'callers whose clocks drift',
    calls,
    complete(2),
    {
      commands: 2,
      losses: 2,
      crashes: 1,
      restarts: 1,
      time: { kind: 'exact', delay: [0, 4], drift: 0.2 },
    },
  ],
];

interface Walked {
  readonly worlds: Worlds;
  /** The worlds along the walk, the first one included. */
  readonly path: readonly World[];
  readonly actions: readonly Action[];
}

/** Repeatedly takes a random possible action; then answers open choices. */
function walk(worlds: Worlds, dice: readonly number[]): Walked {
  const path = [worlds.initial];
  const actions: Action[] = [];
  const left = [...dice];
  for (;;) {
    const world = frozen(path.at(-1) ?? worlds.initial);
    const die = left.shift() ?? (world.choosing.length > 0 ? 0 : undefined);
    const possible = worlds.actions(world);
    const action = die === undefined ? undefined : possible[die % possible.length];
    if (!action) break;
    actions.push(action);
    path.push(worlds.next(world, action));
  }
  return { worlds, path, actions };
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value))
    Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

const traceOf = ({ worlds, actions }: Walked): Trace => ({
  header: new Map(traceHeader(worlds.protocol, worlds.topology)),
  lines: runLines(worlds, actions).lines,
});

const dice = fc.array(fc.nat(1000), { minLength: 1, maxLength: 40 });

describe.each(systems)('a walk of %s', (_name, protocol, topology, budget) => {
  const worlds = new Worlds(protocol, topology, budget);

  it('visits consistent worlds, and changes none of them', () => {
    let steps = 0;
    assertRuns(
      fc.property(dice, (dice) => {
        const { path } = walk(worlds, dice);
        for (const world of path) {
          const { remaining, channels } = world;
          const left = [
            remaining.losses,
            remaining.duplications,
            remaining.crashes,
            remaining.restarts,
            remaining.partitions,
            ...Object.values(remaining.commands).flat(),
          ];
          expect(Math.min(...left)).toBeGreaterThanOrEqual(0);
          expect(Object.values(channels).every((messages) => messages.length > 0)).toBe(true);
          const actions = worlds.actions(world).map(canonical);
          expect(new Set(actions).size).toBe(actions.length);
          expect(viewOf(protocol, topology, world).inFlight()).toHaveLength(
            Object.values(channels).flat().length,
          );
          steps++;
        }
      }),
      3,
      30,
      1,
    );
    if (isWhole) expect(steps).toBeGreaterThan(100);
  });

  it('continues the same from a world restored from JSON', () => {
    assertRuns(
      fc.property(dice, (dice) => {
        const { path, actions } = walk(worlds, dice);
        for (const [index, action] of actions.entries()) {
          const revived: World = JSON.parse(JSON.stringify(path[index]));
          expect(worldKey(worlds.next(revived, action), 'fifo')).toBe(
            worldKey(path[index + 1] ?? worlds.initial, 'fifo'),
          );
        }
      }),
      3,
      20,
      1,
    );
  });

  it('replays on actors as a trace, which also parses back', () => {
    const kinds = new Set<string>();
    assertRuns(
      fc.property(dice, (dice) => {
        const walked = walk(worlds, dice);
        const trace = traceOf(walked);
        expect(replay(protocol, topology, trace)).toEqual({ steps: trace.lines.length });
        expect(linesText(parseTrace(traceText(trace)).lines)).toBe(linesText(trace.lines));
        for (const { type } of walked.actions) kinds.add(type);
      }),
      5,
      60,
      1,
    );
    const expected = [
      'deliver',
      ...(budget.losses || budget.crashes ? ['drop', 'crash', 'restart'] : []),
      ...(budget.duplications ? ['duplicate'] : []),
      ...(budget.partitions ? ['split', 'heal'] : []),
    ];
    if (isWhole) expect([...kinds]).toEqual(expect.arrayContaining(expected));
  });
});

it('under any order worlds with permuted channels are equal, and so are their successors', () => {
  const worlds = new Worlds(cards, complete(2));
  const turn = (world: World): World => ({
    ...world,
    channels: Object.fromEntries(
      Object.entries(world.channels).map(([key, messages]) => [key, messages.toReversed()]),
    ),
  });
  const keys = (world: World) =>
    worlds.actions(world).map((action) => worldKey(worlds.next(world, action), 'any'));
  let turned = 0;
  fc.assert(
    fc.property(dice, (dice) => {
      const world = walk(worlds, dice).path.at(-1) ?? worlds.initial;
      expect(worldKey(turn(world), 'any')).toBe(worldKey(world, 'any'));
      expect(keys(turn(world)).sort()).toEqual(keys(world).sort());
      if (worldKey(turn(world), 'fifo') !== worldKey(world, 'fifo')) turned++;
    }),
  );
  expect(turned).toBeGreaterThan(10);
});

it('views of a world show the states of nodes, and nothing of crashed ones', () => {
  const worlds = new Worlds(calls, complete(3), { crashes: 1 });
  const called = worlds.next(worlds.initial, {
    type: 'command',
    node: 'a',
    command: { type: 'call' },
  });
  const view = viewOf(calls, complete(3), called);
  expect(view.nodes.map(({ id, role, value, crashed }) => [id, role, value, crashed])).toEqual([
    ['a', 'node', 'calling', false],
    ['b', 'node', 'idle', false],
    ['c', 'node', 'idle', false],
  ]);
  expect([view.count('waiting'), view.tagged('waiting').map(({ id }) => id), view.live]).toEqual([
    1,
    ['a'],
    3,
  ]);
  expect(view.distinct('waiting', 'calls')).toEqual([1]);
  expect([view.inFlight(), view.inFlight('pong')]).toEqual([
    [{ from: 'a', to: 'b', message: { type: 'ping', n: 1 } }],
    [],
  ]);
  const down = viewOf(calls, complete(3), worlds.next(called, { type: 'crash', node: 'a' }));
  expect([down.count('waiting'), down.live, down.node('a').crashed, down.node('a').value]).toEqual([
    0,
    2,
    true,
    'calling',
  ]);
});
