import { readFileSync } from 'node:fs';
import { explore } from '@conclave/check';
import { fire, start } from '@conclave/core/internal';
import { always, type Protocol, send } from '@conclave/core/protocol';
import { oneShot, simulate, totalMessages } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { linesText } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import type { EventObject } from 'xstate';
import { everyInterleavingOfVariant } from '../../contract/explored.contract.js';
import { propertyNamed } from '../../contract/findings.contract.js';
import { mutantOf, takeAll } from '../../contract/machines.contract.js';
import { problemContract, shownRun } from '../../contract/problem.contract.js';
import { outcomeOf } from '../../mutual-exclusion/outcome.contract.js';
import { raftElection } from './protocol.js';
import { machine, timedMachine } from './raft-election.js';

const protocol = raftElection();
const oneLeader = propertyNamed(
  protocol.properties,
  'no term has two leaders, not even one after the other',
);
const timed = raftElection({ heartbeats: true });
const mutant = mutantOf(protocol);
const two = { initiators: ['a', 'b'] };
const fault = { crashes: 1, restarts: 1 };
const exact = (least: number, most: number) =>
  ({ commands: 0, time: { kind: 'exact', delay: [least, most] } }) as const;
const inTerms = (most: number) =>
  always(`no term after ${most}`, ({ nodes }) =>
    nodes.every(({ context }) => Number(context.term) <= most),
  );

problemContract({
  protocol,
  topologies: [2, 3, 5].map(complete),
  workload: () => oneShot({ type: 'elect' }, { after: { kind: 'exponential', mean: 30 } }),
  small: [
    { topology: complete(2), budget: {} },
    { topology: complete(3), budget: { initiators: ['a'] } },
  ],
  explored: [
    [complete(2), {}, 58],
    [complete(3), two, 3_354],
    [complete(3), { ...two, ...fault }, 42_050],
    [complete(3), { ...two, ...fault, losses: 1 }, 101_625],
  ],
  mutants: {
    'a node votes for everyone who asks': mutant(
      'complete:3, 6 steps: no term has two leaders, not even one after the other',
      machine.provide({
        guards: { mayVote: ({ context, event }) => 'term' in event && event.term === context.term },
      }),
    ),
    'half of the votes are enough': mutant(
      'complete:2, 2 steps: no term has two leaders, not even one after the other',
      machine.provide({
        guards: {
          hasMajority: ({ context }) => 2 * context.votes.length >= context.peers.length + 1,
        },
      }),
    ),
  },
});

describe('Raft election with heartbeats', () => {
  everyInterleavingOfVariant(timed, [
    [complete(3), exact(25, 25), 45],
    [complete(3), { commands: 0 }, 249],
    [complete(3), { ...exact(25, 25), crashes: 1 }, 797],
    [complete(3), { ...exact(25, 25), ...fault }, 5_930],
  ]);

  /** Whether no node ever knows a later term, in each interleaving. */
  const holds = (n: number, most: number, spread: number, [least, longest]: readonly number[]) => {
    const { complete: isComplete, properties } = explore(
      raftElection({ heartbeats: true, spread }),
      complete(n),
      {
        ...exact(least ?? 0, longest ?? 0),
        ...(most > 1 && { crashes: 1 }),
        properties: [inTerms(most)],
        limits: { states: 200_000 },
        all: false,
      },
    );
    expect(isComplete || properties[0]?.verdict === 'violated').toBe(true);
    return properties[0]?.verdict === 'holds';
  };

  proof('the first election succeeds if nodes stand further apart than a message takes', () => {
    for (const delay of [
      [25, 25],
      [0, 25],
      [10, 25],
    ])
      for (const n of [2, 3])
        expect([50, 30].map((spread) => holds(n, 1, spread, delay))).toEqual([true, true]);
    expect([25, 20].map((spread) => holds(2, 1, spread, [25, 25]))).toEqual([false, false]);
  });

  it('the third one does, after a crash: one in the middle of a request may delay a voter', () => {
    for (const delay of [
      [25, 25],
      [0, 25],
    ])
      expect(holds(3, 3, 100, delay)).toBe(true);
    expect(holds(3, 2, 100, [25, 25])).toBe(false);
  });
});

