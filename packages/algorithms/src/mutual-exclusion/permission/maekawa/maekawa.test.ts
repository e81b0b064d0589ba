import { type LocalState, send, start, step } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { assign } from 'xstate';
import { withMachine } from '../../../contract/mutant.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import { type Event, machine, tell } from './maekawa.js';
import { maekawa } from './protocol.js';

const best = maekawa();
const mutant = (refuted: string, changed: typeof machine) => ({ protocol: withMachine(best, changed), refuted });

/** No vote comes without a wish, and none twice; no voter hears from a client to which it has not given its vote. */
const undelivered = [
  ...['released: locked', 'released: failed', 'held: locked', 'held: failed'].map((what) => `client.${what}`),
  ...['wanted.hoping: relinquish', 'wanted.hoping: released', 'held: relinquish', 'held: released'].map((what) => `client.${what}`),
  ...['free: locked', 'free: failed', 'free: relinquish', 'free: released', 'locked: relinquish'].map((what) => `voter.${what}`),
  'voter.inquiring: inquire',
];

mutualExclusionContract({
  protocol: best,
  topologies: [4, 3, 2].map((n) => complete(n)), // what it takes four to refute is refuted soon
  small: [
    { topology: complete(2), budget: { commands: 1 } },
    { topology: complete(3), budget: { commands: 1, initiators: ['a', 'b'] } },
  ],
  explored: [
    { what: '2 nodes, 3 entries each', systems: [{ topology: complete(2), budget: { commands: 3 } }], states: 740 },
    { what: '3 nodes, 2 entries each', systems: [{ topology: complete(3), budget: { commands: 2 } }], states: 11_444 },
    {
      what: '4 nodes, 2 of them 2 entries each',
      systems: [{ topology: complete(4), budget: { commands: 2, initiators: ['b', 'c'] } }],
      states: 3_569,
    },
    {
      what: '4 nodes, 3 of them an entry each',
      systems: [{ topology: complete(4), budget: { initiators: ['b', 'c', 'd'] } }],
      states: 8_674,
    },
    {
      what: '7 nodes, 3 of them an entry each',
      systems: [{ topology: complete(7), budget: { initiators: ['a', 'b', 'c'] } }],
      states: 5_858,
    },
    { what: '3 nodes, 3 entries each', systems: [{ topology: complete(3), budget: { commands: 3 } }], states: 124_576 },
    { what: '4 nodes, an entry each', systems: [{ topology: complete(4), budget: { commands: 1 } }], states: 252_342 },
  ],
  covered: [
    {
      topology: complete(4),
      budget: { initiators: ['b', 'c', 'd'] },
      states: 8_674,
      transitions: 26_822,
      depth: 26,
      // An inquiry that comes too late finds its client waiting again only at the second entry.
      missed: ['client.wanted.hoping: inquire', 'client.wanted.refused: inquire'],
      neverFalse: ['client.wanted.hoping: inquire [hasTheirVote]', 'client.wanted.refused: inquire [hasTheirVote]'],
      undelivered,
    },
    {
      topology: complete(4),
      budget: { initiators: ['b', 'c'], commands: 2 },
      states: 3_569,
      transitions: 10_482,
      depth: 32,
      // Three must ask one voter before one of them is overtaken in its queue, and it must be no quorum of two.
      missed: ['voter.inquiring: request', 'voter.inquiring: request [isOlderThanFirst]'],
      undelivered: [
        ...undelivered,
        // a and d only vote: what a wanting client's voter is asked, its own client has asked before.
        ...['wanted.hoping', 'wanted.refused', 'held'].map((state) => `client.${state}: request`),
        ...['wanted.refused: relinquish', 'wanted.refused: released'].map((what) => `client.${what}`),
        ...['request', 'locked', 'failed'].map((type) => `voter.inquiring: ${type}`),
      ],
    },
  ],
  costs: [2, 3, 4, 7, 9].map((n) => complete(n)),
  mutants: {
    'FAILED is not sent': mutant(
      'complete:2, 4 steps: no node waits in a quiescent state',
      machine.provide({ actions: { refuse: assign({}) } }),
    ),
    'FAILED is not sent to a request that is overtaken: the algorithm of 1985': mutant(
      'complete:4, 14 steps: no node waits in a quiescent state',
      machine.provide({ actions: { refuseFirst: assign({}) } }),
    ),
    'INQUIRE is not sent': mutant(
      'complete:2, 5 steps: no node waits in a quiescent state',
      machine.provide({ actions: { inquire: assign({}) } }),
    ),
    'RELINQUISH is taken for a RELEASE: the request that gave way is forgotten': mutant(
      'complete:2, 12 steps: no node waits in a quiescent state',
      machine.provide({ actions: { requeue: assign({}) } }),
    ),
    'a vote is given back and kept': mutant(
      'complete:2, 5 steps: each voter’s vote is in one place: with itself, with one client, or on its way',
      machine.provide({ actions: { giveUpVotes: assign({ inquiries: [] }) } }),
    ),
    'an inquiry that came too late is believed': mutant(
      'complete:4, 13 steps: each voter’s vote is in one place: with itself, with one client, or on its way',
      machine.provide({ guards: { hasTheirVote: () => true } }),
    ),
    'a voter votes for everybody': mutant(
      'complete:2, 3 steps: each voter’s vote is in one place: with itself, with one client, or on its way',
      machine.provide({
        actions: {
          refuse: tell(
            ({ event }) => ('from' in event ? [event.from] : []),
            ({ entries }) => ({ type: 'locked', entries }),
          ),
        },
      }),
    ),
    'a voter does not remember the fencing token of the last entry': mutant(
      'complete:2, 8 steps: each entry has a larger fencing token than every entry before it',
      machine.provide({ actions: { noteEntries: assign({}) } }),
    ),
  },
});

