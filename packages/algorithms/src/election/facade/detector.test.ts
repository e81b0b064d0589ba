import { setTimeout as sleep } from 'node:timers/promises';
import { memoryNetwork, type Transport } from '@conclave/core/embedding';
import { complete } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { lelannChangRoberts } from '../lelann-chang-roberts/protocol.js';
import { silence } from './detector.contract.js';
import { election } from './election.js';
import { abc, later, refusal, three } from './elections.contract.js';

describe('an election with a failure detector', () => {
  it('tells a leader that has lost contact, and one that has contact again', async () => {
    let isCut = false;
    const via = (transport: Transport): Transport => ({
      ...transport,
      send: (to, message) => {
        if (!isCut || (transport.self !== 'c' && to !== 'c')) transport.send(to, message);
      },
    });
    const [a, b, c] = three({ via, period: 20 });
    await a.elect();
    await sleep(1);
    const leadership = c.leader?.leadership;
    isCut = true;
    expect(await leadership?.lost).toMatchObject({
      reason: 'no-contact',
      message: 'Node c does not lead in term 1 any longer: it has no contact with enough other nodes. Stop the work of the leader.',
    });
    expect(c.leader).toBeUndefined();
    isCut = false;
    expect(await later(c, (leader) => leader?.leadership !== undefined)).toBeDefined();
    for (const one of [a, b, c]) await one.close();
  });

  it('starts an election when a node suspects the leader; one that needs all nodes does not end, and says so', async () => {
    const [a, b, c] = three({ period: 20 });
    await a.elect();
    await sleep(1);
    await c.close();
    await later(a, (leader) => leader === undefined);
    expect(a.term).toBe(2);
    const { message } = await refusal(a.elect({ waitFor: 50 }));
    expect(message).toBe(
      'Node a knows no leader of term 2 after 50 ms: it suspects c. Start c again, or check on the page of LeLann–Chang–Roberts whether it elects a leader without crashed nodes, as bully does.',
    );
    for (const one of [a, b]) await one.close();
  });

  it('abandons an election that has stopped when the missing node is back', async () => {
    const network = memoryNetwork(complete(abc.nodes));
    const on = (self: string, stable = {}) =>
      election(lelannChangRoberts, { self, topology: abc, transport: network.transport(self), detector: silence(20), stable });
    const [a, b, c] = [on('a'), on('b'), on('c')];
    await a.elect();
    await sleep(1);
    const { stable } = c;
    await c.close();
    await later(a, (leader) => leader === undefined);
    const again = on('c', stable);
    const leaders = await Promise.all([a, b, again].map((one) => later(one, (leader) => leader !== undefined)));
    for (const leader of leaders) expect(leader?.id).toBe('c');
    expect(leaders[0]?.term).toBeGreaterThan(2);
    for (const one of [a, b, again]) await one.close();
  });
});
