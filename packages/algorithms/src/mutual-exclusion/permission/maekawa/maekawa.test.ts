import { type ExploreOptions, explore } from '@conclave/check';
import { roleOf, start, step } from '@conclave/core/internal';
import { type LocalState, type Message, type Received, send } from '@conclave/core/protocol';
import { simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assign } from 'xstate';
import { mutantOf, takeAll } from '../../../contract/machines.contract.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import type { QuorumKind } from '../building-blocks/quorum-sets.js';
import { type Event, machine } from './maekawa.js';
import { maekawa } from './protocol.js';

const best = maekawa();
const mutant = mutantOf(best);

mutualExclusionContract({
  protocol: best,
  topologies: [4, 3, 2].map((n) => complete(n)), // four first: some mutants need four nodes
  small: [
    { topology: complete(2), budget: { commands: 1 } },
    { topology: complete(3), budget: { commands: 1, initiators: ['a', 'b'] } },
  ],
  explored: [
    [complete(2), { commands: 3 }, 740],
    [complete(3), { commands: 2 }, 11_444],
    [complete(4), { commands: 2, initiators: ['b', 'c'] }, 3_569],
    [complete(4), { initiators: ['b', 'c', 'd'] }, 8_674],
    [complete(7), { initiators: ['a', 'b', 'c'] }, 5_858],
  ],
  costs: [2, 3, 4, 7, 9].map((n) => complete(n)),
  mutants: {
    'FAILED is not sent to an overtaken request: the algorithm of 1985': mutant(
      'complete:4, 14 steps: no node waits in a quiescent state',
      machine.provide({ actions: { refuseFirst: assign({}) } }),
    ),
  },
});

