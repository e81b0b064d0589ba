import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/check';
import { start, step } from '@conclave/core/internal';
import { always, ConclaveError, type NodeView, type Protocol, send } from '@conclave/core/protocol';
import { star } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { enqueueActions } from 'xstate';
import { exploreCrashes, propertyNamed } from '../../../contract/findings.contract.js';
import { withMachine, withoutSteps, withState } from '../../../contract/machines.contract.js';
import { failingOverReliable } from '../../../contract/sweep.contract.js';
import { cancelContract } from '../../cancel.contract.js';
import { properties } from '../../mutual-exclusion.js';
import {
  allHold,
  entry,
  everyMessageHandled,
  exclusion,
  fencing,
  ignoringUnexpected,
  outcomeOf,
  quiescence,
  withoutTimers,
} from '../../outcome.contract.js';
import {
  acknowledgedClient,
  cancellableClient,
  cancellableCoordinator,
} from './central-coordinator.js';
import { centralCoordinator } from './protocol.js';

const plain = withoutSteps(centralCoordinator());
const acknowledged = withoutSteps(centralCoordinator({ acknowledge: true }));
const reports =
  'every node that wants to enter eventually enters, or reports that the coordinator is silent';
const allFulfilled = new Set(['holds', 'reached']);

describe('central-coordinator assumptions', () => {
  it('any single lost message breaks liveness, not exclusion', () => {
    const { states, verdicts, traces } = outcomeOf(plain, star(3), { commands: 2, losses: 1 });
    expect(states).toBe(278);
    expect(verdicts).toMatchObject({
      ...allHold,
      [entry]: 'violated in 2',
      [quiescence]: expect.stringContaining('violated'),
    });
    expect(withoutTimers(traces[entry])).toEqual([
      'b  acquire  released → wanted  ⇒ a: request',
      'a  drop request from b',
    ]);
  });

  it('one duplicated message breaks exclusion: a second copy of released makes the coordinator grant two entries', () => {
    const { traces } = outcomeOf(plain, star(4), { duplications: 1 });
    expect(withoutTimers(traces[exclusion])).toEqual([
      'b  acquire  released → wanted  ⇒ a: request',
      'a  request from b  free → busy  ⇒ b: grant(1)',
      'b  grant(1) from a  wanted → held',
      'b  release  held → released  ⇒ a: released',
      'a  duplicate released from b',
      'a  released from b  busy → free',
      'c  acquire  released → wanted  ⇒ a: request',
      'a  request from c  free → busy  ⇒ c: grant(2)',
      'a  released from b  busy → free',
      'c  grant(2) from a  wanted → held',
      'd  acquire  released → wanted  ⇒ a: request',
      'a  request from d  free → busy  ⇒ d: grant(3)',
      'd  grant(3) from a  wanted → held',
    ]);
  });

  proof('a reliable link compensates loss, duplication and overtaking', () => {
    expect(failingOverReliable(centralCoordinator(), star(5), 30)).toEqual([]);
  });

  it('the crash of a client that neither waits nor is in the critical section is harmless, unless it falls into its release: every interleaving', () => {
    for (const [topology, commands, states] of [
      [star(3), 2, 247],
      [star(4), 1, 429],
      [star(4), 2, 3_092],
    ] as const) {
      const found = exploreCrashes(plain, topology, {
        commands,
        atomicSteps: true,
        mayCrash: ({ value }) => value === 'released',
      });
      expect(found).toMatchObject({ complete: true, states });
      expect(new Set(Object.values(found.verdicts))).toEqual(allFulfilled);
    }
    const released = exploreCrashes(plain, star(3), {
      commands: 2,
      mayCrash: ({ value }) => value === 'released',
    });
    expect(released.verdicts[exclusion]).toBe('holds');
    expect(released.verdicts[`b: ${entry}`]).toBe('violated'); // the coordinator is not told
  });

  it.each([
    ['waits', 'waiting', 5],
    ['is in the critical section', 'critical', 6],
  ])('a client that crashes while it %s stops all others', (_what, tag, steps) => {
    const found = exploreCrashes(plain, star(3), { mayCrash: ({ tags }) => tags.has(tag) });
    expect(found.verdicts).toMatchObject({ [exclusion]: 'holds', [`b: ${entry}`]: 'violated' });
    expect(found.steps[`b: ${entry}`]).toBe(steps);
  });

  it('clients wait for a crashed coordinator forever', () => {
    const found = exploreCrashes(plain, star(3), {
      commands: 2,
      mayCrash: ({ role }) => role === 'coordinator',
    });
    expect(found.verdicts[`b: ${entry}`]).toBe('violated');
    expect(found.steps[`b: ${entry}`]).toBe(2);
  });
});

/** A round trip takes half of the timeout at most. */
const timely = { kind: 'exact', delay: [0, 250] } as const;

