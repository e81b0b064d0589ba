import { readFileSync } from 'node:fs';
import { start } from '@conclave/core/internal';
import { atMost, notify, send } from '@conclave/core/protocol';
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
import { type Event, initiator, machine } from './lai-yang.js';
import { laiYang } from './protocol.js';

const protocol = laiYang();
const ofNode = mutantOf(protocol);
const ofWhite = machine.config.states?.snapshot?.states?.white?.on;

problemContract({
  protocol,
  topologies: [chain(2), complete(3), ring(5, { oneWay: false }), randomGraph(7, 0.5, 5)],
  workload: payments,
  small: [
    { topology: chain(2), budget: {} },
    { topology: chain(3), budget: { initiators: ['a', 'b'] } },
  ],
  explored: [
    [chain(2), {}, 149],
    [chain(3), {}, 1_178],
    [complete(3), { initiators: ['a', 'b'] }, 5_538],
  ],
  mutants: {
    'a node records after it has got the red coin': ofNode(
      'chain:2, 4 steps: a node records the coins that it has, once',
      withState(machine, ['snapshot', 'white'], {
        on: {
          ...ofWhite,
          coin: [
            { guard: 'isRed', target: 'red', actions: ['earn', 'record', 'report', 'tellAll'] },
            { actions: 'countReceived' },
          ],
        },
      }),
    ),
  },
});

describe('Lai–Yang rules', () => {
  const neighbours = ['p', 'q'];
  const after = (of: AnyStateMachine, ...events: Event[]) =>
    takeAll(of, 'm', start(of, 'm', { neighbours, coins: 3 }).state, events);
  const coin = (isRed: boolean) => ({ type: 'coin', red: isRed, from: 'p' }) as Event;
  const told = { type: 'red', from: 'q' } as Event;
  const pays = [{ type: 'transfer' }, { type: 'chosen', value: 'p' }] as Event[];
  const recorded = (coins: number, sent: number, received: number) => [
    notify({ type: 'recorded', coins, sent, received }),
    ...neighbours.map((id) => send(id, { type: 'red' })),
  ];

  it('[LY1] the initiator records its coins and tells all neighbours', () => {
    const { state, effects } = after(initiator, ...pays, { type: 'snapshot' });
    expect(effects).toEqual(recorded(2, 1, 0));
    expect(state).toMatchObject({ value: { snapshot: 'red' }, context: { recorded: 2 } });
  });

  it('[LY2] a message has the colour of its sender', () => {
    expect(after(machine, ...pays).effects).toEqual([
      send('p', { type: 'coin', red: false } as { type: string }),
    ]);
    expect(after(machine, told, ...pays).effects).toEqual([
      send('p', { type: 'coin', red: true } as { type: string }),
    ]);
  });

  it('[LY3] a white node records before it takes what is red', () => {
    for (const [event, coins] of [
      [told, 3],
      [coin(true), 4],
    ] as const) {
      const { state, effects } = after(machine, event);
      expect(effects).toEqual(recorded(3, 0, 0));
      expect(state.context).toMatchObject({ recorded: 3, coins });
    }
    expect(after(machine, told, coin(true), told).effects).toEqual([]);
  });

  it('[LY4] a white node counts what it sends and receives; a red one no more', () => {
    const { state } = after(machine, coin(false), ...pays, told, coin(false), ...pays);
    expect(state.context).toMatchObject({ recorded: 3, sent: 1, received: 1, coins: 3 });
  });
});

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

describe('Lai–Yang assumptions', () => {
  const completes = 'a snapshot that has begun is completed by all nodes';

  it('after a lost message, or a crash, a node may never record: the shortest run', () => {
    for (const budget of [{ losses: 1 }, { crashes: 1 }])
      expect(outcomeOf(protocol, chain(2), budget).verdicts).toMatchObject({
        [completes]: 'violated in 2',
      });
    const { traces } = outcomeOf(protocol, chain(2), { losses: 1 });
    expect(page).toContain(shownRun(traces[completes]));
  });
});

describe('Lai–Yang cost', () => {
  proof('is one message for each channel, in every interleaving', () => {
    const bound = (most: number) => atMost(most, { per: 'snapshot', of: ['red'] });
    for (const network of [chain(2), chain(3)]) {
      const most = network.links.length;
      expectBounds(protocol, network, {}, [bound(most)], [bound(most - 1)]);
    }
  });
});
