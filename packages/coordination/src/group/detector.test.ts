import { heartbeat } from '@conclave/algorithms/heartbeat';
import { membership } from '@conclave/algorithms/membership';
import { ricartAgrawala } from '@conclave/algorithms/ricart-agrawala';
import { memoryNetwork } from '@conclave/core/embedding';
import type { ConclaveError } from '@conclave/core/protocol';
import { describe, expect, it } from 'vitest';
import { refusal } from '../election/elections.contract.js';
import { inVirtualTime, pass } from '../virtual-time.contract.js';
import { group } from './group.js';
import { closeAll, membersOf } from './groups.contract.js';

inVirtualTime();

describe('a group over a network that does not report crashes', () => {
  const detector = heartbeat({ period: 40, timeout: 250 });

  it('learns of them by a failure detector, over the same transport', async () => {
    const ids = ['a', 'b', 'c'];
    const network = memoryNetwork(ids);
    const [a, b, c] = ids.map((self) =>
      group(membership(), { self, peers: ids, transport: network.transport(self), detector }),
    );
    if (!a || !b || !c) throw new Error('unreachable: three were made');
    await a.multicast('x');
    await pass(100);
    await c.close();
    expect(membersOf(a)).toBe('abc');
    while (membersOf(a) !== 'ab' || membersOf(b) !== 'ab') await pass(20);
    expect(await b.multicast('y')).toMatchObject({ view: 2 });
    await closeAll(a, b);
  });

  it('stops the detector where the group cannot be made', async () => {
    const network = memoryNetwork(['a', 'b']);
    const errors: ConclaveError[] = [];
    const onError = (error: ConclaveError) => errors.push(error);
    const heard: unknown[] = [];
    network.transport('b').received$.subscribe(({ message }) => heard.push(message));
    const unordered = {
      ...network.transport('a'),
      guarantees: { order: 'any', loss: false, duplication: false },
    } as const;
    const options = { self: 'a', peers: ['b'], transport: unordered, detector, onError };
    expect(() => group(membership(), options)).toThrow('Group membership assumes');
    await pass(20); // what is in flight arrives
    const before = heard.length;
    await pass(120);
    expect([heard.length, errors]).toEqual([before, []]);
  });

  it('waits for a member that starts later than the time-out: it has not crashed', async () => {
    const ids = ['a', 'b'];
    const network = memoryNetwork(ids);
    const [atA, atB] = ids.map((self) => network.transport(self));
    if (!atA || !atB) throw new Error('unreachable: two were made');
    const a = group(membership(), { self: 'a', peers: ids, transport: atA, detector });
    const early = a.multicast('x');
    await pass(400);
    expect(membersOf(a)).toBe('ab');
    const b = group(membership(), { self: 'b', peers: ids, transport: atB, detector });
    const delivered: unknown[] = [];
    b.deliveries$.subscribe(({ data }) => delivered.push(data));
    await Promise.all([early, b.multicast('y')]);
    expect(delivered).toEqual(['x', 'y']);
    await b.close();
    while (membersOf(a) !== 'a') await pass(20);
    await a.close();
  });

  it('ends at a member that the others take for crashed, as soon as it learns of it', async () => {
    let isMute = false;
    const ids = ['a', 'b', 'c'];
    const network = memoryNetwork(ids);
    const [a, b, c] = ids.map((self) => {
      const transport = network.transport(self);
      const send: typeof transport.send = (to, message) => {
        if (self !== 'c' || !isMute) transport.send(to, message);
      };
      return group(membership(), { self, peers: ids, transport: { ...transport, send }, detector });
    });
    if (!a || !b || !c) throw new Error('unreachable: three were made');
    await c.multicast('x');
    isMute = true;
    const waits = [refusal(c.multicast('y')), refusal(c.leave())];
    expect(await c.ended).toBe('excluded');
    for (const wait of waits)
      expect(await wait).toMatchObject({
        code: 'lost',
        message:
          'Node c was excluded from the group: the other members took it for crashed. Start the node again with its stable fields; it joins as a newcomer. Give the detector a longer timeout.',
      });
    expect((await refusal(c.multicast('z'))).code).toBe('lost');
    while (membersOf(a) !== 'ab' || membersOf(b) !== 'ab') await pass(20);
    await closeAll(a, b, c);
  });

  it('is refused without one, and so is one that is not needed', () => {
    const transport = memoryNetwork(['a', 'b']).transport('a');
    const options = { self: 'a', peers: ['b'], transport };
    const codeOf = (make: () => unknown): [string, string] => {
      try {
        make();
      } catch (error) {
        const { code, message } = error as ConclaveError;
        return [code, message];
      }
      throw new Error('nothing was refused');
    };
    expect(codeOf(() => group(membership(), options))).toEqual([
      'assumption',
      'Group membership assumes a network that reports crashes, and the transport does not. Give the option detector, such as heartbeat({ period: 1000, timeout: 5000 }), at all nodes.',
    ]);
    expect(codeOf(() => group(membership(), { ...options, detector: membership() }))[1]).toContain(
      "a detector needs a protocol for 'failure-detection'",
    );
    const state = { get: () => 0, set: () => {} };
    expect(codeOf(() => group(membership(), { ...options, detector, state }))).toEqual([
      'bad-input',
      'Group membership, with these options, hands over no state. Try membership({ stateTransfer: true }).',
    ]);
    expect(codeOf(() => group(ricartAgrawala, options))).toEqual([
      'bad-input',
      "Ricart–Agrawala solves 'mutual-exclusion'; a group needs a protocol with the command multicast(data). Try membership(); for a lock, call lock(protocol, options).",
    ]);
  });
});
