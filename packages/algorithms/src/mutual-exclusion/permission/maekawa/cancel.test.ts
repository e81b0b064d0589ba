import { start } from '@conclave/core/internal/protocol';
import { type LocalState, send } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { enqueueActions } from 'xstate';
import { withMachine } from '../../../contract/mutant.js';
import { takeAll } from '../../../contract/take-all.js';
import { cancelContract } from '../../cancel.contract.js';
import { cancellableMachine } from './maekawa.js';
import { maekawa } from './protocol.js';

const protocol = maekawa({ cancel: true });

cancelContract({
  protocol,
  topologies: [2, 3, 4, 7].map((n) => complete(n)),
  explored: [
    ['2 nodes, 2 requests each', complete(2), { commands: 2 }, 3_773],
    ['3 nodes, a request each', complete(3), {}, 9_065],
    ['4 nodes, 2 of them a request each', complete(4), { initiators: ['b', 'c'] }, 7_646],
  ],
  costs: [
    { topology: complete(2), budget: { commands: 2 }, most: 5 },
    { topology: complete(4), budget: { initiators: ['b', 'c'] }, most: 10 },
  ],
  mutants: {
    'a cancelled request is not withdrawn: it stays in the queues': {
      protocol: withMachine(
        protocol,
        cancellableMachine.provide({ actions: { dequeue: enqueueActions(() => {}) } }),
      ),
      refuted:
        'complete:2, 6 steps: each voter’s vote is in one place: with itself, with one client, in transit, or returned by a client that has cancelled',
    },
    'the next request does not wait for the confirmations': {
      protocol: withMachine(
        protocol,
        cancellableMachine.provide({ guards: { allConfirmed: () => true } }),
      ),
      refuted:
        'complete:2, 3 steps: each voter’s vote is in one place: with itself, with one client, in transit, or returned by a client that has cancelled',
    },
    'a voter that inquires does not refuse a younger request': {
      protocol: withMachine(
        protocol,
        cancellableMachine.provide({ guards: { isYoungerThanLock: () => false } }),
      ),
      refuted:
        'complete:2, 10 steps: a request younger than the one that has the vote is refused at once',
    },
  },
});

describe('maekawa rules with cancel', () => {
  const on = (state: LocalState, ...events: readonly { readonly type: string }[]) =>
    takeAll(cancellableMachine, 'a', state, events);
  const from = (from: string, type: string, fields: object = {}) => ({ ...fields, type, from });
  const client = start(cancellableMachine, 'a', { self: 'a', quorum: ['b', 'c'] }).state;
  const cancelled = on(client, { type: 'acquire' }, from('b', 'locked', { entries: 0 }), {
    type: 'cancel',
  });
  /** A voter with its vote for c that has inquired for b. */
  const inquiring = on(
    client,
    from('c', 'request', { ts: 4 }),
    from('b', 'request', { ts: 2 }),
  ).state;

  it('[MK11] a client that cancels sends withdraw to its quorum, and forgets its votes', () => {
    expect(cancelled.effects).toEqual(['b', 'c'].map((voter) => send(voter, { type: 'withdraw' })));
    expect(cancelled.state).toMatchObject({
      value: { client: 'withdrawing' },
      context: { votes: [], unconfirmed: ['b', 'c'] },
    });
  });

  it('[MK12] a voter removes a queued request, and votes for the next one where the withdrawn one had its vote', () => {
    const queued = on(inquiring, from('b', 'withdraw'));
    expect([queued.state.context.queue, queued.effects]).toEqual([
      [],
      [send('b', { type: 'withdrawn' })],
    ]);
    expect(on(inquiring, from('c', 'withdraw')).effects).toEqual([
      send('b', { type: 'locked', entries: 0 }),
      send('c', { type: 'withdrawn' }),
    ]);
  });

  it('[MK13] the client ignores other answers until all voters have confirmed', () => {
    const answers = [
      from('b', 'failed'),
      from('c', 'locked', { entries: 0 }),
      from('c', 'inquire'),
      from('c', 'withdrawn'),
    ];
    const { state } = on(cancelled.state, ...answers);
    expect(state).toMatchObject({
      value: { client: 'withdrawing' },
      context: { votes: [], unconfirmed: ['b'] },
    });
    expect(on(state, from('b', 'withdrawn')).state.value).toMatchObject({ client: 'released' });
  });

  it('[MK14] a voter that has inquired for a withdrawn request refuses younger ones, and may become free', () => {
    const { state } = on(inquiring, from('b', 'withdraw'));
    expect(on(state, from('b', 'request', { ts: 5 })).effects).toEqual([
      send('b', { type: 'failed' }),
    ]);
    expect(on(state, from('c', 'released', { entries: 1 })).state.value).toMatchObject({
      voter: 'free',
    });
  });
});