describe('maekawa rules', () => {
  const quorum = ['m', 'u', 'v'];
  const first = (): LocalState => start(machine, 'm', { self: 'm', quorum }).state;
  const after = (state: LocalState, ...events: Event[]) => takeAll(machine, 'm', state, events);
  const acquire: Event = { type: 'acquire' };
  const release: Event = { type: 'release' };
  const request = (from: string, ts: number): Event => ({ type: 'request', ts, from });
  const locked = (from: string, entries = 0): Event => ({ type: 'locked', entries, from });
  const released = (from: string, entries = 1): Event => ({ type: 'released', entries, from });
  const from = (from: string, type: 'failed' | 'inquire' | 'relinquish'): Event => ({ type, from });
  const wanted = () => after(first(), acquire).state;
  const held = () => after(wanted(), locked('u', 3), locked('v', 5)).state;
  const relinquish = (to: string) => send(to, { type: 'relinquish' });

  it('[MK1] stamps its request and sends it to its quorum; its own voter takes it without a message', () => {
    const { state, effects } = after(first(), request('x', 4), released('x'), acquire);
    expect(effects).toEqual(['u', 'v'].map((voter) => send(voter, { type: 'request', ts: 5 })));
    expect(state.value).toEqual({ client: { wanted: 'hoping' }, voter: 'locked' });
    expect(state.context).toMatchObject({ votes: ['m'], lock: { ts: 5, id: 'm' } });
  });

  it('[MK2] a free voter votes for the first request', () => {
    const { state, effects } = after(first(), request('x', 4));
    expect(effects).toEqual([send('x', { type: 'locked', entries: 0 })]);
    expect(state).toMatchObject({
      value: { voter: 'locked' },
      context: { lock: { ts: 4, id: 'x' }, clock: 4 },
    });
  });

  it('[MK3] a request that is not the oldest gets failed: the new one, or the one that it overtakes', () => {
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

  it('[MK4] a voter inquires once when an older request arrives', () => {
    const { state, effects } = after(first(), request('x', 4), request('y', 3));
    expect(effects).toEqual([send('x', { type: 'inquire' })]);
    expect(state.value).toMatchObject({ voter: 'inquiring' });
    expect(after(state, request('z', 2)).effects).toEqual([send('y', { type: 'failed' })]);
  });

  it('[MK5] enters with the votes of its whole quorum, with a larger fencing token than any of them knows', () => {
    expect(after(wanted(), locked('u', 3)).state.value).toMatchObject({
      client: { wanted: 'hoping' },
    });
    expect(held()).toMatchObject({
      value: { client: 'held' },
      tags: ['critical'],
      context: { votes: quorum, fence: 6 },
    });
    expect(
      after(wanted(), from('u', 'failed'), locked('v'), locked('u')).state.value,
    ).toMatchObject({ client: 'held' });
  });

  it('[MK6] returns all votes with its fencing token when it leaves', () => {
    const { state, effects } = after(held(), release);
    expect(effects).toEqual(
      ['u', 'v'].map((voter) => send(voter, { type: 'released', entries: 6 })),
    );
    expect(state).toMatchObject({
      value: { client: 'released', voter: 'free' },
      context: { votes: [], fence: 0, entries: 6, lock: null },
    });
  });

  it('[MK7] returns a vote when its voter inquires and another voter has refused', () => {
    const hoping = after(wanted(), locked('u'), from('u', 'inquire'));
    expect(hoping.effects).toEqual([]);
    const refused = after(hoping.state, from('v', 'failed'));
    expect(refused.effects).toEqual([relinquish('u')]);
    expect(refused.state).toMatchObject({
      value: { client: { wanted: 'refused' } },
      context: { votes: ['m'], refusals: ['u', 'v'] },
    });
    expect(after(wanted(), from('v', 'failed'), locked('u'), from('u', 'inquire')).effects).toEqual(
      [relinquish('u')],
    );
    const again = after(refused.state, locked('v'), locked('u'));
    expect(again.state.value).toMatchObject({ client: 'held' });
    // When the refusing voter has given its vote, the client is hoping again.
    expect(after(wanted(), from('v', 'failed'), locked('v'), from('v', 'inquire')).effects).toEqual(
      [],
    );
  });

  it('[MK8] does not answer an inquiry about a vote that it does not have, or during its entry', () => {
    for (const state of [first(), wanted(), after(wanted(), from('u', 'failed')).state, held()]) {
      const { state: next, effects } = after(state, from('v', 'inquire'));
      expect(effects).toEqual([]);
      expect(next).toEqual(state);
    }
  });

  it('[MK9] a returned vote goes to the oldest request; the request of the sender waits in the queue', () => {
    const { state, effects } = after(
      first(),
      request('x', 4),
      request('y', 3),
      from('x', 'relinquish'),
    );
    expect(effects).toEqual([send('y', { type: 'locked', entries: 0 })]);
    expect(state).toMatchObject({
      value: { voter: 'locked' },
      context: { lock: { ts: 3, id: 'y' }, queue: [{ ts: 4, id: 'x' }] },
    });
  });

  it('[MK10] after released the vote goes to the oldest request, with the last fencing token; or the voter is free', () => {
    const waiting = after(first(), request('x', 4), request('z', 6), request('y', 5)).state;
    const { state, effects } = after(waiting, released('x', 7));
    expect(effects).toEqual([send('y', { type: 'locked', entries: 7 })]);
    expect(after(state, released('y', 8), released('z', 9)).state).toMatchObject({
      value: { voter: 'free' },
      context: { lock: null, entries: 9 },
    });
    const inquiring = after(first(), request('x', 4), request('y', 3)).state;
    expect(after(inquiring, released('x', 2)).effects).toEqual([
      send('y', { type: 'locked', entries: 2 }),
    ]);
  });

  it('enters at once where its quorum contains only itself', () => {
    expect(
      after(start(machine, 'm', { self: 'm', quorum: ['m'] }).state, acquire).state.value,
    ).toMatchObject({ client: 'held' });
  });
});

describe('maekawa quorums', () => {
  proof.each([
    ['grid', 3, { commands: 2 }, 29_276],
    ['grid', 5, { initiators: ['c', 'd', 'e'] }, 7_114],
    ['majority', 4, { initiators: ['b', 'c', 'd'] }, 10_463],
    ['majority', 5, { initiators: ['a', 'b', 'c'] }, 8_263],
  ] satisfies [QuorumKind, number, ExploreOptions, number][])(
    'have all properties in every interleaving: %s of %i, %o',
    (quorums, n, budget, states) => {
      const found = explore(maekawa({ quorums }), complete(n), budget);
      expect(found).toMatchObject({ complete: true, states });
      for (const { kind, verdict } of found.properties)
        expect(verdict).toBe(kind === 'sometimes' ? 'reached' : 'holds');
    },
  );

  it('plane needs a number of nodes with a known plane', () => {
    const protocol = maekawa({ quorums: 'plane' });
    expect([2, 4, 12, 13, 20].map((n) => protocol.topology.example(n).nodes.length)).toEqual([
      3, 3, 7, 13, 13,
    ]);
    expect(simulate({ protocol, topology: complete(13) }).complete).toBe(true);
    expect(() => simulate({ protocol, topology: complete(12) })).toThrow(
      /^Maekawa needs a complete network; in 'complete:12' there is no known projective plane for 12 nodes, only for 3, 7, 13, 21, 31, 57 …\. Try complete:7\./,
    );
  });
});

// The paper's 5(K−1) is not a bound: a run with as many returned votes as possible.

type Step = ReturnType<typeof step>;

const received = (message: Message, from: string): Received<Message> => ({ ...message, from });

/**
 * Entries and messages of n nodes with majority quorums that all request entry once, at the same
 * time; the first is the oldest.
 */
function played(n: number): { readonly entries: number; readonly messages: number } {
  const protocol = maekawa({ quorums: 'majority' });
  const topology = complete(
    Array.from({ length: n }, (_, place) => `n${String(place).padStart(2, '0')}`),
  );
  const ids = topology.nodes;
  const states = new Map<string, LocalState>();
  const channels = new Map<string, Message[]>();
  let [entries, messages] = [0, 0];

  const take = (id: string, { state, effects }: Step) => {
    states.set(id, state);
    for (const effect of effects) {
      if (effect.type !== 'send') continue;
      messages++;
      const channel = `${id} ${effect.to}`;
      channels.set(channel, [...(channels.get(channel) ?? []), effect.message]);
    }
  };
  const { machine, input } = roleOf(protocol, 'n00', topology);
  const give = (id: string, event: Message) => {
    const state = states.get(id);
    if (state) take(id, step(machine, id, state, event));
  };
  const deliver = (channel: string) => {
    const [message, ...rest] = channels.get(channel) ?? [];
    const [from = '', to = ''] = channel.split(' ');
    channels.set(channel, rest);
    if (message) give(to, received(message, from));
  };
  const next = (which: (message: Message) => boolean) =>
    [...channels].find(([, [message]]) => message && which(message))?.[0];
  /** Delivers all messages except requests. */
  const settle = () => {
    for (
      let channel = next(({ type }) => type !== 'request');
      channel;
      channel = next(({ type }) => type !== 'request')
    )
      deliver(channel);
  };
  const request = (from: number, to: number) => {
    const channel = `${ids[from]} ${ids[to % n]}`;
    if (channels.get(channel)?.[0]?.type !== 'request') return;
    deliver(channel);
    settle();
  };

  for (const id of ids) take(id, start(machine, id, input(id, topology)));
  for (const id of ids) give(id, { type: 'acquire' });
  for (let client = n - 1; client >= 0; client--) {
    request(client, client + 2);
    if (client + 2 < n) request(client + 1, client + 2); // it is younger, and is refused
    for (let other = 3; other < (n + 1) / 2; other++) request(client, client + other);
    if (client === 0 || client > (n - 1) / 2) request(client, client + 1);
  }
  for (;;) {
    const channel = next(() => true);
    const holder = ids.find((id) => Object(states.get(id)?.value).client === 'held');
    if (channel) deliver(channel);
    else if (holder) give(holder, { type: 'release' });
    else return { entries, messages };
    if (!channel) entries++;
    settle();
  }
}

describe('maekawa cost, worst case', () => {
  it.each([
    [13, 378],
    [17, 680],
    [21, 1_070],
  ])('majorities of %i nodes: %i messages for an entry each', (n, most) => {
    const { entries, messages } = played(n);
    expect([entries, messages]).toEqual([n, most]);
    const perEntry = messages / entries;
    const size = (n + 1) / 2;
    expect(Math.sign(perEntry - 5 * (size - 1))).toBe(Math.sign(n - 17));
    expect(perEntry).toBeLessThan(6 * size - 3);
  });
});
