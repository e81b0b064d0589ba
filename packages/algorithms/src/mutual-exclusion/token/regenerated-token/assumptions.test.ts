import { type ExploreOptions, explore } from '@conclave/check';
import {
  always,
  increases,
  type NodeView,
  never,
  type Property,
  type Protocol,
  send,
  sometimes,
} from '@conclave/core/protocol';
import { closedLoop, simulate } from '@conclave/core/simulation';
import { ring } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { enqueueActions } from 'xstate';
import { everyInterleaving } from '../../../contract/explored.contract.js';
import { failing, propertyNamed } from '../../../contract/findings.contract.js';
import {
  mutantOf,
  ofWholes,
  withMachine,
  withoutSteps,
} from '../../../contract/machines.contract.js';
import { properties, tokensGrow } from '../../mutual-exclusion.js';
import { exploreMoments, type Moment, type NodeProperty } from './moments.contract.js';
import { regeneratedToken } from './protocol.js';
import { epochOf, machine } from './regenerated-token.js';

const [onePerEpoch, oneTokenPerEpoch, oneCoordinator] = [
  'at most one node is in the critical section with a token of each epoch',
  'each epoch has at most one token, in a node or on its way',
  'at most one node makes tokens, and no node knows a later epoch than it does',
].map((name) => propertyNamed(regeneratedToken().properties, name)) as [
  Property,
  Property,
  Property,
];

/** The protocol with the properties of a lock, which are more than those of each epoch. */
const asLock = (protocol: Protocol): Protocol => ({
  ...protocol,
  properties: [...ofWholes(properties), ...(protocol.fence ? [tokensGrow(protocol.fence)] : [])],
});
/** Makes its first new token without an inquiry. */
const blind = asLock(regeneratedToken({ coordinator: 'a' }));
const elected = asLock(regeneratedToken());
/** Always inquires before it makes a token. */
const inquiring = asLock(regeneratedToken({ coordinator: 'a', blindRegenerations: 0 }));
const exclusion = 'at most one node is in the critical section';
const tokensAreLarger = 'each entry has a larger fencing token than every entry before it';
const noDeadlock = 'no node waits in a quiescent state';
/**
 * A message takes at most 100 ms, the timeout is 1000 ms. A node may stay in its critical section
 * for `most` ms.
 */
const within = (most: number) =>
  ({
    time: { kind: 'exact', delay: [0, 100], stays: { critical: [0, most] } },
  }) as const satisfies ExploreOptions;
/** A message takes 100 ms. */
const even = { time: { kind: 'exact', delay: [100, 100] } } as const satisfies ExploreOptions;

/** The lines of the shortest run that violates a property, without the timers and long names. */
function shortest(
  protocol: Protocol,
  n: number,
  name: string,
  options: ExploreOptions,
): readonly string[] {
  const found = explore(protocol, ring(n), options);
  const { verdict, trace } = propertyNamed(found.properties, name);
  expect(verdict).toBe('violated');
  expect(trace && replay(protocol, ring(n), trace)).toEqual({ steps: trace?.lines.length });
  return linesText(trace?.lines ?? [])
    .trimEnd()
    .split('\n')
    .map((line) =>
      line
        .replaceAll(/client\.|regenerator\.|regenerated-token\.|timeout\./g, '')
        .replaceAll(/(, )?(start|cancel) \w+( \d+ms)?/g, '')
        .replace(/⇒ ?,? *$/, '')
        .replace(/⇒ ?, */, '⇒ ')
        .replaceAll(/ {2,}/g, '  ')
        .trim(),
    );
}

