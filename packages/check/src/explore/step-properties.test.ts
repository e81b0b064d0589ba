/** Commands with conditions, obligatory commands, and properties of steps and of overtaking. */

import type { Protocol } from '@conclave/core/protocol';
import { everyStep, type NodeView, overtaken, type Property } from '@conclave/core/protocol';
import { closedLoop, simulate } from '@conclave/core/simulation';
import { complete, star } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';
import { assign, setup } from 'xstate';
import {
  centralLock,
  minimalProtocol,
  type Self,
} from '../../../core/src/protocol/examples.contract.js';
import { everyMessageHandled } from '../../../core/src/protocol/handles.js';
import { finding } from '../fixtures/explored.contract.js';
import { Worlds } from '../worlds/worlds.js';
import { explore } from './explore.js';
import type { ExploreOptions } from './options.js';

const isIdle = ({ value }: NodeView) => value === 'idle';
const isBusy = ({ value }: NodeView) => value === 'busy';

/** A node that works and pauses on command; `busy`: the events that it handles while it works. */
const worker = (idle: object, busy: object): Protocol =>
  minimalProtocol(
    setup({
      types: {} as {
        input: Self;
        context: Self & { n: number };
        events: { type: 'work' } | { type: 'rest' };
      },
      actions: { count: assign({ n: ({ context }) => context.n + 1 }) },
    }).createMachine({
      context: ({ input }) => ({ ...input, n: 0 }),
      initial: 'idle',
      states: {
        idle: { on: idle },
        busy: { tags: ['critical', 'waiting'], on: busy },
        other: { on: { work: {}, rest: {} } },
      },
    }),
    {
      commands: {
        work: { kind: 'optional', meaning: 'begin', when: isIdle },
        rest: { kind: 'obligatory', meaning: 'end', when: isBusy },
      },
      waiting: false,
    },
  );

describe('a command', () => {
  it('must be handled when its condition is true: otherwise it is an unhandled message', () => {
    const deaf = explore(worker({ rest: {} }, { rest: 'idle', work: {} }), complete(2));
    expect(finding(deaf, everyMessageHandled)).toMatchObject({ verdict: 'violated' });
    expect(finding(deaf, everyMessageHandled).trace?.header.get('fault')).toMatch(
      /^Node a in 'idle' does not handle 'work'/,
    );
    const { trace, reason } = finding(deaf, everyMessageHandled);
    expect(reason).toBe(trace?.header.get('fault'));
    expect(trace && linesText(trace)).toBe(`${linesText(trace?.lines ?? [])}✗ ${reason}\n`);
    expect(JSON.parse(JSON.stringify(trace)).header).toMatchObject({ fault: reason });
    const stuck = explore(worker({ work: 'busy', rest: {} }, { work: {} }), complete(2));
    expect(finding(stuck, everyMessageHandled).trace?.header.get('fault')).toMatch(
      /^Node a in 'busy' does not handle 'rest'/,
    );
  });

  it('is not issued while its condition is false, even if the machine accepts it', () => {
    const { complete: whole, states } = explore(
      worker({ work: 'busy', rest: 'other' }, { rest: 'idle', work: 'other' }),
      complete(2),
      { commands: 2 },
    );
    // five moments of each node: idle, busy, idle, busy, idle
    expect({ whole, states }).toEqual({ whole: true, states: 25 });
  });

  it('that is obligatory is issued once while its condition is true, even if the machine ignores it', () => {
    const swallowing = worker({ work: 'busy' }, { rest: { actions: 'count' } });
    const worlds = new Worlds(swallowing, complete(2));
    const [work] = worlds.actions(worlds.initial);
    if (!work) throw new Error('it may work');
    const busy = worlds.next(worlds.initial, work);
    const rest = worlds
      .actions(busy)
      .find((action) => action.type === 'command' && action.command.type === 'rest');
    if (!rest) throw new Error('rest is due');
    const after = worlds.next(busy, rest);
    expect(after.remaining.fulfilled).toEqual({ a: ['rest'], b: [] });
    expect(worlds.actions(after)).not.toContainEqual(rest);
    expect(explore(swallowing, complete(2))).toMatchObject({ complete: true, states: 9 });
  });

  it('that is obligatory is issued again after its condition was false', () => {
    const found = explore(worker({ work: 'busy' }, { rest: 'idle' }), complete(2), { commands: 2 });
    expect(found).toMatchObject({ complete: true, states: 25 });
  });

  it('without a condition is issued where the machine accepts it, which is listed as an assumption', () => {
    const machine = setup({ types: {} as { events: { type: 'go' } } }).createMachine({
      initial: 'a',
      states: { a: { on: { go: 'b' } }, b: {} },
    });
    const { assumptions } = explore(
      minimalProtocol(machine, {
        commands: { go: { kind: 'optional', meaning: 'go' } },
        waiting: false,
      }),
      complete(2),
    );
    expect(assumptions).toEqual([
      "that 'go' comes only where the machine takes it, since the command does not say when it may come",
    ]);
    expect(explore(centralLock, star(3)).assumptions).toEqual([]);
  });

  it('is listed with the others that have no condition', () => {
    const machine = setup({
      types: {} as { events: { type: 'go' } | { type: 'stop' } },
    }).createMachine({
      initial: 'a',
      states: { a: { on: { go: 'b' } }, b: { on: { stop: 'a' } } },
    });
    const command = (meaning: string) => ({ kind: 'optional', meaning }) as const;
    const commands = { go: command('go'), stop: command('stop') };
    expect(
      explore(minimalProtocol(machine, { commands, waiting: false }), complete(1)).assumptions,
    ).toEqual([
      "that 'go', 'stop' come only where the machine takes them, since the commands do not say when they may come",
    ]);
  });

  it('that is obligatory must have a condition', () => {
    const machine = setup({ types: {} as { events: { type: 'go' } } }).createMachine({
      on: { go: {} },
    });
    expect(() =>
      minimalProtocol(machine, { commands: { go: { kind: 'obligatory', meaning: 'go' } } }),
    ).toThrow(
      "Protocol 'tiny': the obligatory command 'go' does not say when it comes. Say so, as in when: ({ tags }) => tags.has('critical').",
    );
  });
});