describe('maekawa rules', () => {
  const quorum = ['m', 'u', 'v'];
  const first = (): LocalState => start(machine, 'm', { self: 'm', quorum }).state;
  const after = (state: LocalState, ...events: Event[]) =>
    events.reduce((taken, event) => step(machine, 'm', taken.state, event), { state, effects: [] } as ReturnType<typeof step>);
  const acquire: Event = { type: 'acquire' };
  const release: Event = { type: 'release' };
  const request = (from: string, ts: number): Event => ({ type: 'request', ts, from });
  const locked = (from: string, entries = 0): Event => ({ type: 'locked', entries, from });
  const released = (from: string, entries = 1): Event => ({ type: 'released', entries, from });
  const from = (from: string, type: 'failed' | 'inquire' | 'relinquish'): Event => ({ type, from });
  const wanted = () => after(first(), acquire).state;
  const held = () => after(wanted(), locked('u', 3), locked('v', 5)).state;
  const relinquish = (to: string) => send(to, { type: 'relinquish' });

  it('[M1] stamps the wish and asks its quorum; its own voter hears of it without a message', () => {
    const { state, effects } = after(first(), request('x', 4), released('x'), acquire);
    expect(effects).toEqual(['u', 'v'].map((voter) => send(voter, { type: 'request', ts: 5 })));
    expect(state.value).toEqual({ client: { wanted: 'hoping' }, voter: 'locked' });
    expect(state.context).toMatchObject({ votes: ['m'], lock: { ts: 5, id: 'm' } });
  });

  it('[M2] a free voter votes for whoever asks', () => {
    const { state, effects } = after(first(), request('x', 4));
    expect(effects).toEqual([send('x', { type: 'locked', entries: 0 })]);
    expect(state).toMatchObject({ value: { voter: 'locked' }, context: { lock: { ts: 4, id: 'x' }, clock: 4 } });
  });

  it('[M3] whoever is not the oldest of those that wait and that have the vote is told so: the new one, or the one it overtakes', () => {
    const younger = after(first(), request('x', 4), request('y', 5));
    expect(younger.effects).toEqual([send('y', { type: 'failed' })]);
    const inquiring = after(younger.state, request('x', 2)).state;
    expect(after(inquiring, request('z', 3)).effects).toEqual([send('z', { type: 'failed' })]);
    const overtaken = after(inquiring, request('z', 1));
    expect(overtaken.effects).toEqual([send('x', { type: 'failed' })]);
    expect(overtaken.state.context.queue).toEqual([
      { ts: 1, id: 'z' },
      { ts: 2, id: 'x' },
      { ts: 5, id: 'y' },
    ]);
  });

  it('[M4] a voter asks once for its vote back when an older request comes', () => {
    const { state, effects } = after(first(), request('x', 4), request('y', 3));
    expect(effects).toEqual([send('x', { type: 'inquire' })]);
    expect(state.value).toMatchObject({ voter: 'inquiring' });
    expect(after(state, request('z', 2)).effects).toEqual([send('y', { type: 'failed' })]);
  });

  it('[M5] enters with the votes of its whole quorum, with a larger fencing token than any of them knows of', () => {
    expect(after(wanted(), locked('u', 3)).state.value).toMatchObject({ client: { wanted: 'hoping' } });
    expect(held()).toMatchObject({ value: { client: 'held' }, tags: ['critical'], context: { votes: quorum, fence: 6 } });
    expect(after(wanted(), from('u', 'failed'), locked('v'), locked('u')).state.value).toMatchObject({ client: 'held' });
  });

  it('[M6] gives all votes back on leaving, and says its number', () => {
    const { state, effects } = after(held(), release);
    expect(effects).toEqual(['u', 'v'].map((voter) => send(voter, { type: 'released', entries: 6 })));
    expect(state).toMatchObject({ value: { client: 'released', voter: 'free' }, context: { votes: [], fence: 0, entries: 6, lock: null } });
  });

  it('[M7] gives a vote back that it is asked for, once it knows that another has a vote that it needs', () => {
    const hoping = after(wanted(), locked('u'), from('u', 'inquire'));
    expect(hoping.effects).toEqual([]);
    const refused = after(hoping.state, from('v', 'failed'));
    expect(refused.effects).toEqual([relinquish('u')]);
    expect(refused.state).toMatchObject({ value: { client: { wanted: 'refused' } }, context: { votes: ['m'], refusals: ['u', 'v'] } });
    expect(after(wanted(), from('v', 'failed'), locked('u'), from('u', 'inquire')).effects).toEqual([relinquish('u')]);
    const again = after(refused.state, locked('v'), locked('u'));
    expect(again.state.value).toMatchObject({ client: 'held' });
    // Once the voter that refused has given its vote, the client hopes again.
    expect(after(wanted(), from('v', 'failed'), locked('v'), from('v', 'inquire')).effects).toEqual([]);
  });

  it('[M8] an inquiry after a vote that it has given back by leaving, or gives back when it leaves, is not answered', () => {
    for (const state of [first(), wanted(), after(wanted(), from('u', 'failed')).state, held()]) {
      const { state: next, effects } = after(state, from('v', 'inquire'));
      expect(effects).toEqual([]);
      expect(next).toEqual(state);
    }
  });

  it('[M9] a vote given back goes to the oldest request; whoever gave it back waits in the queue', () => {
    const { state, effects } = after(first(), request('x', 4), request('y', 3), from('x', 'relinquish'));
    expect(effects).toEqual([send('y', { type: 'locked', entries: 0 })]);
    expect(state).toMatchObject({ value: { voter: 'locked' }, context: { lock: { ts: 3, id: 'y' }, queue: [{ ts: 4, id: 'x' }] } });
  });

  it('[M10] after a release the vote goes to the oldest request, with the number of the last entry; or the voter is free', () => {
    const waiting = after(first(), request('x', 4), request('z', 6), request('y', 5)).state;
    const { state, effects } = after(waiting, released('x', 7));
    expect(effects).toEqual([send('y', { type: 'locked', entries: 7 })]);
    expect(after(state, released('y', 8), released('z', 9)).state).toMatchObject({
      value: { voter: 'free' },
      context: { lock: null, entries: 9 },
    });
    const inquiring = after(first(), request('x', 4), request('y', 3)).state;
    expect(after(inquiring, released('x', 2)).effects).toEqual([send('y', { type: 'locked', entries: 2 })]);
  });

  it('alone it enters at once', () => {
    expect(after(start(machine, 'm', { self: 'm', quorum: ['m'] }).state, acquire).state.value).toMatchObject({ client: 'held' });
  });
});
