import { readFileSync } from 'node:fs';
import { start } from '@conclave/core/internal';
import { type Protocol, send } from '@conclave/core/protocol';
import { oneShot, simulate, totalMessages } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assign, type EventObject } from 'xstate';
import { expectTight } from '../../contract/cost.contract.js';
import { takeAll, withMachine, withState } from '../../contract/machines.contract.js';
import { problemContract, shownRun } from '../../contract/problem.contract.js';
import { ignoringUnexpected, outcomeOf } from '../../mutual-exclusion/outcome.contract.js';
import { agreement, progress, validity } from '../commit.js';
import { threePhaseCommit as protocol } from './protocol.js';
import { coordinator, participant } from './three-phase-commit.js';

/** A version of a machine that is wrong; what comes when it should not is ignored. */
const wrong = (role: string, machine: AnyStateMachine, refuted: string) => ({
  protocol: {
    ...ignoringUnexpected(withMachine(protocol, machine, role)),
    properties: [agreement, progress],
  },
  refuted: `${refuted}: no node commits the transaction that another one aborts, crashed nodes included`,
});
const begin = () => oneShot({ type: 'begin' });

problemContract({
  protocol,
  topologies: [complete(2), complete(3), complete(5), complete(8)],
  workload: begin,
  small: [
    { topology: complete(2), budget: {} },
    { topology: complete(3), budget: {} },
  ],
  explored: [
    [complete(2), { crashes: 2 }, 153],
    [complete(3), {}, 76],
    [complete(3), { crashes: 2 }, 14_750],
  ],
  mutants: {
    'a coordinator commits as soon as all have voted yes': wrong(
      'coordinator',
      withState(coordinator, ['collecting'], {
        always: { guard: 'haveAllAnswered', target: 'committed', actions: 'commitAll' },
      }),
      'complete:2, 7 steps',
    ),
    'a participant goes back to a coordinator that is down': wrong(
      'participant',
      participant.provide({ guards: { isOld: () => false } }),
      'complete:3, 13 steps',
    ),
    'a coordinator decides before the others are where it is': wrong(
      'participant',
      participant.provide({
        guards: { haveAllAnswered: ({ context: { self, live } }) => live[0] === self },
      }),
      'complete:3, 16 steps',
    ),
  },
});

describe('three-phase commit rules', () => {
  const after = (machine: AnyStateMachine, self: string, ...events: EventObject[]) => {
    const { state } = start(machine, self, { self, live: ['a', 'b', 'c'] });
    const taken = takeAll(machine, self, state, events);
    const { value, context } = taken.state;
    return { value, live: context.live, effects: taken.effects };
  };
  const b = (...events: EventObject[]) => after(participant, 'b', ...events);
  const a = (...events: EventObject[]) => after(coordinator, 'a', ...events);
  const from = (sender: string, type: string) => ({ type, from: sender }) as EventObject;
  const command = { type: 'begin' };
  const vote = (value: string) => [from('a', 'prepare'), { type: 'chosen', value } as EventObject];
  const told = (type: string, ...receivers: string[]) =>
    receivers.map((id) => send(id, { type } as { type: string }));
  const yes = [command, from('b', 'yes'), from('c', 'yes')];

  it('[NBC1] the coordinator asks all participants', () => {
    expect(a(command)).toMatchObject({ value: 'collecting', effects: told('prepare', 'b', 'c') });
  });

  it('[NBC2] a participant votes', () => {
    expect(b(...vote('yes'))).toMatchObject({ value: 'prepared', effects: told('yes', 'a') });
    expect(b(...vote('no'))).toMatchObject({ value: 'aborted', effects: told('no', 'a') });
  });

  it('[NBC3] with all votes the coordinator goes on to the second phase; with a no, or a crash, it aborts', () => {
    expect(a(...yes)).toMatchObject({
      value: 'precommitted',
      effects: told('precommit', 'b', 'c'),
    });
    expect(a(command, from('b', 'no'))).toMatchObject({
      value: 'aborted',
      effects: told('abort', 'b', 'c'),
    });
    for (const begun of [[], [command]])
      expect(a(...begun, from('b', 'down'))).toMatchObject({
        value: 'aborted',
        effects: told('abort', 'c'),
      });
    for (const begun of [[], vote('yes')])
      expect(b(...begun, from('a', 'abort'))).toMatchObject({ value: 'aborted', effects: [] });
  });

  it('[NBC4] a participant precommits, and says so', () => {
    expect(b(...vote('yes'), from('a', 'precommit'))).toMatchObject({
      value: 'precommitted',
      effects: told('ack', 'a'),
    });
  });

  it('[NBC5] when all have precommitted the coordinator commits', () => {
    expect(a(...yes, from('b', 'ack')).value).toBe('precommitted');
    expect(a(...yes, from('b', 'ack'), from('c', 'ack'))).toMatchObject({
      value: 'committed',
      effects: told('commit', 'b', 'c'),
    });
    expect(b(...vote('yes'), from('a', 'precommit'), from('a', 'commit')).value).toBe('committed');
  });

  it('[NBC6] nobody waits for a node that is down', () => {
    expect(a(...yes, from('b', 'ack'), from('c', 'down'))).toMatchObject({
      value: 'committed',
      effects: told('commit', 'b'),
    });
    expect(b(...vote('yes'), from('c', 'down'))).toMatchObject({
      value: 'prepared',
      live: ['a', 'b'],
    });
  });

  it('[NBC7] the first node that lives is coordinator, and brings the others to its state', () => {
    const down = from('a', 'down');
    expect(b(...vote('yes'), from('a', 'precommit'), down)).toMatchObject({
      value: 'precommitted',
      effects: told('precommit', 'c'),
    });
    expect(b(...vote('yes'), down)).toMatchObject({
      value: 'prepared',
      effects: told('revert', 'c'),
    });
    expect(b(down)).toMatchObject({ value: 'aborted', effects: told('abort', 'c') });
  });

  it('[NBC8] a node that precommitted goes back with a coordinator that has not; when all have, it aborts', () => {
    const c = (...events: EventObject[]) => after(participant, 'c', ...events);
    for (const [events, value] of [
      [[...vote('yes'), from('a', 'precommit')], 'prepared'],
      [vote('yes'), 'prepared'],
      [[], 'aborted'],
    ] as const)
      expect(c(...events, from('b', 'revert'))).toMatchObject({
        value,
        effects: told('ack', 'b'),
      });
    expect(b(...vote('yes'), from('a', 'down'), from('c', 'ack'))).toMatchObject({
      value: 'aborted',
      effects: told('abort', 'c'),
    });
  });

  it('[NBC9] a node ignores coordinators before the one that it follows', () => {
    const c = after(
      participant,
      'c',
      ...[...vote('yes'), from('b', 'revert'), from('a', 'precommit')],
    );
    expect(c).toMatchObject({ value: 'prepared', live: ['b', 'c'], effects: [] });
  });

  it('[NBC10] a node that has decided tells the others when it becomes coordinator', () => {
    const commit = [...vote('yes'), from('a', 'precommit'), from('a', 'commit')];
    for (const [events, type] of [
      [commit, 'commit'],
      [vote('no'), 'abort'],
    ] as const)
      expect(b(...events, from('a', 'down')).effects).toEqual(told(type, 'c'));
    const c = (...events: EventObject[]) => after(participant, 'c', ...events).effects;
    expect(c(...commit, from('b', 'precommit'))).toEqual(told('ack', 'b'));
    expect(c(...vote('no'), from('b', 'revert'))).toEqual(told('ack', 'b'));
  });
});

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

