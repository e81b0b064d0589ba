import { setTimeout as sleep } from 'node:timers/promises';
import { catalogue } from '@conclave/algorithms';
import { memoryNetwork, type Transport } from '@conclave/core/embedding';
import type { Json, NodeId, Protocol } from '@conclave/core/protocol';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { refusal } from '../election/elections.contract.js';
import { type Group, group } from './group.js';
import { closeAll, membersOf } from './groups.contract.js';

const ids = ['a', 'b', 'c'];

/** The multicasts of the catalogue to a group whose members are fixed. */
const fixed = catalogue
  .map(({ make }) => make())
  .filter(({ commands }) => commands.multicast && !commands.leave);

/** A transport that loses each third message. */
function losing(transport: Transport): Transport {
  let sent = 0;
  const send: Transport['send'] = (to, message) => {
    if (++sent % 3 > 0) transport.send(to, message);
  };
  return { ...transport, guarantees: { ...transport.guarantees, loss: true }, send };
}

/** Members a, b and c, and what each has delivered, by sender. */
function three(
  protocol: Protocol,
  via: (transport: Transport) => Transport = (transport) => transport,
) {
  const network = memoryNetwork(ids);
  const delivered: Record<NodeId, Record<NodeId, Json[]>> = {};
  const members = ids.map((self): Group => {
    const one = group(protocol, { self, peers: ids, transport: via(network.transport(self)) });
    const own: Record<NodeId, Json[]> = {};
    delivered[self] = own;
    one.deliveries$.subscribe(({ from, data }) => {
      own[from] = [...(own[from] ?? []), data];
    });
    return one;
  });
  return { members, delivered };
}

describe.each(fixed.map((protocol) => [protocol.name, protocol] as const))(
  'a group by %s',
  (_name, protocol) => {
    proof(
      'delivers the messages of each member at all members, in their order, also where messages are lost if it assumes that',
      async () => {
        const { members, delivered } = three(protocol, protocol.channels.loss ? losing : undefined);
        expect(members.map(({ view }) => view)).toEqual(
          ids.map(() => ({ number: 1, members: ids })),
        );
        const [a, b] = members;
        if (!a || !b) throw new Error('unreachable: three were made');
        const own = await Promise.all([a.multicast('x'), b.multicast('z'), a.multicast('y')]);
        expect(own.map(({ from, sequence, data, view }) => [from, sequence, data, view])).toEqual([
          ['a', 1, 'x', undefined],
          ['b', 1, 'z', undefined],
          ['a', 2, 'y', undefined],
        ]);
        const isComplete = () =>
          ids.every((id) => Object.values(delivered[id] ?? {}).flat().length === 3);
        for (let waits = 0; waits < 200 && !isComplete(); waits++) await sleep(10);
        for (const id of ids) expect(delivered[id]).toEqual({ a: ['x', 'y'], b: ['z'] });
        await closeAll(...members);
        expect(members.map(membersOf)).toEqual(['none', 'none', 'none']);
      },
    );

    it('has fixed members: none leaves', async () => {
      const { members } = three(protocol);
      const [a] = members;
      if (!a) throw new Error('unreachable: three were made');
      expect(await refusal(a.leave())).toMatchObject({
        code: 'bad-input',
        message: `${protocol.title} has fixed members: none can leave. Close the group instead.`,
      });
      await closeAll(...members);
      expect((await refusal(a.multicast('x'))).code).toBe('closed');
    });
  },
);

it('there are such protocols', () => expect(fixed.length).toBeGreaterThan(0));