describe('everyStep', () => {
  const check = (property: Property, options: ExploreOptions = {}, protocol = centralLock) => {
    const found = explore(protocol, star(3), { ...options, properties: [property] }).properties[0];
    if (found?.trace)
      expect(replay(protocol, star(3), found.trace)).toEqual({ steps: found.trace.lines.length });
    return [found?.verdict, found?.trace?.lines.length];
  };
  const leaves = everyStep('a node that leaves sends free', ({ before, cause, sent }) => {
    if (!before.tags.has('critical')) return true;
    return (
      cause.kind === 'command' &&
      sent.some(({ to, message }) => to === 'a' && message.type === 'free')
    );
  });

  it('sees the states before and after each step, its event and its effects', () => {
    expect(check(leaves)).toEqual(['holds', undefined]);
    const idle = everyStep('no node waits', ({ after }) => !after.tags.has('waiting'));
    expect(check(idle)).toEqual(['violated', 1]);
    const granted = everyStep(
      'a grant comes from the client',
      ({ cause }) =>
        cause.kind !== 'message' || cause.message.type !== 'grant' || cause.from !== 'a',
    );
    expect(check(granted)).toEqual(['violated', 3]);
  });

  it('is violated also in an incomplete search', () => {
    const idle = everyStep(
      'no node is in the critical section',
      ({ after }) => !after.tags.has('critical'),
    );
    expect(check(idle, { limits: { states: 20 } })).toEqual(['violated', 3]);
    expect(check(leaves, { limits: { states: 20 } })).toEqual(['incomplete', undefined]);
    expect(
      check(
        everyStep('any', () => true),
        { commands: 0 },
      )[0],
    ).toBe('vacuous');
  });

  it('is checked in a simulation as in an exploration', () => {
    const run = (property: Property) =>
      simulate({
        protocol: centralLock,
        topology: star(3),
        workload: closedLoop({ entries: 2 }),
        properties: [property],
      }).properties[0]?.verdict;
    expect(run(leaves)).toBe('holds');
    expect(
      run(
        everyStep('no node is in the critical section', ({ after }) => !after.tags.has('critical')),
      ),
    ).toBe('violated');
  });
});

describe('overtaken', () => {
  const lockOf = (commands: number, most: number) => {
    const found = explore(centralLock, star(3), { commands, properties: [overtaken(most)] })
      .properties[0];
    if (found?.trace)
      expect(replay(centralLock, star(3), found.trace)).toEqual({
        steps: found.trace.lines.length,
      });
    return found?.verdict;
  };

  it('counts how often each other node enters while a node waits', () => {
    // A request may be slow: meanwhile the other node may enter any number of times.
    expect([lockOf(2, 2), lockOf(2, 1), lockOf(3, 3), lockOf(3, 2)]).toEqual([
      'holds',
      'violated',
      'holds',
      'violated',
    ]);
  });

  it('counts each wait separately', () => {
    expect(lockOf(1, 1)).toBe('holds');
    expect(lockOf(1, 0)).toBe('violated');
    expect(() => overtaken(0.5)).toThrow(
      'Overtaken at most 0.5 times: that is no count. Give a whole number, 0 or more.',
    );
  });

  it('is counted in a simulation: the node that has waited longest is overtaken most often', () => {
    const run = (most: number) =>
      simulate({
        protocol: centralLock,
        topology: star(3),
        conditions: { order: 'any', delay: { kind: 'uniform', least: 0, most: 200 } },
        workload: closedLoop({
          entries: 30,
          think: { kind: 'fixed', ms: 0 },
          hold: { kind: 'fixed', ms: 0 },
        }),
        properties: [overtaken(most)],
        seed: 3,
      }).properties[0]?.verdict;
    expect([run(0), run(60)]).toEqual(['violated', 'holds']);
  });
});
