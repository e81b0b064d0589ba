import { setTimeout as sleep } from 'node:timers/promises';
import { catalogue } from '@conclave/algorithms';
import { bully } from '@conclave/algorithms/bully';
import { dolevKlaweRodeh } from '@conclave/algorithms/dolev-klawe-rodeh';
import { heartbeat } from '@conclave/algorithms/heartbeat';
import { lelannChangRoberts } from '@conclave/algorithms/lelann-chang-roberts';
import { repeated } from '@conclave/algorithms/repeated';
import { ricartAgrawala } from '@conclave/algorithms/ricart-agrawala';
import { viewLeader } from '@conclave/algorithms/view-leader';
import {
  memoryNetwork,
  memoryStorage,
  messagePortTransport,
  portsBetween,
  type StableStorage,
  type Transport,
} from '@conclave/core/embedding';
import type { ConclaveError, Protocol } from '@conclave/core/protocol';
import { ring } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { inVirtualTime, pass } from '../virtual-time.contract.js';
import { election } from './election.js';
import { abc, later, refusal, three, twoByHand, watching } from './elections.contract.js';
import { type Election, type Leader, LeadershipLost } from './shared-election.js';

describe('an election', () => {
  it('has one leader, whom all nodes know, and only that node a leadership', async () => {
    const [a, b, c] = three();
    expect([a.leader, a.term]).toEqual([undefined, 1]);
    expect(await a.elect()).toEqual({ id: 'c', term: 1 });
    await sleep(1);
    expect([a.leader, b.leader]).toEqual([
      { id: 'c', term: 1 },
      { id: 'c', term: 1 },
    ]);
    expect(c.leader).toMatchObject({ id: 'c', term: 1, leadership: { term: 1 } });
    for (const one of [a, b, c]) await one.close();
  });

  it('can be held again: the leader is told, and has a larger term; it has no fencing token', async () => {
    const [a, b, c] = three();
    await a.elect();
    await sleep(1);
    const first = c.leader?.leadership;
    expect(await b.elect()).toMatchObject({ id: 'c', term: 2 });
    const lost = await first?.lost;
    expect(lost).toBeInstanceOf(LeadershipLost);
    expect(lost).toMatchObject({ code: 'lost', reason: 'later-term', term: 1, node: 'c' });
    expect(lost?.message).toBe(
      'Node c does not lead in term 1 any longer: it knows of a later election. Stop the work of the leader.',
    );
    expect(first?.signal.reason).toBe(lost);
    await sleep(1);
    expect(c.leader?.leadership).toMatchObject({
      term: 2,
      fencingToken: undefined,
      signal: { aborted: false },
    });
    expect([a.term, b.term, c.term]).toEqual([2, 2, 2]);
    for (const one of [a, b, c]) await one.close();
  });

  it('emits the present leader and each later one', async () => {
    const { a, b, settle } = twoByHand();
    const seen: string[] = [];
    const text = (leader: Leader | undefined) =>
      leader ? `${leader.id} in ${leader.term}` : 'none';
    a.leader$.subscribe({
      next: (leader) => seen.push(text(leader)),
      complete: () => seen.push('closed'),
    });
    for (const one of [a, b]) {
      void one.elect();
      await settle();
    }
    await a.close();
    expect(seen).toEqual(['none', 'b in 1', 'none', 'b in 2', 'none', 'closed']);
    const late: unknown[] = [];
    b.leader$.subscribe((leader) => late.push(leader));
    expect(late).toEqual([b.leader]);
  });

  it('is read by for await; a slow reader gets the latest leader; it ends when the election is closed', async () => {
    const { a, settle } = twoByHand();
    const reader = a[Symbol.asyncIterator]();
    expect(await reader.next()).toEqual({ value: undefined, done: false });
    for (const _ of [1, 2, 3]) {
      void a.elect();
      await settle();
    }
    expect(await reader.next()).toEqual({ value: { id: 'b', term: 3 }, done: false });
    const last = reader.next();
    await a.close();
    expect((await last).done).toBe(true);
  });

  it('can be read until a signal aborts', async () => {
    const { a } = twoByHand();
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 5);
    const seen: unknown[] = [];
    for await (const leader of a.leaders({ signal: controller.signal })) seen.push(leader);
    for await (const leader of a.leaders({ signal: AbortSignal.abort() })) seen.push(leader);
    expect(seen).toEqual([undefined]);
  });

  it('is left by resigning, which starts the next one', async () => {
    const { a, b, settle } = twoByHand();
    a.resign(); // it does not lead
    void a.elect();
    await settle();
    const first = b.leader?.leadership;
    b.resign();
    expect((await first?.lost)?.reason).toBe('resigned');
    expect([b.leader, b.term]).toEqual([undefined, 2]);
    await settle();
    expect([a.leader, b.leader]).toMatchObject([
      { id: 'b', term: 2 },
      { id: 'b', term: 2, leadership: { term: 2 } },
    ]);
  });

  it('can be abandoned when it has stopped', async () => {
    const { network, a, b, settle } = twoByHand();
    const stuck = a.elect();
    network.drop('a', 'b');
    void a.elect();
    expect(network.inFlight).toEqual([]); // it waits already
    void b.elect({ abandon: true }); // it waits for none
    expect(network.inFlight).toEqual([]);
    void a.elect({ abandon: true });
    await settle();
    expect(await stuck).toEqual({ id: 'b', term: 2 });
    expect(b.leader).toMatchObject({ id: 'b', term: 2 });
    const loose = a.elect.bind(a) as (options: object) => Promise<unknown>;
    expect((await refusal(loose({ abandon: 1 }))).message).toBe(
      'elect: abandon is 1. Give true or false.',
    );
  });

  it('works by any election, and over message ports', async () => {
    const ports = portsBetween(abc.nodes);
    const elections = Object.entries(ports).map(([self, own]) =>
      election(self === 'a' ? repeated(dolevKlaweRodeh) : dolevKlaweRodeh, {
        self,
        topology: abc,
        transport: messagePortTransport(self, own),
      }),
    );
    const leaders = await Promise.all(elections.map((one) => one.elect()));
    expect(new Set(leaders.map(({ id }) => id)).size).toBe(1);
    for (const one of elections) await one.close();
  });
});