describe('regenerated-token assumptions', () => {
  it('a timeout that is too short makes a second token, and lets in two nodes', () => {
    expect(shortest(blind, 3, exclusion, { time: 'untimed', limits: { states: 20_000 } })).toEqual([
      'a  start  released & watching  ⇒ b: token(1, 0)',
      'a  timeout watching  released & watching  ⇒ b: token(2, 0)',
      'b  token(1, 0) from a  released & off  ⇒ c: token(1, 0)',
      'b  acquire  released & off → wanted & off',
      'b  token(2, 0) from a  wanted & off → held & off',
      'c  acquire  released & off → wanted & off',
      'c  token(1, 0) from b  wanted & off → held & off',
    ]);
  });

  proof(
    'a long stay in the critical section looks like a lost token, even if messages take at most 100 ms',
    () => {
      expect(shortest(blind, 3, exclusion, {})).toEqual([
        '0.000ms  a  start  released & watching  ⇒ b: token(1, 0)',
        '0.000ms  b  token(1, 0) from a  released & off  ⇒ c: token(1, 0)',
        '0.000ms  b  acquire  released & off → wanted & off',
        '0.000ms  c  acquire  released & off → wanted & off',
        '0.000ms  c  token(1, 0) from b  wanted & off → held & off',
        '1000.000ms  a  timeout watching  released & watching  ⇒ b: token(2, 0)',
        '1000.000ms  b  token(2, 0) from a  wanted & off → held & off',
      ]);
      const found = explore(blind, ring(3));
      expect([found.complete, found.states, ...failing(found)]).toEqual([true, 13_637, exclusion]);
    },
  );

  proof('with short stays every loss is repaired, and all properties of a lock hold', () => {
    for (const [protocol, n, losses, states] of [
      [blind, 3, 1, 3_255],
      [blind, 3, 2, 8_539],
      [blind, 4, 1, 19_762],
      [elected, 3, 1, 59_407],
    ] as const) {
      const found = explore(protocol, ring(n), { ...within(200), losses });
      expect([found.complete, found.states, ...failing(found)]).toEqual([true, states]);
    }
  });

  proof.each([
    [3, 750, []],
    [3, 800, [exclusion]],
    [4, 300, []],
    [4, 400, [exclusion]],
    [4, 700, [exclusion, tokensAreLarger]],
  ])('on %i nodes, stays of up to %i ms violate %j', (n, most, violated) => {
    const found = explore(blind, ring(n), within(most));
    expect([found.complete, ...failing(found)]).toEqual([true, ...violated]);
  });

  proof(
    'a long stay does not mislead a coordinator that always inquires, if channels are FIFO',
    () => {
      for (const [n, budget, states] of [
        [3, { commands: 2, losses: 1 }, 102_622],
        [4, { losses: 1 }, 86_117],
      ] as const) {
        const found = explore(inquiring, ring(n), { order: 'fifo', ...budget });
        expect([found.complete, found.states, ...failing(found)]).toEqual([true, states]);
      }
    },
  );

  proof('on three nodes FIFO is not needed; on four the inquiry may overtake the token', () => {
    const found = explore(inquiring, ring(3), { losses: 1 });
    expect([found.complete, ...failing(found)]).toEqual([true]);
    expect(shortest(inquiring, 4, exclusion, {})).toEqual([
      '0.000ms  a  start  released & watching  ⇒ b: token(1, 0)',
      '0.000ms  b  token(1, 0) from a  released & off  ⇒ c: token(1, 0)',
      '0.000ms  b  acquire  released & off → wanted & off',
      '0.000ms  c  acquire  released & off → wanted & off',
      '0.000ms  c  token(1, 0) from b  wanted & off → held & off',
      '0.000ms  d  acquire  released & off → wanted & off',
      '900.000ms  c  release  held & off → released & off  ⇒ d: token(1, 1)',
      '1000.000ms  a  timeout watching  released & watching → released & asking  ⇒ b: inquiry',
      '1000.000ms  b  inquiry from a  wanted & off  ⇒ c: inquiry',
      '1000.000ms  c  inquiry from b  released & off  ⇒ d: inquiry',
      '1000.000ms  d  inquiry from c  wanted & off  ⇒ a: inquiry',
      '1000.000ms  a  inquiry from d  released & asking → released & watching  ⇒ b: token(2, 0)',
      '1000.000ms  b  token(2, 0) from a  wanted & off → held & off',
      '1000.000ms  d  token(1, 1) from c  wanted & off → held & off',
    ]);
  });

  it('if timeouts are too short, it mistakes an earlier inquiry for the answer to this one, even with FIFO channels', () => {
    const early = {
      time: 'untimed',
      order: 'fifo',
      limits: { states: 20_000 },
      all: false,
      properties: [propertyNamed(properties, exclusion)],
    } as const;
    expect(shortest(inquiring, 3, exclusion, early)).toHaveLength(15);
  });

  it('a node in its critical section must stop the inquiry', () => {
    const passing = withMachine(inquiring, machine.provide({ guards: { isHeld: () => false } }));
    expect(shortest(passing, 3, exclusion, { order: 'fifo', all: false })).toHaveLength(10);
  });

  it('a duplicated token lets in two nodes in one epoch', () => {
    const ofEpoch = { properties: [onePerEpoch], all: false };
    expect(shortest(blind, 3, onePerEpoch.name, { duplications: 1, ...ofEpoch })).toHaveLength(7);
  });

  it('no message passes a crashed node: the crash is not tolerated, but reported, unless the coordinator has crashed', () => {
    expect(shortest(blind, 3, noDeadlock, { crashes: 1, limits: { states: 20_000 } })).toEqual([
      '0.000ms  a  start  released & watching  ⇒ b: token(1, 0)',
      '0.000ms  a  crash',
      '0.000ms  b  drop token(1, 0) from a',
      '0.000ms  b  acquire  released & off → wanted & off',
      '0.000ms  c  acquire  released & off → wanted & off',
    ]);
    const { trace, exclusion: measured } = simulate({
      protocol: blind,
      topology: ring(3),
      faults: [{ kind: 'crash', node: 'c', at: 10.5, inside: false }],
      workload: closedLoop({ nodes: ['b'], entries: 2, think: { kind: 'fixed', ms: 20 } }),
      until: { time: 10_000 },
      record: true,
    });
    // by the token that the coordinator makes without an inquiry
    expect(measured.entries).toHaveLength(1);
    expect(linesText(trace?.lines ?? []).match(/notify token-missing/g)).toHaveLength(7);
  });

  proof('after its restart every node enters, and no two tokens have one epoch', () => {
    expect(crashAndRestart(blind)).toEqual({ states: 6_795, failing: {} });
  });

  proof(
    'this needs the epoch on stable storage: otherwise the coordinator begins again with the first',
    () => {
      const { node } = blind.roles;
      if (!node) throw new Error('there is one role');
      const forgetful = { ...blind, roles: { node: { ...node, stable: ['coordinator'] } } };
      expect(crashAndRestart(forgetful).failing).toEqual({
        [onePerEpoch.name]: 'violated in 9',
        [oneTokenPerEpoch.name]: 'violated in 2',
        [oneCoordinator.name]: 'violated in 17',
      });
    },
  );
});

