import { bully } from '@conclave/algorithms/bully';
import { causalMulticast } from '@conclave/algorithms/causal-multicast';
import { groupLock } from '@conclave/algorithms/group-lock';
import { heartbeat } from '@conclave/algorithms/heartbeat';
import { leasedMajority } from '@conclave/algorithms/leased-majority';
import { ricartAgrawala } from '@conclave/algorithms/ricart-agrawala';
import type { Transport } from '@conclave/core/embedding';
import { handStepped } from '@conclave/core/internal/embedding';
import { ConclaveError } from '@conclave/core/protocol';
import { firstValueFrom, type ObservedValueOf, Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { election } from './election/election.js';
import { refusal } from './election/elections.contract.js';
import { group } from './group/group.js';
import { lock } from './lock/lock.js';
import type { LockOptions } from './lock/lock-types.js';
import { locks } from './lock/locks.js';

const nodes = ['a', 'b', 'c'];
const refused = new ConclaveError('refused', 'Node a refuses node c', 'Start it anew.');
const quiet = { onError: () => {} };

/** A node on a network of three; `joining`: c has not admitted it. */
function site({ self = 'a', joining = false } = {}) {
  const network = handStepped(nodes);
  const [peers$, errors$] = [
    new Subject<ObservedValueOf<NonNullable<Transport['peers$']>>>(),
    new Subject<ConclaveError>(),
  ];
  let awaited = joining ? ['c'] : [];
  const admission = new Subject<void>();
  const admitted = firstValueFrom(admission);
  const transport: Transport = {
    ...network.transport(self),
    peers$,
    errors$,
    ...(joining && { admitted }),
    get awaited() {
      return awaited;
    },
  };
  const admit = async () => {
    awaited = [];
    admission.next();
    await admitted;
  };
  return {
    network,
    peers$,
    errors$,
    admit,
    options: { self, nodes, transport, clock: network.clock(self), ...quiet },
  };
}

const lateIs = (wait: Promise<unknown>) => refusal(wait).then(({ message }) => message);

describe('a call that is late', () => {
  it('names the nodes that it waits for and cannot reach', async () => {
    const { network, peers$, options } = site();
    const one = lock(ricartAgrawala, options);
    for (const peer of ['b', 'c']) peers$.next({ peer, reachable: false });
    peers$.next({ peer: 'b', reachable: true });
    const late = lateIs(one.acquire({ waitFor: 50 }));
    network.fire('a', 'timer');
    expect(await late).toBe(
      'Node a did not get the lock within 50 ms: it waits for b, c; it cannot reach c now. Wait longer, or check that they are up: b, c.',
    );
  });

  it('tells the last refusal since it began, and its cure', async () => {
    const { network, errors$, options } = site();
    const one = lock(ricartAgrawala, options);
    const late = lateIs(one.acquire({ waitFor: 50 }));
    for (const error of [refused, new ConclaveError('unhandled', 'something else')])
      errors$.next(error);
    network.fire('a', 'timer');
    expect(await late).toBe(
      'Node a did not get the lock within 50 ms: it waits for b, c; it has reported: Node a refuses node c. Wait longer, or check that they are up: b, c. Start it anew.',
    );
    const later = lateIs(one.acquire({ waitFor: 50 }));
    network.fire('a', 'timer');
    expect(await later).not.toContain('refuses');
  });

  it.each([
    ['a lock', (options: LockOptions) => lock(ricartAgrawala, options).acquire({ waitFor: 50 })],
    ['an election', (options: LockOptions) => election(bully(), options).elect({ waitFor: 50 })],
    [
      'a group',
      (options: LockOptions) => group(causalMulticast(), options).multicast('x', { waitFor: 50 }),
    ],
  ])('of %s names who has not admitted its node, and tells any refusal', async (_, call) => {
    const { network, errors$, options } = site({ joining: true });
    const late = lateIs(call(options));
    errors$.next(refused);
    network.fire('a', 'timer');
    expect(await late).toMatch(
      /: it is not admitted yet, and waits for c; it has reported: Node a refuses node c\. .*: c\. Start it anew\.$/,
    );
  });

  it('no longer names who has admitted its node, also where a detector reports crashes', async () => {
    const { network, admit, options } = site({ self: 'b', joining: true });
    const one = lock(groupLock(), {
      ...options,
      detector: heartbeat({ period: 1000, timeout: 5000 }),
    });
    const wait = one.acquire({ waitFor: 50 });
    await admit();
    network.fire('b', 'timer');
    expect(await lateIs(wait)).not.toContain('admitted');
  });

  it('of locks by name tells what their node has refused', async () => {
    const { network, errors$, options } = site();
    const late = lateIs(
      locks({ ...options, protocol: leasedMajority() })
        .open('stock')
        .acquire({ waitFor: 50 }),
    );
    errors$.next(refused);
    network.fire('a', 'timer');
    expect(await late).toContain('it has reported: Node a refuses node c');
  });
});
