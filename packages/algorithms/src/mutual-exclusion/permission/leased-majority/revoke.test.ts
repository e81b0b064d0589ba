/** The option `revoke`: an operator takes the lock away. */
import { explore } from '@conclave/check';
import { start } from '@conclave/core/internal';
import { notify, send } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { quickOf } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { everyInterleavingOfVariant } from '../../../contract/explored.contract.js';
import { failing } from '../../../contract/findings.contract.js';
import { takeAll } from '../../../contract/machines.contract.js';
import { machine } from './leased-majority.js';
import { leasedMajority } from './protocol.js';
import { only } from './reduced.contract.js';
import { revocable } from './revoking.js';

const protocol = leasedMajority({ lease: 5_000, renewal: 2_000, revoke: true });
const time = { kind: 'exact', delay: [1_000, 1_000], stays: { critical: [0, 1_000] } } as const;
const long = { ...time, stays: { critical: [0, 8_000] } } as const;
const revoking = revocable(machine);

describe('rules of revocation', () => {
  const input = {
    ...{ self: 'b', nodes: ['a', 'b', 'c'], lease: 5, validity: 4, renewal: 2 },
    ...{ ballot: 0, floor: 0, vote: 0 },
  };
  const after = (...events: Parameters<typeof takeAll>[3]) =>
    takeAll(revoking, 'b', start(revoking, 'b', input).state, events);
  const sends = ({ effects }: ReturnType<typeof takeAll>) =>
    effects.filter(({ type }) => type === 'send' || type === 'notify');
  const revoked = (floor: number) => ({ type: 'revoked', floor, reason: 'by hand' });
  const receive = <M extends { readonly type: string }>(from: string, message: M) => ({
    ...message,
    from,
  });
  const enter = [{ type: 'acquire' }, { type: 'vote', from: 'a', ballot: 1, round: 1 }];
  const released = ['a', 'c'].map((to) => send(to, { type: 'released', ballot: 1, floor: 2 }));
  const client = ({ state }: ReturnType<typeof takeAll>) => Object(state.value).client;

  it('[RV1] the operator of any node sends a floor above all that it has seen to all', () => {
    const command = { type: 'revoke', reason: 'by hand' };
    const told = ['a', 'c'].map((to) => send(to, revoked(5)));
    const request = { type: 'request', from: 'a', ballot: 3, round: 1, floor: 4 };
    expect(sends(after(request, command)).slice(-2)).toEqual(told);
    expect(after(request, command).state.context).toMatchObject({
      floor: 5,
      revoked: { floor: 5, reason: 'by hand' },
    });
  });

  it('[RV2] a client that has the lock by a smaller ballot leaves, with the reason', () => {
    const taken = after(...enter, receive('c', revoked(2)));
    expect(sends(taken).slice(-3)).toEqual([
      notify({ type: 'lost', reason: 'revoked', why: 'by hand' }),
      ...released,
    ]);
    expect(client(taken)).toBe('idle');
    expect(client(after(...enter, receive('c', revoked(1))))).toBe('held');
  });

  it('[RV3] a client that waits with a smaller ballot takes a new one', () => {
    const again = after({ type: 'acquire' }, receive('c', revoked(3)));
    expect(sends(again).slice(-2)).toEqual(
      ['a', 'c'].map((to) => send(to, { type: 'request', ballot: 4, round: 1, floor: 0 })),
    );
  });

  it('[RV4] a voter does not renew a smaller ballot, and tells its client', () => {
    const request = { type: 'request', from: 'a', ballot: 3, round: 1, floor: 0 };
    const renewal = { ...request, round: 2 };
    const bound = after(request, receive('c', revoked(4)), renewal);
    expect(sends(bound).at(-1)).toEqual(send('a', revoked(4)));
    expect(bound.effects.map(({ type }) => type)).not.toContain('cancel');
    const later = after(receive('c', revoked(4)), receive('a', revoked(2)));
    expect(later.state.context).toMatchObject({ floor: 4, revoked: { floor: 4 } });
  });
});

describe('leased-majority with revoke', () => {
  everyInterleavingOfVariant(protocol, [
    [complete(2), { initiators: ['a'], time }, 327],
    [complete(2), { initiators: ['a'], losses: 1, time: long }, 4_106],
    [complete(3), { initiators: ['b'], time }, 6_549],
    [complete(3), { initiators: ['b'], crashes: 1, restarts: 1, time }, 174_538],
  ]);

  it.each(
    quickOf(
      [
        [
          '2 nodes, a stay of 8 s, 2 losses',
          2,
          only(protocol, ['a'], ['b']),
          { losses: 2, time: long },
          6_241,
        ],
        ['3 nodes, a loss', 3, only(protocol, ['a'], ['c']), { losses: 1, time }, 8_752],
        [
          '3 nodes, any of which crashes and restarts',
          3,
          only(protocol, ['a'], ['c']),
          { crashes: 1, restarts: 1, time },
          49_232,
        ],
      ] as const,
      ([, , , , states]) => states <= 7_000,
    ),
  )('another node revokes at any instant: %s', (_what, n, of, budget, states) => {
    const found = explore(of, complete(n), budget);
    expect([found.complete, failing(found), found.states]).toEqual([true, [], states]);
  });
});
