import { readFileSync } from 'node:fs';
import type { ExploreOptions } from '@conclave/core/exploration';
import { send } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { assertEvent, assign, enqueueActions } from 'xstate';
import { withMachine } from '../../../contract/mutant.js';
import { exclusion, outcomeOf } from '../../outcome.contract.js';
import { ricartAgrawala } from './protocol.js';
import { machine } from './ricart-agrawala.js';

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

/** The three conditions of the page, each with a machine that breaks it, and nothing else. */
const broken = {
  '1: older requests that it knows are served': machine.provide({
    guards: { oursIsOlder: () => false },
  }),
  '2: no request that it knows gets a smaller time stamp': machine.provide({
    actions: {
      // While it still waits, a node asks again, as if its request were the oldest.
      crossOff: enqueueActions(({ context, event, enqueue }) => {
        assertEvent(event, 'reply');
        const awaiting = context.awaiting.filter((peer) => peer !== event.from);
        enqueue.assign({ awaiting, requestedAt: 0 });
        for (const peer of awaiting) enqueue.emit(send(peer, { type: 'request', ts: 0 }));
      }),
    },
  }),
  '3: requests that it does not know yet get larger time stamps': machine.provide({
    actions: { witness: assign({}) },
  }),
};

describe('ricart-agrawala conditions', () => {
  it.each([
    ['1: older requests that it knows are served', 2, {}, 6],
    ['2: no request that it knows gets a smaller time stamp', 3, { initiators: ['a', 'b'] }, 10],
    ['3: requests that it does not know yet get larger time stamps', 2, {}, 6],
  ] as const satisfies readonly (readonly [keyof typeof broken, number, ExploreOptions, number])[])(
    'without condition %s, exclusion breaks; the page shows the shortest trace',
    (condition, n, budget, steps) => {
      const { verdicts, traces } = outcomeOf(
        withMachine(ricartAgrawala, broken[condition]),
        complete(n),
        budget,
      );
      expect(verdicts[exclusion]).toBe(`violated in ${steps}`);
      expect(page).toContain(traces[exclusion]);
    },
  );
});