describe('a wait for a leader that ends without one', () => {
  it('by its signal, also before it begins', async () => {
    const { network, a } = twoByHand();
    const controller = new AbortController();
    const wait = refusal(a.elect({ signal: controller.signal }));
    controller.abort('changed my mind');
    expect(await wait).toMatchObject({
      code: 'aborted',
      message: 'Node a stopped waiting for a leader: its signal was aborted',
      cause: 'changed my mind',
    });
    expect(network.inFlight).toHaveLength(1);
    expect((await refusal(a.elect({ signal: AbortSignal.abort() }))).code).toBe('aborted');
    expect(network.inFlight).toHaveLength(1);
  });

  it('by its timeout', async () => {
    const { network, a } = twoByHand();
    const wait = refusal(a.elect({ waitFor: 50 }));
    network.fire('a', 'timer');
    expect(await wait).toMatchObject({
      code: 'timed-out',
      message:
        'Node a knows no leader of term 1 after 50 ms. Wait longer, or check that all nodes are up.',
    });
    expect((await refusal(a.elect({ waitFor: -1 }))).message).toBe(
      'elect: waitFor is -1. Give a number of milliseconds from 0 to 2147483647.',
    );
  });

  it('by the close of the election, which ends a leadership, too', async () => {
    const { a, b, settle } = twoByHand();
    void b.elect();
    await settle();
    const leadership = b.leader?.leadership;
    const wait = refusal(b.elect());
    await b.close();
    expect(await wait).toMatchObject({
      code: 'closed',
      message: 'The election of node b is closed',
    });
    expect((await leadership?.lost)?.reason).toBe('later-term'); // by the second elect
    expect((await refusal(b.elect())).code).toBe('closed');
    await a[Symbol.asyncDispose]();
    expect((await refusal(a.elect())).code).toBe('closed');
    a.resign();
  });

  it('by the close of the leader, which is told', async () => {
    const [a, b, c] = three();
    await a.elect();
    await sleep(1);
    const leadership = c.leader?.leadership;
    await c.close();
    expect((await leadership?.lost)?.reason).toBe('closed');
    expect(c.leader).toBeUndefined();
    for (const one of [a, b]) await one.close();
  });

  it('by a machine that fails', async () => {
    const [role] = Object.values(lelannChangRoberts.roles);
    if (!role) throw new Error('unreachable: it has one');
    const astray = {
      ...lelannChangRoberts,
      roles: { node: { ...role, input: () => ({ self: 'a', next: 'nowhere' }) } },
    };
    const errors: string[] = [];
    const transport = memoryNetwork(['a', 'b']).transport('a');
    const a = election(astray, {
      self: 'a',
      topology: ring(2),
      transport,
      onError: ({ message }) => errors.push(message),
    });
    expect((await refusal(a.elect())).code).toBe('closed');
    expect(errors).toEqual([
      "The election is closed, for its protocol LeLann–Chang–Roberts failed: Node a sends 'election' to nowhere, to which it has no channel in 'ring:2'. It was in 'election.passive.asleep' when it was told 'elect'. Check that all nodes name the same nodes and run the same version; otherwise report this to the author of LeLann–Chang–Roberts.",
    ]);
  });
});