/** A node takes all that it waits for to be down when it has heard nothing for a second. */
const impatient = (machine: AnyStateMachine, ...states: readonly string[]): AnyStateMachine =>
  states
    .reduce(
      (of, state) => withState(of, [state], { after: { 1000: { actions: 'suspectAll' } } }),
      machine,
    )
    .provide({
      actions: {
        suspectAll: assign(({ context }) => ({ live: [context.self], awaiting: [] })) as never,
      },
    });

describe('three-phase commit assumptions', () => {
  const { crashNotice: _, ...unreported } = protocol;
  /** On two nodes: crashes are not reported, but suspected. */
  const suspecting = [
    [
      'coordinator',
      withState(impatient(coordinator, 'precommitted'), ['collecting'], {
        after: { 1000: { target: 'aborted', actions: 'abortAll' } },
      }),
    ],
    ['participant', impatient(participant, 'prepared', 'precommitted')],
  ].reduce<Protocol>(
    (all, [role, machine]) => withMachine(all, machine as AnyStateMachine, `${role}`),
    unreported,
  );
  const time = { kind: 'exact', delay: [100, 100] } as const;

  it('whoever crashes, the others decide, and alike', () => {
    for (const n of [2, 3])
      expect(outcomeOf(protocol, complete(n), { crashes: n }).verdicts).toMatchObject({
        [agreement.name]: 'holds',
        [validity.name]: 'holds',
        [progress.name]: 'holds',
      });
  });

  it('a network that splits: each side takes the other for crashed, and they disagree: the shortest run', () => {
    const found = outcomeOf(suspecting, complete(2), { partitions: 1, time });
    expect(found.verdicts).toMatchObject({ [agreement.name]: 'violated in 9' });
    expect(page).toContain(shownRun(found.traces[agreement.name]));
    expect(outcomeOf(suspecting, complete(2), { crashes: 1, time }).verdicts).toMatchObject({
      [agreement.name]: 'holds',
      [progress.name]: 'holds',
    });
  });

  it('crashes that are not reported, or a lost message, block', () => {
    for (const budget of [{ crashes: 1 }, { losses: 1 }])
      expect(outcomeOf(unreported, complete(2), budget).verdicts).toMatchObject({
        [agreement.name]: 'holds',
        [progress.name]: expect.stringContaining('violated'),
      });
  });
});

describe('three-phase commit cost', () => {
  proof('is at most 5(n−1) in every interleaving, and in some run as much', () => {
    for (const n of [2, 3, 4]) expectTight(protocol, complete(n), {}, 5 * (n - 1), 'begin');
  });

  it('is 3(n−1) if all vote no', () => {
    const refusing = participant.provide({ guards: { isYes: () => false } });
    const run = simulate({
      protocol: { ...withMachine(protocol, refusing, 'participant'), properties: [] },
      topology: complete(5),
      workload: begin(),
    });
    expect(totalMessages(run)).toBe(12);
  });
});
