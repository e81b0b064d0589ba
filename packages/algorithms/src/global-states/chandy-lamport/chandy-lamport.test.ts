import { readFileSync } from 'node:fs';
import { start } from '@conclave/core/internal';
import { atMost, type LocalState, notify, send } from '@conclave/core/protocol';
import { chain, complete, ring } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { expectBounds } from '../../contract/cost.contract.js';
import { mutantOf, takeAll, withState } from '../../contract/machines.contract.js';
import { randomGraph } from '../../contract/networks.contract.js';
import { problemContract, shownRun } from '../../contract/problem.contract.js';
import { outcomeOf } from '../../mutual-exclusion/outcome.contract.js';
import { payments } from '../workloads.contract.js';
import { type Event, initiator, machine } from './chandy-lamport.js';
import { chandyLamport } from './protocol.js';

const protocol = chandyLamport();
const ofNode = mutantOf(protocol);
const [allCoins, cut, completes] = [
  'the snapshot has all coins, once all nodes have completed their records',
  'no node receives, before its record, a message that another node sent after its own record',
  'a snapshot that has begun is completed by all nodes',
];
const snapshotOf = (of: AnyStateMachine, state: string) =>
  of.config.states?.snapshot?.states?.[state]?.on;

problemContract({
  protocol,
  topologies: [chain(2), complete(3), ring(5, { oneWay: false }), randomGraph(7, 0.5, 5)],
  workload: payments,
  small: [
    { topology: chain(2), budget: {} },
    { topology: chain(3), budget: {} },
  ],
  explored: [
    [chain(2), {}, 96],
    [chain(2), { commands: 'unlimited' }, 273],
    [chain(3), {}, 513],
    [complete(3), {}, 10_929],
    [complete(3), { commands: 2 }, 148_025],
  ],
  mutants: {
    'a node records with the last marker': ofNode(
      'chain:3, 6 steps: a node records the coins that it has, once',
      withState(machine, ['snapshot', 'recording'], {
        on: {
          ...snapshotOf(machine, 'recording'),
          marker: { actions: ['record', 'closeChannel'] },
        },
      }),
    ),
  },
});

describe('Chandy–Lamport rules', () => {
  const neighbours = ['p', 'q'];
  const first = (of: AnyStateMachine): LocalState => start(of, 'm', { neighbours, coins: 3 }).state;
  const after = (of: AnyStateMachine, ...events: Event[]) => takeAll(of, 'm', first(of), events);
  const from = (sender: string, type: 'coin' | 'marker') => ({ type, from: sender }) as Event;
  const markers = neighbours.map((id) => send(id, { type: 'marker' }));

  it('[CL1] the initiator records its coins and sends a marker over each channel', () => {
    const { state, effects } = after(initiator, from('p', 'coin'), { type: 'snapshot' });
    expect(effects).toEqual(markers);
    expect(state).toMatchObject({
      value: { snapshot: 'recording' },
      context: { recorded: 4, open: neighbours },
    });
  });

  it('[CL2] with the first marker a node records, and its channel is empty', () => {
    const { state, effects } = after(machine, from('q', 'marker'));
    expect(effects).toEqual(markers);
    expect(state).toMatchObject({
      value: { snapshot: 'recording' },
      context: { recorded: 3, open: ['p'] },
    });
  });

  it('[CL3] a coin that comes after the record and before the marker was on its way', () => {
    const { state } = after(machine, from('q', 'marker'), from('p', 'coin'), from('q', 'coin'));
    expect(state.context).toMatchObject({ recorded: 3, coins: 5, channels: ['p'] });
  });

  it('[CL4] a marker closes its channel', () => {
    const { state } = after(
      initiator,
      { type: 'snapshot' },
      from('p', 'marker'),
      from('p', 'coin'),
    );
    expect(state.context).toMatchObject({ open: ['q'], channels: [] });
  });

  it('[CL5] with the last marker the record is complete, and the application gets it', () => {
    const { state, effects } = after(
      machine,
      from('q', 'marker'),
      from('p', 'coin'),
      from('p', 'marker'),
    );
    expect(effects).toEqual([notify({ type: 'recorded', coins: 3, channels: ['p'] })]);
    expect(state).toMatchObject({ value: { snapshot: 'completed' } });
  });
});

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

describe('Chandy–Lamport assumptions', () => {
  it('in any order the snapshot loses money: the shortest run', () => {
    const { verdicts, traces } = outcomeOf(protocol, chain(2), { order: 'any' });
    expect(verdicts).toMatchObject({
      [allCoins]: 'violated in 5',
      [cut]: 'violated in 4',
      [completes]: 'holds',
    });
    expect(page).toContain(shownRun(traces[allCoins]));
  });

  it('after a lost marker, or a crash, no snapshot is completed', () => {
    for (const [budget, steps] of [
      [{ losses: 1 }, 2],
      [{ crashes: 1 }, 2],
    ] as const)
      expect(outcomeOf(protocol, chain(2), budget).verdicts).toMatchObject({
        [completes]: `violated in ${steps}`,
      });
  });
});

describe('Chandy–Lamport cost', () => {
  proof('is one marker for each channel, in every interleaving', () => {
    const bound = (most: number) => atMost(most, { per: 'snapshot', of: ['marker'] });
    for (const network of [chain(2), chain(3), complete(3)]) {
      const most = network.links.length;
      expectBounds(protocol, network, {}, [bound(most)], [bound(most - 1)]);
    }
  });
});