it('a node that starts again takes part from the term after its last one, given what it had stored', async () => {
  const { network, a, b, settle } = twoByHand();
  void a.elect();
  await settle();
  const { stable } = b;
  expect(stable).toEqual({ term: 1 });
  await b.close();
  const again = election(lelannChangRoberts, {
    self: 'b',
    topology: ring(2),
    transport: network.transport('b'),
    clock: network.clock('b'),
    stable,
  });
  expect([again.term, again.leader]).toEqual([2, undefined]);
  void again.elect();
  await settle();
  expect([a.leader, again.leader]).toMatchObject([
    { id: 'b', term: 2 },
    { id: 'b', term: 2, leadership: { term: 2 } },
  ]);
});

describe('election refuses', () => {
  const transport = memoryNetwork(['a', 'b']).transport('a');
  const loose = election as (protocol: unknown, options: unknown) => Election;

  it('a protocol that solves another problem', () => {
    const options = { self: 'a', peers: ['b'], transport };
    expect(() => election(ricartAgrawala, options)).toThrow(
      "Ricart–Agrawala solves 'mutual-exclusion'; an election needs a protocol for 'election'. Try lelannChangRoberts, or by: 'lease'; for a lock, call lock(protocol, options).",
    );
    expect(() =>
      election(lelannChangRoberts, {
        self: 'a',
        topology: ring(2),
        transport,
        detector: lelannChangRoberts,
      }),
    ).toThrow(
      "LeLann–Chang–Roberts solves 'election'; a detector needs a protocol for 'failure-detection'. Try heartbeat().",
    );
    expect(() =>
      election(bully({ detector: true }), { ...options, detector: heartbeat() }),
    ).toThrow('Bully election has a failure detector of its own. Leave out the option detector.');
  });

  it('a function that makes a protocol, and misspelt options', () => {
    expect(() => loose(heartbeat, { self: 'a', peers: ['b'], transport })).toThrow(
      'election: protocol is the function heartbeat. Give a protocol: call it, as in heartbeat(…).',
    );
    expect(() => loose(lelannChangRoberts, { self: 'a', peer: ['b'], transport })).toThrow(
      "election: there is no option 'peer'. Did you mean 'peers'? It knows self, transport, storage, incarnation, epoch, topology, nodes, peers, clients, reportWaitAfter, clock, choose, onError, journal, confirm, inspect, detector, quorum, stable.",
    );
    expect(() =>
      loose(lelannChangRoberts, { self: 'a', topology: ring(2), transport, quorum: 0 }),
    ).toThrow('election: quorum is 0. Give a whole number, 1 or more.');
  });

  it('a network on which its protocol cannot run', () => {
    expect(() =>
      election(lelannChangRoberts, {
        self: 'a',
        peers: ['b', 'c'],
        transport: memoryNetwork(abc).transport('a'),
      }),
    ).toThrow('needs a one-way ring network');
  });
});

// Elections over a transport whose nodes may come back as new processes.

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
