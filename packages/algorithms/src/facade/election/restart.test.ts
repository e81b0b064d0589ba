/** Elections over a transport whose nodes may come back as new processes. */

import {
  memoryNetwork,
  memoryStorage,
  type StableStorage,
  type Transport,
} from '@conclave/core/embedding';
import type { ConclaveError, Protocol } from '@conclave/core/protocol';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../catalogue.js';
import { bully } from '../../election/bully/protocol.js';
import { viewLeader } from '../../election/view-leader/protocol.js';
import { inVirtualTime, pass } from '../virtual-time.contract.js';
import { election } from './election.js';
import { later, refusal, watching } from './elections.contract.js';

const ids = ['a', 'b', 'c'];

/**
 * The nodes of `protocol`, each with its storage. `heartbeats` counts what each node sends for the
 * detector.
 */
function restartable(protocol: Protocol) {
  const topology = protocol.topology.example(3);
  const network = memoryNetwork(topology.nodes);
  const errors: string[] = [];
  const heartbeats = new Map<string, number>();
  const disks = new Map<string, StableStorage>(
    topology.nodes.map((self) => [self, memoryStorage()]),
  );
  const transport = (self: string): Transport => {
    const made = network.transport(self);
    const send: Transport['send'] = (to, message) => {
      if (message.type === 'detector-heartbeat')
        heartbeats.set(self, (heartbeats.get(self) ?? 0) + 1);
      made.send(to, message);
    };
    return { ...made, guarantees: { ...made.guarantees, restarts: true }, send };
  };
  const onError = (error: ConclaveError) => errors.push(`${error.code}: ${error.message}`);
  const start = (self: string, storage = disks.get(self)) =>
    election(protocol, {
      self,
      topology,
      transport: transport(self),
      detector: watching,
      onError,
      ...(storage && { storage }),
    });
  return { nodes: topology.nodes, errors, heartbeats, start, transport };
}

inVirtualTime();

describe('an election of nodes that come back', () => {
  it('has a next leader after each of several crashes of the leader, which returns with its storage', async () => {
    const { start, errors } = restartable(bully({ timeout: 100 }));
    let running = ids.map((self) => start(self));
    await running[0]?.elect();
    for (let crash = 0; crash < 3; crash++) {
      const leading = (
        await Promise.race(
          running.map((one) => later(one, (known) => known?.leadership !== undefined)),
        )
      )?.id;
      expect(leading).toBe('c');
      await running.find(({ id }) => id === leading)?.close();
      running = running.filter(({ id }) => id !== leading);
      for (const one of running)
        expect((await later(one, (known) => known !== undefined && known.id !== leading))?.id).toBe(
          'b',
        );
      running = [...running, start('c')];
      for (const one of running)
        expect((await later(one, (known) => known?.id === 'c'))?.id).toBe('c');
    }
    expect(errors).toEqual([]);
    for (const one of running) await one.close();
  });

  it('needs storage by a protocol that tolerates it', () => {
    const { transport } = restartable(bully());
    expect(() =>
      election(bully(), { self: 'a', peers: ids, transport: transport('a'), detector: watching }),
    ).toThrow(
      "Bully election keeps hasRun, term on stable storage, and node a, which may come back as a new process, has none. Give it storage: fileStorage('data/a')",
    );
  });

  const others = catalogue
    .map(({ make }) => make())
    .filter(
      ({ problem, tolerates = [], crashNotice }) =>
        problem === 'election' && !tolerates.includes('restart') && !crashNotice,
    )
    // its nodes never know that it is over: repeated refuses it
    .filter(({ name }) => name !== 'extinction');

  it.each(others.map((protocol) => [protocol.name, protocol] as const))(
    'is refused as a whole: %s',
    async (_name, protocol) => {
      const { nodes, start, errors, heartbeats } = restartable(protocol);
      const running = nodes.map((self) => start(self));
      const [first] = nodes;
      if (first === undefined) throw new Error('unreachable: the example has nodes');
      // the leader of Itai–Rodeh has no name
      const known = await Promise.race([running[1]?.elect(), pass(100)]);
      await running[0]?.close();
      heartbeats.delete(first);
      const again = start(first);
      const wait = refusal(again.elect());
      let completed = false;
      again.leader$.subscribe({ complete: () => (completed = true) });
      expect(await wait).toMatchObject({ code: 'refused' });
      expect(again.leader).toBeUndefined();
      expect((await refusal(again.elect())).code).toBe('refused');
      await pass(60); // longer than a period
      expect({ completed, sent: heartbeats.get(first) }).toEqual({
        completed: true,
        sent: undefined,
      });
      // told once, although two parts are refused
      expect(errors.filter((error) => error.startsWith(`refused: Incarnation`))).toHaveLength(1);
      if (known && known.id !== first) expect(running[1]?.leader?.id).toBe(known.id);
      for (const one of running) await one.close();
    },
  );

  it('covers what the catalogue has; a group has a view, which it needs to be told of crashes', () => {
    expect(others.length).toBeGreaterThan(10);
    const { transport } = restartable(bully());
    expect(() =>
      election(viewLeader(), { self: 'a', peers: ids, transport: transport('a') }),
    ).toThrow('assumes a network that reports crashes');
  });
});
