import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/check';
import { atMost, type NodeView, type Protocol, sometimes } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assertEvent, assign } from 'xstate';
import { expectBounds, runsUnderLoad } from '../../../contract/cost.contract.js';
import { propertyNamed } from '../../../contract/findings.contract.js';
import { mutantOf, withMachine } from '../../../contract/machines.contract.js';
import { failingOverReliable } from '../../../contract/sweep.contract.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import {
  allHold,
  entry,
  everyMessageHandled,
  exclusion,
  fencing,
  ignoringUnexpected,
  outcomeOf,
  withoutTimers,
} from '../../outcome.contract.js';
import { ricartAgrawala, ricartAgrawalaAcknowledged } from './protocol.js';
import { acknowledgedMachine } from './ricart-agrawala.js';

describe('ricart-agrawala fencing', () => {
  proof.each([
    ['tokens grow where a message is lost', { losses: 1 }, 'holds'],
    ['tokens grow where a node crashes', { crashes: 1 }, 'holds'],
    ['a duplicated reply breaks the order', { duplications: 1 }, 'violated in 10'],
    [
      'a node that restarts with its clock at 0 breaks the order',
      { crashes: 1, restarts: 1 },
      'violated in 8',
    ],
  ] satisfies [string, ExploreOptions, string][])('%s', (_what, fault, verdict) => {
    const { verdicts } = outcomeOf(ignoringUnexpected(ricartAgrawala), complete(2), {
      commands: 2,
      ...fault,
    });
    expect(verdicts).toMatchObject({ [fencing]: verdict });
  });
});

describe('ricart-agrawala assumptions', () => {
  proof.each([
    [2, 60, 2],
    [3, 22_748, 4],
  ])(
    'one lost message among %i nodes breaks liveness, not safety: every interleaving',
    (n, states, steps) => {
      const found = outcomeOf(ricartAgrawala, complete(n), { commands: 1, losses: 1 });
      expect(found.states).toBe(states);
      expect(found.verdicts).toMatchObject({
        [exclusion]: 'holds',
        [entry]: `violated in ${steps}`,
        [everyMessageHandled]: 'holds',
      });
      expect(found.traces[entry]?.match(/ drop /g)).toHaveLength(1);
    },
  );

  proof('a reliable link compensates loss, duplication and overtaking', () => {
    expect(failingOverReliable(ricartAgrawala, complete(4), 50)).toEqual([]);
  });

  proof.each<readonly [string, NonNullable<ExploreOptions['mayCrash']>, number]>([
    ['is idle', ({ tags }) => tags.size === 0, 4],
    ['waits', ({ tags }) => tags.has('waiting'), 7],
    ['is in the critical section', ({ tags }) => tags.has('critical'), 9],
  ])(
    'a node of three that crashes while it %s breaks liveness, not safety: every interleaving',
    (_where, mayCrash, steps) => {
      const { verdicts } = outcomeOf(ricartAgrawala, complete(3), { crashes: 1, mayCrash });
      expect(verdicts).toMatchObject({
        [exclusion]: 'holds',
        [entry]: `violated in ${steps}`,
        [fencing]: 'holds',
      });
    },
  );

  it('a node without the reply of a crashed node never enters; a node with it does', () => {
    const without = sometimes(
      'a node enters without the reply',
      ({ nodes }) =>
        nodes.some(({ tags }) => tags.has('critical')) &&
        nodes.some(({ id, crashed, context }) => id === 'c' && crashed && context.clock === 0),
    );
    const withReply = sometimes(
      'a node enters with the reply',
      ({ nodes }) =>
        nodes.some(({ tags }) => tags.has('critical')) &&
        nodes.some(({ id, crashed }) => id === 'c' && crashed),
    );
    const budget = {
      crashes: 1,
      mayCrash: ({ id }: NodeView) => id === 'c',
      initiators: ['a', 'b'],
      properties: [without, withReply],
    };
    const { properties } = explore(ricartAgrawala, complete(3), budget);
    expect([without, withReply].map(({ name }) => propertyNamed(properties, name).verdict)).toEqual(
      ['unreached', 'reached'],
    );
  });
});

// A3 with `acknowledged`: a silent node counts as crashed.

const acknowledged = ricartAgrawalaAcknowledged();
const mutant = mutantOf(acknowledged);

mutualExclusionContract({
  protocol: acknowledged,
  topologies: [2, 3, 4, 5].map((n) => complete(n)),
  small: [
    { topology: complete(2), budget: { commands: 1, initiators: ['b'], time: 'untimed' } },
    { topology: complete(2), budget: { commands: 1, order: 'fifo' } },
  ],
  explored: [
    [complete(2), { commands: 2 }, 11_589],
    [complete(2), { commands: 2, crashes: 2 }, 71_718],
    [complete(2), { duplications: 1 }, 5_755],
    [complete(3), { initiators: ['a', 'b'] }, 15_799],
  ],
  costs: [2, 3, 5, 9].map((n) => complete(n)),
  mutants: {
    'an acknowledgement counts as a reply': mutant(
      'complete:2, 6 steps: at most one node is in the critical section',
      acknowledgedMachine.provide({
        actions: {
          noteAnswer: assign(({ context, event }) => {
            assertEvent(event, ['ack', 'reply']);
            return { awaiting: context.awaiting.filter((peer) => peer !== event.from) };
          }),
        },
      }),
    ),
  },
});

