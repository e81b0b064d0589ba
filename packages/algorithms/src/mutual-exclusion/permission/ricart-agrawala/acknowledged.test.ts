/** A3 with `acknowledged`: whoever is silent is taken for crashed. */
import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/core/exploration';
import { atMost, type Protocol, send } from '@conclave/core/protocol';
import { closedLoop, poisson, simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { linesText, replay, type Trace } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assertEvent, assign, emit } from 'xstate';
import { withMachine } from '../../../contract/mutant.js';
import { withoutSteps } from '../../../contract/without-steps.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import { ricartAgrawalaAcknowledged } from './protocol.js';
import { acknowledgedMachine } from './ricart-agrawala.js';

const acknowledged = ricartAgrawalaAcknowledged();
const mutant = (refuted: string, changed: AnyStateMachine) => ({ protocol: withMachine(acknowledged, changed), refuted });

mutualExclusionContract({
  protocol: acknowledged,
  topologies: [2, 3, 4, 5].map((n) => complete(n)),
  small: [
    { topology: complete(2), budget: { commands: 1, initiators: ['b'], time: 'untimed' } },
    { topology: complete(2), budget: { commands: 1, order: 'fifo', time: 'bounded' } },
  ],
  explored: [
    {
      what: 'acknowledged, 2 nodes, 2 entries each, messages take at most 100 ms',
      systems: [{ topology: complete(2), budget: { commands: 2, time: 'bounded' } }],
      states: 2_524,
    },
    {
      what: 'acknowledged, 2 nodes, 2 entries each, both may crash at any time',
      systems: [{ topology: complete(2), budget: { commands: 2, time: 'bounded', crashes: 2 } }],
      states: 28_678,
    },
    {
      what: 'acknowledged, 2 nodes, 2 entries each, a message doubled',
      systems: [{ topology: complete(2), budget: { commands: 2, time: 'bounded', duplications: 1 } }],
      states: 59_007,
    },
    {
      what: 'acknowledged, 3 nodes, an entry each, messages take at most 100 ms',
      systems: [{ topology: complete(3), budget: { time: 'bounded' } }],
      states: 200_916,
    },
  ],
  covered: [
    {
      topology: complete(2),
      budget: { commands: 2, order: 'fifo', time: 'untimed' },
      states: 9_313,
      transitions: 26_448,
      depth: 25,
      // A node that has deferred the other's request waits for nothing but the other's reply, and that has come before the inquiry. With three
      // nodes it may wait for the third.
      missed: ['wanted: inquire [isDeferred]'],
      neverTrue: ['wanted: inquire [isDeferred]'],
    },
  ],
  costs: [2, 3, 5, 9].map((n) => complete(n)),
  mutants: {
    'an acknowledgement is taken for permission': mutant(
      'complete:2, 6 steps: at most one node is in the critical section',
      acknowledgedMachine.provide({
        actions: {
          hear: assign(({ context, event }) => {
            assertEvent(event, ['ack', 'reply']);
            return { awaiting: context.awaiting.filter((peer) => peer !== event.from) };
          }),
        },
      }),
    ),
    'the clock does not witness': mutant(
      'complete:2, 6 steps: at most one node is in the critical section',
      acknowledgedMachine.provide({ actions: { witness: assign({}) } }),
    ),
    'nobody is ever deferred': mutant(
      'complete:2, 6 steps: at most one node is in the critical section',
      acknowledgedMachine.provide({
        actions: {
          defer: emit(({ event }) => {
            assertEvent(event, 'request');
            return send(event.from, { type: 'reply', ts: event.ts });
          }),
        },
      }),
    ),
    'no tie-break': mutant(
      'complete:2, 6 steps: at most one node is in the critical section',
      acknowledgedMachine.provide({
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

const bounded = { time: 'bounded' } as const;

/** A trace as the page shows it: without the timers, which every `wanted` starts and ends. */
const shown = (trace: Trace | undefined) =>
  linesText(trace?.lines ?? [])
    .replaceAll(/,? ?(start|cancel) patience\.\S+( \d+ms)?,?/g, '')
    .replaceAll(/ *⇒ *$/gm, '')
    .replaceAll('patience.acknowledged-node.wanted', 'patience')
    .split('\n')
    .map((line) => line.replaceAll(/ {3,}/g, '  ').trimEnd());

function found(protocol: Protocol, n: number, options: ExploreOptions) {
  const { complete: whole, states, properties } = explore(withoutSteps(protocol), complete(n), options);
  expect(whole).toBe(true);
  const [exclusion, enters, , fencing] = properties.map(({ verdict, trace, loopsFrom }) => {
    if (!trace) return verdict;
    if (loopsFrom === undefined) expect(replay(protocol, complete(n), trace)).toEqual({ steps: trace.lines.length });
    return verdict === 'violated' ? `violated in ${trace.lines.length}` : verdict;
  });
  return { states, exclusion, enters, fencing, traces: properties.map(({ trace }) => trace) };
}

describe('ricart-agrawala assumptions with acknowledged', () => {
  const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
  const all = { exclusion: 'holds', enters: 'holds', fencing: 'holds' };

  it.each([
    [2, { commands: 2, crashes: 2 }, 28_678],
    [3, { initiators: ['a', 'b'], crashes: 1 }, 20_933],
    [3, { initiators: ['a', 'b'], crashes: 2 }, 66_990],
  ] satisfies [number, ExploreOptions, number][])(
    'whoever crashes, idle, waiting or inside, all others enter: %i nodes, %o, every interleaving',
    (n, options, states) => {
      expect(found(acknowledged, n, { ...options, ...bounded, fairness: 'strong' })).toMatchObject({ ...all, states });
    },
  );

  it('a node that asks again and again can keep the clock of another from running out: weak fairness will not do', () => {
    expect(found(acknowledged, 3, { initiators: ['a', 'b'], crashes: 1, ...bounded })).toMatchObject({
      ...all,
      enters: 'violated in 14',
    });
  });

  it('to be acknowledged once is not enough: a node that has deferred a request may crash before it replies', () => {
    const once = withMachine(acknowledged, acknowledgedMachine.provide({ actions: { inquireAll: assign({ silent: [] }) } }));
    const { traces, ...verdicts } = found(once, 2, { crashes: 1, ...bounded, fairness: 'strong' });
    expect(verdicts).toEqual({ states: 552, exclusion: 'holds', enters: 'violated in 9', fencing: 'holds' });
    for (const line of shown(traces[1])) expect(page).toContain(line);
  });

  it('where nobody acknowledges, whoever has deferred a request is taken for crashed', () => {
    const silent = withMachine(acknowledged, acknowledgedMachine.provide({ actions: { acknowledge: assign({}) } }));
    expect(found(silent, 2, bounded)).toMatchObject({ exclusion: 'violated in 6' });
  });

  it('a doubled message does no harm, since answers name their request: else two are inside', () => {
    const doubled = { commands: 2, duplications: 1, ...bounded };
    expect(found(acknowledged, 2, doubled)).toMatchObject(all);
    const nameless = withMachine(acknowledged, acknowledgedMachine.provide({ guards: { answersOurs: () => true } }));
    expect(found(nameless, 2, doubled)).toMatchObject({ exclusion: 'violated in 10' });
  });

  it('where messages may take longer than patience, two are inside: each takes the other for crashed', () => {
    const { traces, ...verdicts } = found(acknowledged, 2, { time: 'untimed' });
    expect(verdicts).toEqual({ states: 829, exclusion: 'violated in 4', enters: 'holds', fencing: 'violated in 4' });
    for (const line of shown(traces[0])) expect(page).toContain(line);
  });

  it('one lost message, a request, breaks exclusion: who does not know of it does not acknowledge it', () => {
    expect(found(acknowledged, 2, { losses: 1, ...bounded, fairness: 'strong' })).toMatchObject({
      states: 339,
      exclusion: 'violated in 7',
      enters: 'holds',
      fencing: 'violated in 7',
    });
  });

  it('a node that comes back with its clock at 0 breaks exclusion', () => {
    expect(found(acknowledged, 2, { commands: 2, crashes: 1, restarts: 1, ...bounded, fairness: 'strong' })).toMatchObject({
      states: 91_741,
      exclusion: 'violated in 8',
      fencing: 'violated in 8',
    });
  });

  it('refuses a patience that is no time', () => {
    expect(() => ricartAgrawalaAcknowledged({ patience: 0 })).toThrow(
      'ricart-agrawala: patience 0 is no time. Give milliseconds, more than 0.',
    );
  });
});

describe('ricart-agrawala cost with acknowledged', () => {
  it('is n−1 requests, acknowledgements and replies for each entry, in every interleaving; inquiries are not bounded', () => {
    const n = 2;
    const each = (most: number, ...of: string[]) => atMost(most, { per: 'acquire', of });
    const { properties } = explore(acknowledged, complete(n), {
      commands: 2,
      ...bounded,
      properties: [each(n - 1, 'request'), each(n - 1, 'reply'), each(n - 2, 'request'), each(100, 'inquire')],
    });
    expect(properties.slice(0, 4).map(({ verdict }) => verdict)).toEqual(['holds', 'holds', 'violated', 'violated']);
  });

  it('is exactly 3(n−1) messages per entry, as long as patience lasts, for every n in 2 … 12', () => {
    const patient = ricartAgrawalaAcknowledged({ patience: 1_000_000 });
    for (let n = 2; n <= 12; n++)
      for (const workload of [closedLoop({ entries: 3, think: { kind: 'fixed', ms: 0 } }), poisson({ mean: 10_000, entries: 3 })]) {
        const { messages } = simulate({
          protocol: patient,
          topology: complete(n),
          workload,
          conditions: { order: 'any', delay: { kind: 'uniform', least: 0, most: 30 } },
        });
        const each = 3 * n * (n - 1);
        expect(messages).toEqual({ request: each, ack: each, reply: each });
      }
  });
});