describe('Raft election rules', () => {
  const input = {
    self: 'm',
    peers: ['p', 'q'],
    period: 100,
    timeout: 300,
    term: 4,
    votedFor: null,
  };
  const after = (...events: EventObject[]) =>
    takeAll(timedMachine, 'm', start(timedMachine, 'm', input).state, events);
  const from = (sender: string, type: string, term: number, granted?: boolean) =>
    ({ type, from: sender, term, ...(granted !== undefined && { granted }) }) as EventObject;
  const elect = { type: 'elect' };
  const to = (id: string, type: string, term: number, granted?: boolean) =>
    send(id, { type, term, ...(granted !== undefined && { granted }) } as { type: string });
  const sent = ({ effects }: ReturnType<typeof after>) =>
    effects.filter(({ type }) => type === 'send');
  const fired = (...events: EventObject[]) => {
    const { state } = after(...events);
    return fire(timedMachine, 'm', state, state.timers[0]?.id ?? '');
  };

  it('[RF1] a node that stands takes the next term, votes for itself and asks all others', () => {
    const stood = after(elect);
    expect(sent(stood)).toEqual([to('p', 'request-vote', 5), to('q', 'request-vote', 5)]);
    expect(stood.state).toMatchObject({
      value: 'candidate',
      context: { term: 5, votedFor: 'm', votes: ['m'] },
    });
  });

  it('[RF2] a node that is asked in a later term takes it, and gives its vote, whatever it was', () => {
    const lead = [elect, from('p', 'reply', 5, true)];
    for (const before of [[], [elect], lead]) {
      const asked = after(...before, from('q', 'request-vote', 6));
      expect(sent(asked)).toEqual([to('q', 'reply', 6, true)]);
      expect(asked.state).toMatchObject({ value: 'follower', context: { term: 6, votedFor: 'q' } });
    }
  });

  it('[RF3] a node votes in its term, and again only for the same candidate', () => {
    const once = after(from('q', 'request-vote', 4));
    expect(sent(once)).toEqual([to('q', 'reply', 4, true)]);
    expect(sent(after(from('q', 'request-vote', 4), from('q', 'request-vote', 4)))).toEqual(
      sent(once),
    );
  });

  it('[RF4] a node that has voted otherwise, or knows a later term, refuses', () => {
    for (const asked of [
      after(from('q', 'request-vote', 4), from('p', 'request-vote', 4)),
      after(from('p', 'request-vote', 3)),
    ])
      expect(sent(asked)).toEqual([to('p', 'reply', 4, false)]);
    expect(sent(after(elect, from('p', 'request-vote', 5)))).toEqual([to('p', 'reply', 5, false)]);
  });

  it('[RF5] a candidate with the votes of a majority leads, and tells all others', () => {
    const refused = after(elect, from('p', 'reply', 5, false), from('p', 'reply', 4, true));
    expect(refused.state.value).toBe('candidate');
    const led = after(elect, from('p', 'reply', 5, true));
    expect(sent(led)).toEqual([to('p', 'append-entries', 5), to('q', 'append-entries', 5)]);
    expect(led.state).toMatchObject({ value: 'leader', context: { leader: 'm' } });
  });

  it('[RF6] a node follows the leader of its term, or of a later one', () => {
    for (const [before, term] of [
      [[], 4],
      [[elect], 5],
      [[elect], 7],
    ] as const) {
      const { state } = after(...before, from('p', 'append-entries', term));
      expect(state).toMatchObject({ value: 'follower', context: { term, leader: 'p' } });
    }
  });

  it('[RF7] a node that hears of a later term takes it, and stands or leads no longer', () => {
    for (const before of [[], [elect], [elect, from('p', 'reply', 5, true)]]) {
      const { state } = after(...before, from('q', 'reply', 8, false));
      expect(state).toMatchObject({ value: 'follower', context: { term: 8, votedFor: null } });
    }
  });

  it('[RF8] a leader of an earlier term is told the later one', () => {
    expect(sent(after(from('p', 'append-entries', 3)))).toEqual([to('p', 'reply', 4, false)]);
  });

  it('[RF9] a leader sends heartbeats', () => {
    expect(sent(fired(elect, from('p', 'reply', 5, true)))).toEqual([
      to('p', 'append-entries', 5),
      to('q', 'append-entries', 5),
    ]);
  });

  it('[RF10] a node that hears of no leader for too long stands, a candidate again', () => {
    for (const [before, term] of [
      [[], 5],
      [[elect], 6],
    ] as const)
      expect(fired(...before).state).toMatchObject({ value: 'candidate', context: { term } });
  });
});

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

describe('Raft election assumptions', () => {
  it('a vote that is not on stable storage makes two leaders of a term', () => {
    const { node } = protocol.roles;
    const forgetful: Protocol = {
      ...protocol,
      roles: { node: { ...node, stable: ['term'] } as Protocol['roles'][string] },
    };
    const { properties } = explore(forgetful, complete(3), {
      ...{ ...two, ...fault, properties: [oneLeader] },
    });
    const [found] = properties;
    expect(found).toMatchObject({ verdict: 'violated' });
    const run = outcomeOf({ ...forgetful, properties: [oneLeader] }, complete(3), {
      ...two,
      ...fault,
    });
    expect(page).toContain(shownRun(run.traces[oneLeader.name]));
  });

  it('nodes that stand while a request is on its way split the votes, and stand again', () => {
    const property = inTerms(1);
    const { properties } = explore(raftElection({ heartbeats: true, spread: 20 }), complete(2), {
      ...exact(25, 25),
      properties: [property],
      all: false,
    });
    expect(page).toContain(
      shownRun(linesText(properties[0]?.trace?.lines ?? [])).replaceAll('.000ms', ''),
    );
  });
});

describe('Raft election cost', () => {
  it('is 3(n−1) if one node stands', () => {
    for (const n of [1, 2, 3, 5, 8]) {
      const workload = oneShot({ type: 'elect' }, { nodes: ['a'] });
      expect(totalMessages(simulate({ protocol, topology: complete(n), workload }))).toBe(
        3 * (n - 1),
      );
    }
  });
});
