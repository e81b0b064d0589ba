import type { Budget } from '@conclave/check';
import { explore } from '@conclave/check';
import { proof, times } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, enqueueActions } from 'xstate';
import { notify, send } from '../../protocol/node.js';
import type { Protocol } from '../../protocol/protocol.js';
import { simulate, type Workload } from '../../simulation/index.js';
import { chain, complete } from '../../topology/generators.js';
import type { Conditions } from '../conditions.js';
import { type LinkCommand, type LinkContext, machine } from './link.js';
import { reliableLink } from './protocol.js';

/** Each end transmits `count` payloads, one every few ms. */
const transmitting =
  (count: number): Workload =>
  (application) => {
    for (const { id } of application.nodes) {
      for (let payload = 0; payload < count; payload++) {
        const command: LinkCommand = { type: 'transmit', payload: { number: payload } };
        application.later({ kind: 'fixed', ms: 7 * payload }, () => application.tell(id, command));
      }
    }
    return () => {};
  };

const wild: Partial<Conditions> = {
  delay: { kind: 'uniform', least: 5, most: 90 },
  order: 'any',
  loss: 0.3,
  duplication: 0.2,
};
describe('the reliable link as a protocol', () => {
  it('keeps its properties on faulty channels, and becomes quiescent', () => {
    for (let seed = 1; seed <= times(1, 20); seed++) {
      const result = simulate({
        protocol: reliableLink(),
        topology: complete(2),
        conditions: wild,
        workload: transmitting(30),
        seed,
      });
      expect(result.lost).toBeGreaterThan(0);
      expect(result.ended).toBe('quiescent');
      for (const { name, verdict } of result.properties)
        expect(`${name}: ${verdict}`).toBe(
          `${name}: ${name.endsWith('is delivered') ? 'reached' : 'holds'}`,
        );
    }
  });

  it('keeps them when an end crashes and restarts', () => {
    for (let seed = 1; seed <= times(1, 20); seed++) {
      const result = simulate({
        protocol: reliableLink({ window: 4 }),
        topology: complete(['a', 'b']),
        conditions: wild,
        workload: transmitting(30),
        faults: [
          { kind: 'crash', node: 'b', at: 120, restartAfter: 100 },
          { kind: 'crash', node: 'a', at: 400, restartAfter: 1 },
        ],
        seed,
      });
      expect(result.ended).toBe('quiescent');
      expect(result.properties.filter(({ verdict }) => verdict === 'violated')).toEqual([]);
    }
  });

  it('costs one frame and its acknowledgement for each payload where nothing is lost, after the first contact', () => {
    const result = simulate({
      protocol: reliableLink(),
      topology: complete(2),
      workload: transmitting(30),
    });
    expect(result.messages).toEqual({ data: 62, ack: 62 });
  });

  it('joins exactly two nodes', () => {
    const more = () => simulate({ protocol: reliableLink(), topology: chain(3) });
    expect(more).toThrow('Reliable link needs a two-node network');
    expect(more).toThrow('there are 3 nodes and 4 links');
  });
});

describe('the reliable link in every interleaving', () => {
  const link = reliableLink({ window: 2 });
  const payloads = (count: number) => ({
    inputs: Array.from({ length: count }, (_, payload) => ({ type: 'transmit', payload })),
  });
  const timed = { initiators: ['a'], time: { kind: 'exact', delay: [0, 50] } } as const;
  const found = (protocol: Protocol, budget: Budget) =>
    explore(protocol, complete(2), {
      ...budget,
      ...timed,
      fairness: 'strong',
      limits: { states: 20_000 },
    });
  const budgets: readonly (readonly [string, Budget])[] = [
    ['three payloads', payloads(3)],
    ['two payloads, a loss', { ...payloads(2), losses: 1 }],
    ['a payload, two losses', { ...payloads(1), losses: 2 }],
    ['two payloads, a duplication', { ...payloads(2), duplications: 1 }],
    ['a payload, a loss and a duplication', { ...payloads(1), losses: 1, duplications: 1 }],
  ];

  it.each(budgets)('delivers each payload once, in order: %s', (_what, budget) => {
    const { complete: all, properties } = found(link, budget);
    expect(all).toBe(true);
    for (const { name, verdict } of properties)
      expect(`${name}: ${verdict}`).toBe(
        `${name}: ${name.endsWith('is delivered') ? 'reached' : 'holds'}`,
      );
  });

  const news = (context: LinkContext, event: { readonly next?: number }) =>
    (event.next ?? 0) - context.base;
  const wrong: readonly (readonly [what: string, violated: string, machine: AnyStateMachine])[] = [
    [
      'delivers a duplicated payload twice',
      'each payload is delivered once, in the order of numbers, as soon as all payloads before it are',
      machine.provide({
        actions: {
          accept: enqueueActions(({ context, event, enqueue }) => {
            if (event.type !== 'data') return;
            enqueue.emit(notify({ type: 'deliver', payload: event.payload }));
            enqueue.assign({ expected: Math.max(context.expected, event.seq + 1) });
          }),
        },
      }),
    ],
    [
      'drops a payload to transmit while it waits',
      'a payload to transmit is kept, and sent at once if it fits the window',
      machine.provide({
        actions: {
          enqueue: enqueueActions(({ context, event, enqueue }) => {
            if (event.type !== 'transmit' || context.outbox.length > 0) return;
            enqueue.assign({ outbox: [event.payload] });
            const { incarnation, met: addressed, base: seq, peer } = context;
            enqueue.emit(
              send(peer, { type: 'data', incarnation, addressed, seq, payload: event.payload }),
            );
          }),
        },
      }),
    ],
    [
      'idles with a full outbox',
      'an end waits exactly while a payload that it was to transmit is not acknowledged',
      machine.provide({
        guards: {
          acknowledgesAll: ({ context, event }) => event.type === 'ack' && news(context, event) > 0,
        },
      }),
    ],
    [
      'does not acknowledge',
      'each payload that arrives is acknowledged once, by the number of the next one expected',
      machine.provide({ actions: { acknowledge: enqueueActions(() => {}) } }),
    ],
    [
      'sends nothing again',
      'on a timeout the whole window is sent again',
      machine.provide({ actions: { sendWindow: enqueueActions(() => {}) } }),
    ],
  ];

  const withEnd = (changed: AnyStateMachine): Protocol => {
    const { end } = link.roles;
    if (!end) throw new Error('its one role');
    return { ...link, roles: { end: { ...end, machine: changed } } };
  };

  proof.each(wrong)('a link that %s is refuted', (_what, violated, changed) => {
    const refuted = budgets.flatMap(([, budget]) => found(withEnd(changed), budget).properties);
    expect(
      refuted.filter(({ verdict }) => verdict === 'violated').map(({ name }) => name),
    ).toContain(violated);
  });
});
