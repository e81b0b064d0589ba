/**
 * Credit recovery, rule by rule. A credit is written by its exponent: 2 is a credit of 2⁻² = 1/4. The
 * initiator begins with 1; its `debt` lists the exponents whose credits are not back.
 */
import { readFileSync } from 'node:fs';
import { notify, send } from '@conclave/core/protocol';
import { simulate, type Workload } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { assign, type EventObject } from 'xstate';
import { mutantOf, withMachine } from '../../contract/machines.contract.js';
import { problemContract } from '../../contract/problem.contract.js';
import { needsEachMessageOnce, sendsWork, steps, tooEarly } from '../termination.contract.js';
import { distributing } from '../workloads.contract.js';
import { initiator, machine } from './credit-recovery.js';
import { creditRecovery } from './protocol.js';

const protocol = creditRecovery();
const keepAll = assign({ exponent: ({ context }) => context.exponent });
/** An initiator that gives credit away, and keeps all that it had. */
const keepingAll = initiator.provide({ actions: { halve: keepAll as never } });

problemContract({
  protocol,
  topologies: [2, 3, 5, 8].map(complete),
  workload: distributing,
  small: [
    { topology: complete(2), budget: {} },
    { topology: complete(3), budget: {} },
  ],
  explored: [
    [complete(2), { commands: 2 }, 603],
    [complete(3), {}, 266],
    [complete(4), { initiators: ['a', 'b'] }, 76],
  ],
  mutants: {
    'a node keeps what it gives away': mutantOf(protocol, 'initiator')(
      'complete:2, 3 steps: the initiator knows the total credit of nodes and messages',
      keepingAll,
    ),
  },
});

describe('credit recovery rules', () => {
  const { after, done } = steps({ peers: ['p', 'q'], initiator: 'p', work: 20 });
  /** A message of q that carries a credit. */
  const carrying = (type: string, exponent: number) =>
    ({ type, exponent, from: 'q' }) as EventObject;
  const sent = (to: string, type: string, exponent: number) =>
    send(to, { type, exponent } as { type: string });

  it('[CR1] a node that sends work halves its credit, and sends one half along', () => {
    const { state, effects } = after(initiator, ...sendsWork('q'), ...sendsWork('p'));
    expect(effects).toEqual([sent('p', 'work', 2)]);
    expect(state.context).toMatchObject({ exponent: 2, debt: [0] });
  });

  it('[CR2] a passive node that gets work has its credit, and is active', () => {
    expect(after(machine, carrying('work', 3)).state).toMatchObject({
      value: 'active',
      context: { exponent: 3 },
    });
  });

  it('[CR3] an active node passes on the credit of the work that it gets', () => {
    const { state, effects } = after(machine, carrying('work', 3), carrying('work', 5));
    expect(effects).toEqual([sent('p', 'credit', 5)]);
    expect(state.context).toMatchObject({ exponent: 3 });
    const own = after(initiator, ...sendsWork('q'), carrying('work', 3));
    expect(own.effects).toEqual([]);
    expect(own.state.context).toMatchObject({ exponent: 1, debt: [1, 2, 3] });
  });

  it('[CR4] a node gives back its credit when its work is done', () => {
    const { state, effects } = done(machine, carrying('work', 3));
    expect(effects).toContainEqual(sent('p', 'credit', 3));
    expect(state).toMatchObject({ value: 'passive', context: { exponent: null } });
    expect(done(initiator, ...sendsWork('q')).state.context).toMatchObject({
      exponent: null,
      debt: [1],
    });
  });

  it('[CR5] the initiator subtracts what comes back from what is not back', () => {
    const debt = (...exponents: readonly number[]) =>
      after(initiator, ...exponents.map((exponent) => carrying('credit', exponent))).state.context
        .debt;
    expect(debt(2)).toEqual([1, 2]); // 1 − 1/4 = 1/2 + 1/4
    expect(debt(2, 4)).toEqual([1, 3, 4]);
    expect(debt(2, 4, 3)).toEqual([1, 4]);
    expect(debt(2, 4, 3, 2)).toEqual([2, 4]);
    expect(debt(2, 4, 3, 2, 2, 4)).toEqual([]);
  });

  it('[CR6] when all credit is back the initiator announces termination', () => {
    const waits = after(initiator, ...sendsWork('q'), carrying('credit', 1));
    expect(waits.state.value).toMatchObject({ detection: 'collecting' });
    const { state, effects } = done(initiator, ...sendsWork('q'), carrying('credit', 1));
    expect(effects).toContainEqual(notify({ type: 'terminated' }));
    expect(state.value).toMatchObject({ detection: 'announced' });
  });
});

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

describe('credit recovery assumptions', () => {
  it('a node that keeps what it gives away: the shortest run', () => {
    const run = tooEarly(withMachine(protocol, keepingAll, 'initiator'), complete(2), {});
    expect(run.split('\n')).toHaveLength(3);
    expect(page).toContain(run);
  });

  it('numbers that are rounded: all credit is back before it is', () => {
    const [missing, back] = [2 ** -53, 2 ** -54];
    expect(1 - missing + back).toBe(1);
  });

  needsEachMessageOnce(protocol, complete(2), complete(2));
});

describe('credit recovery cost', () => {
  const run = (workload: Workload) =>
    simulate({ protocol, topology: complete(5), workload, seed: 4 }).messages;

  it('is a message for each message of work to another node than the initiator', () => {
    const onlyInitiator: Workload = ({ later, tell }) => {
      for (const ms of [1, 5, 9])
        later({ kind: 'fixed', ms }, () => tell('a', { type: 'distribute' }));
      return () => {};
    };
    expect(run(onlyInitiator)).toMatchObject({ work: 3, credit: 3 });
    const { work = 0, credit = 0 } = run(distributing());
    expect(work).toBeGreaterThan(2);
    expect(credit).toBeLessThanOrEqual(work);
  });
});
