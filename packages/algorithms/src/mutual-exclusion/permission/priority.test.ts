/** Why A2 and A3 have no option `priority`: what becomes of them where node a goes first. */
import { readFileSync } from 'node:fs';
import { complete } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { assertEvent, assign } from 'xstate';
import { withMachine } from '../../contract/mutant.js';
import { entry, exclusion, fencing, outcomeOf, withoutTimers } from '../outcome.contract.js';
import { isOlder, type Request } from './building-blocks/requests.js';
import { machine as lamportMachine } from './lamport/lamport.js';
import { lamport } from './lamport/protocol.js';
import { ricartAgrawala } from './ricart-agrawala/protocol.js';
import { machine as ricartAgrawalaMachine } from './ricart-agrawala/ricart-agrawala.js';

const isFirst = (one: Request, other: Request): boolean =>
  one.id === 'a' || (other.id !== 'a' && isOlder(one, other));
const byPriority = (queue: readonly Request[]) =>
  queue.toSorted((one, other) => (isFirst(one, other) ? -1 : 1));

const lamportByPriority = withMachine(
  lamport,
  lamportMachine.provide({
    actions: {
      stamp: assign(({ context: { clock, queue, self, peers } }) => ({
        clock: clock + 1,
        queue: byPriority([...queue, { ts: clock + 1, id: self }]),
        awaiting: peers,
      })),
      enqueue: assign(({ context: { queue }, event }) => {
        assertEvent(event, 'request');
        return { queue: byPriority([...queue, { ts: event.ts, id: event.from }]) };
      }),
    },
  }),
);

const ricartAgrawalaByPriority = withMachine(
  ricartAgrawala,
  ricartAgrawalaMachine.provide({
    guards: {
      oursIsOlder: ({ context: { requestedAt: ts, self: id }, event }) => {
        assertEvent(event, 'request');
        return isFirst({ ts, id }, { ts: event.ts, id: event.from });
      },
    },
  }),
);

/** All but a take a time stamp that is later by this. */
const later = 3;
const byStamp = withMachine(
  ricartAgrawala,
  ricartAgrawalaMachine.provide({
    actions: {
      stamp: assign(({ context: { clock, self, peers } }) => {
        const ts = clock + 1 + (self === 'a' ? 0 : later);
        return { clock: ts, requestedAt: ts, awaiting: peers };
      }),
    },
  }),
);

describe('priority before time stamps', () => {
  it.each([
    ['ricart-agrawala', ricartAgrawalaByPriority],
    ['lamport', lamportByPriority],
  ] as const)('breaks exclusion of %s', (name, protocol) => {
    const { verdicts, traces } = outcomeOf(protocol, complete(2));
    expect(verdicts).toMatchObject({ [exclusion]: 'violated in 6' });
    const page = readFileSync(new URL(`./${name}/README.md`, import.meta.url), 'utf8');
    const lines = withoutTimers(traces[exclusion]);
    expect(withoutTimers(page)).toEqual(expect.arrayContaining([...lines]));
  });
});

describe('priority in time stamps', () => {
  it('is safe, and serves by time stamp', () => {
    const { verdicts } = outcomeOf(byStamp, complete(2), { commands: 2 });
    const holds = { [exclusion]: 'holds', [entry]: 'holds', [fencing]: 'holds' };
    expect(verdicts).toMatchObject(holds);
  });
});
