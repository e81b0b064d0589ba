import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/check';
import { start } from '@conclave/core/internal';
import { type LocalState, send } from '@conclave/core/protocol';
import { ring } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assertEvent } from 'xstate';
import { rings } from '../../../checks/networks.js';
import { expectTight } from '../../../contract/cost.contract.js';
import { propertyNamed } from '../../../contract/findings.contract.js';
import { mutantOf, takeAll } from '../../../contract/machines.contract.js';
import { shuffledRing } from '../../../contract/networks.contract.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import {
  entry,
  exclusion,
  fencing,
  ignoringUnexpected,
  outcomeOf,
} from '../../outcome.contract.js';
import { ricartAgrawalaRing } from './protocol.js';
import { type Event, machine } from './ricart-agrawala-ring.js';

const mutant = mutantOf(ricartAgrawalaRing);

mutualExclusionContract({
  protocol: ricartAgrawalaRing,
  topologies: [ring(2), ring(3), ring(4), shuffledRing(5, 1)],
  small: [
    { topology: ring(2), budget: { commands: 2 } },
    { topology: ring(3), budget: { initiators: ['a', 'b'] } },
  ],
  explored: [
    [ring(2), { commands: 2 }, 231],
    ['both rings of 3, an entry each', rings(3), {}, 1_579],
    [ring(3), { commands: 2 }, 58_023],
    [ring(4), {}, 51_749],
  ],
  costs: [2, 3, 5, 9].map((n) => ring(n)),
  mutants: {
    'no tie-break': mutant(
      'ring:2, 6 steps: at most one node is in the critical section',
      machine.provide({
        guards: {
          oursIsOlder: ({ context, event }) => {
            assertEvent(event, 'request');
            return context.requestedAt < event.ts;
          },
        },
      }),
    ),
  },
});

describe('ricart-agrawala-ring rules', () => {
  const first: LocalState = start(machine, 'b', {
    self: 'b',
    next: 'c',
    nodes: ['a', 'b', 'c'],
  }).state;
  const after = (state: LocalState, ...events: Event[]) => takeAll(machine, 'b', state, events);
  const request = (id: string, ts: number): Event => ({ type: 'request', id, ts, from: 'a' });
  const sent = (id: string, ts: number) => send('c', { type: 'request', id, ts });
  const wanted = after(first, { type: 'acquire' }).state;
  const held = after(wanted, request('b', 1)).state;

  it('[RR1] stamps its request and sends it to the next node', () => {
    const { state, effects } = after(first, { type: 'acquire' });
    expect(effects).toEqual([sent('b', 1)]);
    expect(state).toMatchObject({ value: 'wanted', context: { clock: 1, requestedAt: 1 } });
  });

  it('[RR2] passes a request on while released, and an older one while wanted; the clock passes the stamp', () => {
    const { state, effects } = after(first, request('c', 5));
    expect(effects).toEqual([sent('c', 5)]);
    expect(state.context).toMatchObject({ clock: 6, deferred: [] });
    expect(after(wanted, request('a', 1)).effects).toEqual([sent('a', 1)]);
  });

  it('[RR3] defers a younger request while wanted, and every request while held', () => {
    for (const state of [wanted, held])
      for (const younger of [request('c', 1), request('a', 2)]) {
        const { state: next, effects } = after(state, younger);
        expect(effects).toEqual([]);
        expect(next.context.deferred).toHaveLength(1);
      }
    expect(after(held, request('a', 1)).effects).toEqual([]);
  });

  it('[RR4] enters when its own request has come round', () => {
    expect(held).toMatchObject({ value: 'held', context: { clock: 1 } });
  });

  it('[RR5] passes on all deferred requests when it leaves', () => {
    const { state, effects } = after(held, request('c', 4), request('a', 2), { type: 'release' });
    expect(effects).toEqual([sent('c', 4), sent('a', 2)]);
    expect(state).toMatchObject({ value: 'released', context: { deferred: [] } });
  });
});

describe('ricart-agrawala-ring cost', () => {
  proof('is n messages per entry, in every interleaving', () => {
    for (const [n, commands] of [
      [2, 2],
      [3, 1],
    ] as const)
      expectTight(ricartAgrawalaRing, ring(n), { commands }, n, 'acquire');
  });
});

describe('ricart-agrawala-ring assumptions', () => {
  const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

  proof.each([
    ['a lost request', { losses: 1 }, entry, 2],
    ['a crash', { crashes: 1 }, entry, 2],
    ['a restart', { crashes: 1, restarts: 1 }, exclusion, 8],
    ['a duplicated request', { duplications: 1 }, exclusion, 10],
  ] satisfies [string, ExploreOptions, string, number][])(
    '%s: the shortest run, as on the page',
    (_what, faults, name, steps) => {
      const protocol = ignoringUnexpected(ricartAgrawalaRing);
      const properties = [propertyNamed(protocol.properties, name)];
      const found = explore(protocol, ring(2), {
        commands: 2,
        ...faults,
        properties,
        limits: { states: 20_000 },
      });
      const { trace } = propertyNamed(found.properties, name);
      expect(trace?.lines).toHaveLength(steps);
      expect(trace && replay(protocol, ring(2), trace)).toEqual({ steps });
      expect(page).toContain(linesText(trace?.lines ?? []));
    },
  );

  it('a lost request or a crash does no harm to exclusion and fencing', () => {
    for (const budget of [{ losses: 1 }, { crashes: 1 }])
      expect(outcomeOf(ricartAgrawalaRing, ring(3), budget).verdicts).toMatchObject({
        [exclusion]: 'holds',
        [fencing]: 'holds',
      });
  });
});