describe('central-coordinator assumptions with acknowledge', () => {
  const withEntry = [...acknowledged.properties, propertyNamed(properties, entry)];
  const fulfilled = {
    [exclusion]: 'holds',
    [reports]: 'holds',
    [fencing]: 'holds',
    [everyMessageHandled]: 'holds',
    [quiescence]: 'holds',
  };

  it('every waiting client reports a crashed coordinator, at any time of the crash: every interleaving, in both models of time', () => {
    for (const [topology, commands, time, states] of [
      [star(2), 2, 'untimed', 174],
      [star(3), 1, 'untimed', 533],
      [star(3), 1, timely, 851],
    ] as const) {
      const found = exploreCrashes(acknowledged, topology, {
        commands,
        time,
        mayCrash: ({ role }) => role === 'coordinator',
      });
      expect(found).toMatchObject({ complete: true, states });
      expect(new Set(Object.values(found.verdicts))).toEqual(allFulfilled);
    }
  });

  it('the crash of an idle client is harmless, unless it has given up by a false alarm', () => {
    const released = {
      mayCrash: ({ tags, value }: NodeView) => typeof value === 'object' && !tags.has('waiting'),
    };
    const timed = exploreCrashes(acknowledged, star(3), {
      commands: 2,
      atomicSteps: true,
      time: timely,
      ...released,
    });
    expect(timed).toMatchObject({ complete: true, states: 9_977 });
    expect(new Set(Object.values(timed.verdicts))).toEqual(allFulfilled);
    const untimed = exploreCrashes(acknowledged, star(3), released);
    expect(untimed.verdicts[`b: ${reports}`]).toBe('violated');
    expect(untimed.steps[`b: ${reports}`]).toBe(11);
  });

  proof(
    'where message delays are bounded, no client reports a live coordinator, and every client enters',
    () => {
      for (const [topology, commands] of [
        [star(3), 2],
        [star(4), 1],
      ] as const) {
        const { verdicts } = outcomeOf(acknowledged, topology, {
          commands,
          time: timely,
          properties: withEntry,
        });
        expect(verdicts).toMatchObject({ ...fulfilled, [entry]: 'holds' });
      }
    },
  );

  it('where message delays are not bounded, an alarm may be false; the client returns a late grant, so exclusion holds', () => {
    const { verdicts, traces } = outcomeOf(acknowledged, star(3), {
      commands: 2,
      properties: withEntry,
    });
    expect(verdicts).toMatchObject({ ...fulfilled, [entry]: 'violated in 5' });
    const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
    const lines = withoutTimers(traces[entry]);
    expect(lines).toHaveLength(5);
    for (const line of lines) expect(withoutTimers(page)).toContain(line);
  });

  it('a client must return a late grant: otherwise all others wait forever', () => {
    const keeps = acknowledgedClient.provide({
      actions: {
        giveBack: enqueueActions(({ context, event, enqueue }) => {
          if (event.type === 'release')
            enqueue.emit(send(context.coordinator, { type: 'released' }));
        }),
      },
    });
    const found = explore(withMachine(acknowledged, keeps, 'client'), star(3));
    const { verdict, trace, loopsFrom } = propertyNamed(found.properties, reports);
    expect([verdict, trace?.lines.length, loopsFrom]).toEqual(['violated', 9, 6]);
  });

  it('a client that crashes in the critical section is not detected: the others stay queued, and the coordinator answers', () => {
    const found = exploreCrashes(acknowledged, star(3), {
      time: timely,
      mayCrash: ({ tags }) => tags.has('critical'),
    });
    expect(found.verdicts[`b: ${reports}`]).toBe('violated');
    expect(found.steps[`b: ${reports}`]).toBe(9);
  });

  it('a client reports a lost request or a lost grant; after a lost release the others stay queued forever', () => {
    const { verdicts, traces } = outcomeOf(acknowledged, star(3), { losses: 1, time: timely });
    expect(verdicts).toMatchObject({ ...fulfilled, [reports]: 'violated in 10' });
    expect(withoutTimers(traces[reports])).toEqual([
      '0.000ms  b  acquire  released.idle → wanted.asking  ⇒ a: request',
      '0.000ms  c  acquire  released.idle → wanted.asking  ⇒ a: request',
      '0.000ms  a  request from c  free → busy  ⇒ c: grant(1)',
      '0.000ms  a  request from b  busy  ⇒ b: queued',
      '0.000ms  c  grant(1) from a  wanted.asking → held',
      '0.000ms  c  release  held → released.idle  ⇒ a: released',
      '0.000ms  a  drop released from c',
      '0.000ms  b  queued from a  wanted.asking → wanted.queued',
      '1000.000ms  b  timeout  wanted.queued → wanted.asking  ⇒ a: inquire',
      '1000.000ms  a  inquire from b  busy  ⇒ b: queued',
    ]);
  });
});