function isLatest({ view, largest }: Moment): boolean {
  return view.tagged('critical').every(({ context }) => context.fence === largest);
}

const entersEventually: NodeProperty = {
  kind: 'each',
  name: 'eventually enters',
  trigger: ({ view }, id) => view.node(id).tags.has('waiting'),
  response: ({ view }, id) => view.node(id).tags.has('critical'),
};

/**
 * Any one node crashes and restarts, at any moments: liveness after that, and the properties of
 * each epoch.
 */
function crashAndRestart(protocol: Protocol) {
  const { states, properties: found } = exploreMoments(
    protocol,
    ring(2),
    { ...even, crashes: 1, restarts: 1 },
    [
      {
        ...entersEventually,
        trigger: (moment, id) =>
          moment.world.remaining.restarts === 0 &&
          moment.world.crashed.length === 0 &&
          entersEventually.trigger(moment, id),
      },
      ...[onePerEpoch, oneTokenPerEpoch, oneCoordinator].flatMap((property) =>
        property.kind === 'always'
          ? [{ ...property, holds: ({ view }: Moment) => property.holds(view) }]
          : [],
      ),
    ],
  );
  const failing = found
    .filter(({ verdict }) => verdict !== 'holds')
    .map(({ name, verdict, path }) => [name, `${verdict} in ${path?.length}`]);
  return { states, failing: Object.fromEntries(failing) };
}

