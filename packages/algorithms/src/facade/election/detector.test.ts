import { memoryNetwork, type Transport } from '@conclave/core/embedding';
import { complete } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { bully } from '../../election/bully/protocol.js';
import { lelannChangRoberts } from '../../election/lelann-chang-roberts/protocol.js';
import { inVirtualTime, pass } from '../virtual-time.contract.js';
import { election } from './election.js';
import { abc, later, refusal, three, watching } from './elections.contract.js';

inVirtualTime();

describe('an election with a failure detector', () => {
  it('tells a leader that has lost contact, and one that has contact again', async () => {
    let isCut = false;
    const via = (transport: Transport): Transport => ({
      ...transport,
      send: (to, message) => {
        if (!isCut || (transport.self !== 'c' && to !== 'c')) transport.send(to, message);
      },
    });
    const [a, b, c] = three({ via, detector: watching });
    await a.elect();
    await pass(1);
    const leadership = c.leader?.leadership;
    isCut = true;
    expect(await leadership?.lost).toMatchObject({
      reason: 'no-contact',
      message:
        'Node c does not lead in term 1 any longer: it has no contact with enough other nodes. Stop the work of the leader.',
    });
    expect(c.leader).toBeUndefined();
    isCut = false;
    expect(await later(c, (leader) => leader?.leadership !== undefined)).toBeDefined();
    for (const one of [a, b, c]) await one.close();
  });

  it('starts an election when a node suspects the leader; one that needs all nodes does not end, and says so', async () => {
    const [a, b, c] = three({ detector: watching });
    await a.elect();
    await pass(1);
    await c.close();
    await later(a, (leader) => leader === undefined);
    expect(a.term).toBeGreaterThanOrEqual(2);
    const { message } = await refusal(a.elect({ waitFor: 50 }));
    expect(message).toBe(
      `Node a knows no leader of term ${a.term} after 50 ms: it suspects c. Start c again, or check on the page of LeLann–Chang–Roberts whether it elects a leader without crashed nodes, as bully does.`,
    );
    for (const one of [a, b]) await one.close();
  });

  it('starts one election against a leader that it suspects, also where that leader lives and wins again', async () => {
    const via = (transport: Transport): Transport => ({
      ...transport,
      send: (to, message) => {
        if (transport.self !== 'c' || message.type !== 'detector-heartbeat')
          transport.send(to, message);
      },
    });
    const [a, b, c] = three({ via, detector: watching });
    await a.elect();
    await later(a, (leader) => (leader?.term ?? 0) > 1);
    await pass(300);
    expect(a.leader?.id).toBe('c');
    expect(a.term).toBeLessThanOrEqual(3); // one of a, one of b
    for (const one of [a, b, c]) await one.close();
  });

  it('abandons an election that has stopped when the missing node is back', async () => {
    const network = memoryNetwork(complete(abc.nodes));
    const on = (self: string, stable = {}) =>
      election(lelannChangRoberts, {
        self,
        topology: abc,
        transport: network.transport(self),
        detector: watching,
        stable,
      });
    const [a, b, c] = [on('a'), on('b'), on('c')];
    await a.elect();
    await pass(1);
    const { stable } = c;
    await c.close();
    await later(a, (leader) => leader === undefined);
    const again = on('c', stable);
    const leaders = await Promise.all(
      [a, b, again].map((one) => later(one, (leader) => leader !== undefined)),
    );
    for (const leader of leaders) expect(leader?.id).toBe('c');
    expect(leaders[0]?.term).toBeGreaterThan(2);
    for (const one of [a, b, again]) await one.close();
  });

  it.each([
    ['that the facade is given', bully({ timeout: 200 }), { detector: watching }],
    ['of its own', bully({ timeout: 200, detector: true, period: 40, silence: 200 }), {}],
  ])(
    'has a next leader after a crash, by an algorithm that goes on without crashed nodes, with a detector %s',
    async (_whose, protocol, more) => {
      const network = memoryNetwork(abc.nodes);
      const [a, b, c] = abc.nodes.map((self) =>
        election(protocol, { self, nodes: abc.nodes, transport: network.transport(self), ...more }),
      );
      if (!a || !b || !c) throw new Error('unreachable: three were made');
      expect(await a.elect()).toMatchObject({ id: 'c' });
      const before = a.term;
      const { leadership } = (await later(c, (leader) => leader?.id === 'c')) ?? {};
      await c.close();
      expect((await leadership?.lost)?.reason).toBe('closed');
      const next = await later(b, (leader) => leader?.leadership !== undefined);
      expect(next).toMatchObject({ id: 'b' });
      expect(next?.term).toBeGreaterThan(before);
      expect(await later(a, (leader) => leader?.id === 'b')).toEqual({ id: 'b', term: next?.term });
      for (const one of [a, b]) await one.close();
    },
  );
});