describe('central-coordinator fencing', () => {
  const distinct = 'nodes in the critical section have different fencing tokens';
  const different = always(distinct, (system) => {
    const holders = system.tagged('critical');
    return new Set(holders.map((node) => plain.fence?.(node))).size === holders.length;
  });
  const verdictsOf = (protocol: Protocol, n: number, fault: ExploreOptions) =>
    outcomeOf(ignoringUnexpected(protocol), star(n), {
      ...fault,
      properties: [...protocol.properties, different],
    }).verdicts;

  it('tokens grow where a message is lost, or a client or the coordinator crashes', () => {
    for (const fault of [{ losses: 1 }, { crashes: 1 }])
      for (const protocol of [plain, acknowledged])
        expect(verdictsOf(protocol, 3, fault)).toMatchObject({
          [exclusion]: 'holds',
          [fencing]: 'holds',
          [distinct]: 'holds',
        });
  });

  it('tokens do not grow where a grant or a released is duplicated', () => {
    expect(verdictsOf(plain, 3, { commands: 2, duplications: 1 })).toMatchObject({
      [fencing]: 'violated in 7',
    });
    const twice = {
      [exclusion]: 'violated in 13',
      [fencing]: 'violated in 13',
      [distinct]: 'holds',
    };
    expect(verdictsOf(plain, 4, { duplications: 1 })).toMatchObject(twice);
  });

  it('a coordinator that restarts with its counter gives different tokens; without its counter, equal ones', () => {
    const restart = { crashes: 1, restarts: 1 };
    const forgetful = {
      ...plain,
      roles: Object.fromEntries(
        Object.entries(plain.roles).map(([name, role]) => [name, { ...role, stable: [] }]),
      ),
    };
    const broken = { [exclusion]: 'violated in 8', [fencing]: 'violated in 8' };
    expect(verdictsOf(plain, 3, restart)).toMatchObject({ ...broken, [distinct]: 'holds' });
    expect(verdictsOf(forgetful, 3, restart)).toMatchObject({
      ...broken,
      [distinct]: 'violated in 8',
    });
  });
});

const protocol = centralCoordinator({ cancel: true });

cancelContract({
  protocol,
  topologies: [3, 4].map((n) => star(n)),
  explored: [
    [star(2), { commands: 2 }, 34],
    [star(3), { commands: 2 }, 2_005],
    [star(4), {}, 2_143],
  ],
  costs: [{ topology: star(3), budget: { commands: 2 }, most: 3 }],
  mutants: {
    'the coordinator ignores withdraw after the grant': {
      protocol: withMachine(
        protocol,
        withState(cancellableCoordinator, ['busy'], {
          on: {
            ...cancellableCoordinator.config.states?.busy?.on,
            withdraw: [{ guard: 'isQueued', actions: ['dequeue', 'confirm'] }, {}],
          },
        }),
        'coordinator',
      ),
      refuted:
        'star:2, 7 steps: every node that wants to enter eventually enters, unless its application cancels',
    },
  },
});

it('does not offer acknowledge and cancel together', () => {
  expect(() => centralCoordinator({ acknowledge: true, cancel: true })).toThrow(ConclaveError);
});

it('needs FIFO channels: a withdraw that overtakes its request is not handled', () => {
  const { verdicts, traces } = outcomeOf(protocol, star(2), { order: 'any' });
  expect(verdicts).toMatchObject({ [everyMessageHandled]: 'violated in 2' });
  expect(readFileSync(new URL('./README.md', import.meta.url), 'utf8')).toContain(
    traces[everyMessageHandled] ?? 'no trace',
  );
});

describe('central-coordinator rules with cancel', () => {
  const idle = start(cancellableClient, 'b', { coordinator: 'a' }).state;
  const wanted = step(cancellableClient, 'b', idle, { type: 'acquire' }).state;
  const cancelled = step(cancellableClient, 'b', wanted, { type: 'cancel' });
  const from = (from: string, type: string, fields: object = {}) => ({ ...fields, type, from });
  const busy = [from('b', 'request'), from('c', 'request')].reduce(
    (state, event) => step(cancellableCoordinator, 'a', state, event).state,
    start(cancellableCoordinator, 'a', {}).state,
  );
  const withdrawnBy = (state: typeof busy, id: string) =>
    step(cancellableCoordinator, 'a', state, from(id, 'withdraw'));

  it('[CC10] a client that cancels sends withdraw', () => {
    expect([cancelled.state.value, cancelled.effects]).toEqual([
      'withdrawing',
      [send('a', { type: 'withdraw' })],
    ]);
  });

  it('[CC11] a queued client leaves the queue, and is told so', () => {
    const { state, effects } = withdrawnBy(busy, 'c');
    expect([state.value, state.context.queue, effects]).toEqual([
      'busy',
      [],
      [send('c', { type: 'withdrawn' })],
    ]);
    expect(step(cancellableClient, 'b', cancelled.state, from('a', 'withdrawn')).state.value).toBe(
      'released',
    );
  });

  it('[CC12] withdraw of the granted client counts as released; it does not enter', () => {
    expect(withdrawnBy(busy, 'b').effects).toEqual([send('c', { type: 'grant', entry: 2 })]);
    expect(withdrawnBy(withdrawnBy(busy, 'c').state, 'b').state.value).toBe('free');
    const late = step(cancellableClient, 'b', cancelled.state, from('a', 'grant', { entry: 1 }));
    expect([late.state.value, late.effects]).toEqual(['released', []]);
  });
});