describe('regenerated-token fencing', () => {
  proof(
    'an overtaken holder may pass its token on to a waiting node: then the numbers do not grow',
    () => {
      expect(shortest(blind, 4, tokensAreLarger, {})).toEqual([
        '0.000ms  a  start  released & watching  ⇒ b: token(1, 0)',
        '0.000ms  b  token(1, 0) from a  released & off  ⇒ c: token(1, 0)',
        '0.000ms  b  acquire  released & off → wanted & off',
        '0.000ms  c  acquire  released & off → wanted & off',
        '0.000ms  c  token(1, 0) from b  wanted & off → held & off',
        '0.000ms  d  acquire  released & off → wanted & off',
        '900.000ms  c  release  held & off → released & off  ⇒ d: token(1, 1)',
        '1000.000ms  a  timeout watching  released & watching  ⇒ b: token(2, 0)',
        '1000.000ms  b  token(2, 0) from a  wanted & off → held & off',
        '1000.000ms  d  token(1, 1) from c  wanted & off → held & off',
      ]);
    },
  );

  proof('no two entries have the same number: those of one epoch grow', () => {
    const most = 6;
    const epochIn = (node: NodeView) =>
      node.tags.has('critical') ? epochOf(Number(node.context.fence)) : 0;
    const properties = [
      ...Array.from({ length: most }, (_, index) =>
        increases(`those of epoch ${index + 1} grow`, (node) =>
          epochIn(node) === index + 1 ? Number(node.context.fence) : undefined,
        ),
      ),
      sometimes(`a node is in its critical section by epoch ${most}`, (system) =>
        system.nodes.some((node) => epochIn(node) === most),
      ),
      never('a node is in its critical section by a later epoch', (system) =>
        system.nodes.some((node) => epochIn(node) > most),
      ),
    ];
    const found = explore(blind, ring(3), { losses: 1, properties });
    expect([found.complete, found.states]).toEqual([true, 51_941]);
    expect(failing(found)).toEqual([]);
  });

  proof(
    'an entry by the latest token has the largest number so far: the store turns all others away',
    () => {
      const found = exploreMoments(blind, ring(3), even, [
        always(
          'at most one node in its critical section has the largest number so far',
          ({ view, largest }: Moment) =>
            view.tagged('critical').filter(({ context }) => context.fence === largest).length <= 1,
        ),
        always(
          'a node in its critical section by the latest epoch has it',
          ({ view, largest }: Moment) => {
            const latest = Math.max(...view.nodes.map(({ context }) => Number(context.seen)));
            return view
              .tagged('critical')
              .filter(({ context }) => epochOf(Number(context.fence)) === latest)
              .every(({ context }) => context.fence === largest);
          },
        ),
        always('a node in its critical section has it', isLatest),
      ]);
      expect([found.complete, found.states]).toEqual([true, 8_005]);
      expect(found.properties.map(({ verdict }) => verdict)).toEqual([
        'holds',
        'holds',
        'violated',
        'holds',
      ]);
    },
  );
});

const plain = regeneratedToken({ coordinator: 'a' });
const mutant = mutantOf(withoutSteps(plain));

describe('A14 regenerated-token: with an appointed coordinator', () => {
  everyInterleaving(
    plain,
    [
      [
        '2 nodes, 2 entries each, up to 2 losses',
        [0, 1, 2].map((losses) => ({ topology: ring(2), budget: { commands: 2, losses } })),
        {},
        86_605,
      ],
      [ring(3), { losses: 1 }, 51_941],
    ],
    {
      'a new token has the epoch of the previous one, though no time-out ends too early': mutant(
        'ring:2, 4 steps: each epoch has at most one token, in a node or on its way',
        machine.provide({
          actions: {
            makeToken: enqueueActions(({ context: { next }, enqueue }) => {
              enqueue.assign({ seen: 1 });
              enqueue.emit(send(next, { type: 'token', epoch: 1, entries: 0 }));
            }),
          },
        }),
      ),
    },
  );
});