describe('ricart-agrawala assumptions with acknowledged', () => {
  const page = withoutTimers(readFileSync(new URL('./README.md', import.meta.url), 'utf8'));
  const found = (protocol: Protocol, n: number, options: ExploreOptions) =>
    outcomeOf(protocol, complete(n), options);
  const expectOnPage = (trace = '') => {
    for (const line of withoutTimers(trace)) expect(page).toContain(line);
  };

  proof.each([
    [3, { initiators: ['a', 'b'], crashes: 1 }, 151_371],
    [3, { initiators: ['a', 'b'], crashes: 2 }, 394_447],
  ] satisfies [number, ExploreOptions, number][])(
    'if any nodes crash, idle, waiting or in the critical section, all others enter: %i nodes, %o, every interleaving',
    (n, options, states) => {
      expect(found(acknowledged, n, { ...options })).toMatchObject({ states, verdicts: allHold });
    },
  );

  it('one acknowledgement is not enough: a node may crash between its acknowledgement and its reply', () => {
    const once = withMachine(
      acknowledged,
      acknowledgedMachine.provide({ actions: { inquireAll: assign({ silent: [] }) } }),
    );
    const { states, verdicts, traces } = found(once, 2, { crashes: 1 });
    expect(states).toBe(1_842);
    expect(verdicts).toMatchObject({
      [exclusion]: 'holds',
      [entry]: 'violated in 9',
      [fencing]: 'holds',
    });
    expectOnPage(traces[entry]);
  });

  it('without acknowledgements a node that has deferred a request counts as crashed', () => {
    const silent = withMachine(
      acknowledged,
      acknowledgedMachine.provide({ actions: { acknowledge: assign({}) } }),
    );
    expect(found(silent, 2, {}).verdicts).toMatchObject({ [exclusion]: 'violated in 6' });
  });

  proof(
    'a duplicated message is harmless, since answers carry the time stamp of their request: otherwise two nodes enter',
    () => {
      const duplicated = { commands: 2, duplications: 1 };
      const { verdicts } = found(acknowledged, 2, duplicated);
      expect(verdicts).toMatchObject({
        [exclusion]: 'holds',
        [entry]: 'holds',
        [fencing]: 'holds',
      });
      const unchecked = withMachine(
        acknowledged,
        acknowledgedMachine.provide({ guards: { answersOurs: () => true } }),
      );
      expect(found(unchecked, 2, duplicated).verdicts).toMatchObject({
        [exclusion]: 'violated in 10',
      });
    },
  );

  it.each([
    [400, 'holds'],
    [500, 'violated in 6'],
    [600, 'violated in 6'],
  ])(
    'two nodes enter exactly if the longest round trip takes as long as the timeout of 1000 ms: delays up to %i ms, %s',
    (most, verdict) => {
      const { verdicts } = found(acknowledged, 2, { time: { kind: 'exact', delay: [0, most] } });
      expect(verdicts).toMatchObject({ [exclusion]: verdict, [entry]: 'holds' });
    },
  );

  it('where messages may take longer than the timeout, two nodes enter: each counts the other as crashed', () => {
    const { states, verdicts, traces } = found(acknowledged, 2, { time: 'untimed' });
    expect(states).toBe(829);
    expect(verdicts).toMatchObject({
      [exclusion]: 'violated in 4',
      [entry]: 'holds',
      [fencing]: 'violated in 4',
    });
    expectOnPage(traces[exclusion]);
  });

  it('one lost request breaks exclusion: a node that does not have it does not acknowledge it', () => {
    const { states, verdicts } = found(acknowledged, 2, { losses: 1 });
    expect(states).toBe(1_657);
    expect(verdicts).toMatchObject({
      [exclusion]: 'violated in 6',
      [entry]: 'holds',
      [fencing]: 'violated in 6',
    });
  });

  proof('a node that restarts with its clock at 0 breaks exclusion', () => {
    const { states, verdicts } = found(acknowledged, 2, { commands: 2, crashes: 1, restarts: 1 });
    expect(states).toBe(220_188);
    expect(verdicts).toMatchObject({ [exclusion]: 'violated in 8', [fencing]: 'violated in 9' });
  });
});

describe('ricart-agrawala cost with acknowledged', () => {
  proof(
    'is n−1 requests, acknowledgements and replies for each entry, in every interleaving; inquiries are not bounded',
    () => {
      const n = 2;
      const each = (most: number, ...of: string[]) => atMost(most, { per: 'acquire', of });
      const bounds = [each(n - 1, 'request'), each(n - 1, 'reply')];
      const tighter = [each(n - 2, 'request'), each(100, 'inquire')];
      expectBounds(acknowledged, complete(n), { commands: 2 }, bounds, tighter);
    },
  );

  proof(
    'is exactly 3(n−1) messages per entry as long as no timeout passes, for every n in 2 … 12',
    () => {
      const unhurried = ricartAgrawalaAcknowledged({ timeout: 1_000_000 });
      for (const { n, messages } of runsUnderLoad(unhurried, complete, 12)) {
        const each = 3 * n * (n - 1);
        expect(messages).toEqual({ request: each, ack: each, reply: each });
      }
    },
  );
});
