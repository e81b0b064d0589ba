import { describe, expect, it } from 'vitest';
import { enqueueActions, setup } from 'xstate';
import { type Self, tiny } from '../../../protocol/examples.contract.js';
import { type Effect, type Received, send } from '../../../protocol/node.js';
import { eventually, everyStep } from '../../../protocol/property.js';
import { complete } from '../../../topology/generators.js';
import { replay } from '../../../trace/replay.js';
import { explore } from '../../explore/explore.js';
import type { ExploreOptions } from '../../explore/options.js';
import { finding } from '../../fixtures/explored.contract.js';

// A ball goes to and fro forever; node a is tired after 3 ms.

type Ball = { type: 'ball' };

const player = setup({
  types: {} as { input: Self; context: Self; events: Received<Ball>; emitted: Effect<Ball> },
  actions: {
    serve: enqueueActions(({ context, enqueue }) => {
      if (context.self === 'a') enqueue.emit(send('b', { type: 'ball' }));
    }),
    hit: enqueueActions(({ context, enqueue }) =>
      enqueue.emit(send(context.peers[0] ?? '', { type: 'ball' })),
    ),
  },
}).createMachine({
  context: ({ input }) => input,
  entry: 'serve',
  on: { ball: { actions: 'hit' } },
  initial: 'fresh',
  states: { fresh: { after: { 3: 'tired' } }, tired: {} },
});

const tired = eventually('node a is tired', (system) => system.node('a').value === 'tired');
const never = eventually('node a is never there', (system) => system.node('a').value === 'away');
const still = everyStep('no node hits the ball', ({ cause }) => cause.kind !== 'message');
const rally = tiny(player, {
  messages: { ball: { meaning: 'the ball' } },
  properties: [tired, never, still],
});

const found = (options: ExploreOptions) => explore(rally, complete(2), options);
const within = (least: number, most: number) =>
  ({ time: { kind: 'exact', delay: [least, most] } }) as const;

describe('time diverges', () => {
  it.each(['none', 'weak', 'strong'] as const)(
    'in each run that counts: infinitely many hits at one moment are none (fairness %s)',
    (fairness) => {
      expect(finding(found({ ...within(0, 1), fairness }), tired.name).verdict).toBe('holds');
      expect(finding(found({ ...within(2, 2), fairness }), tired.name).verdict).toBe('holds');
    },
  );

  it('without exact time, unfair runs in which the timer never fires count', () => {
    expect(finding(found({ fairness: 'none' }), tired.name).verdict).toBe('violated');
    expect(finding(found({ fairness: 'weak' }), tired.name).verdict).toBe('holds');
  });

  it('in a loop that violates a property', () => {
    for (const fairness of ['none', 'weak', 'strong'] as const) {
      const {
        verdict,
        trace,
        loopsFrom = 0,
      } = finding(found({ ...within(0, 1), fairness }), never.name);
      expect(verdict).toBe('violated');
      expect(loopsFrom).toBeLessThan(trace?.lines.length ?? 0);
      expect(trace && replay(rally, complete(2), trace)).toEqual({ steps: trace?.lines.length });
    }
  });

  it('or the explorer says that it cannot', () => {
    expect(() => found(within(0, 0))).toThrow(
      /^Time stops: in \(a: fresh .* b: fresh .*something has to happen at this moment/,
    );
  });
});

describe('a property of steps in exact time', () => {
  it('sees deliveries, however long the message could still have taken', () => {
    for (const time of [within(0, 1), within(1, 2)]) {
      const { verdict, trace } = finding(
        explore(rally, complete(2), { ...time, properties: [still] }),
        still.name,
      );
      expect(verdict).toBe('violated');
      expect(trace?.lines.map(({ event }) => event.kind)).toEqual(['start', 'start', 'deliver']);
    }
  });
});
