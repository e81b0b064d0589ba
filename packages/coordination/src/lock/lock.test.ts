import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { catalogue, protocolOf } from '@conclave/algorithms';
import { intervalReservation } from '@conclave/algorithms/interval-reservation';
import { lelannChangRoberts } from '@conclave/algorithms/lelann-chang-roberts';
import { naimiTrehel } from '@conclave/algorithms/naimi-trehel';
import { ricartAgrawala } from '@conclave/algorithms/ricart-agrawala';
import { memoryNetwork, messagePortTransport, portsBetween } from '@conclave/core/embedding';
import { optionalCommands } from '@conclave/core/internal';
import { handStepped } from '@conclave/core/internal/embedding';
import type { ConclaveError, Protocol } from '@conclave/core/protocol';
import { tree } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { refusal } from '../election/elections.contract.js';
import { lock } from './lock.js';
import type { Lock } from './lock-types.js';

const abc = ['a', 'b', 'c'];

/** Locks of nodes a, b and c, all in this process. */
function threeLocks(): [Lock, Lock, Lock] {
  const network = memoryNetwork(abc);
  const [a, b, c] = abc.map((self) =>
    lock(ricartAgrawala, { self, peers: abc, transport: network.transport(self) }),
  );
  if (!a || !b || !c) throw new Error('unreachable: three were made');
  return [a, b, c];
}

/** Locks of nodes a and b on a hand-stepped network, and a function that delivers all messages. */
function twoByHand() {
  const network = handStepped(['a', 'b']);
  const [a, b] = ['a', 'b'].map((self) =>
    lock(ricartAgrawala, {
      self,
      peers: ['a', 'b'],
      transport: network.transport(self),
      clock: network.clock(self),
    }),
  );
  if (!a || !b) throw new Error('unreachable: two were made');
  const settle = async () => {
    for (let [next] = network.inFlight; next; [next] = network.inFlight)
      network.deliver(next.from, next.to);
    await sleep(0);
  };
  return { network, a, b, settle };
}

describe('a lock', () => {
  it('serves the calls on one node in their order', async () => {
    const [a] = threeLocks();
    const order: number[] = [];
    await Promise.all([1, 2, 3].map((n) => a.run(() => order.push(n))));
    expect(order).toEqual([1, 2, 3]);
  });

  it('has a larger fencing token each time, also where one call gave up; none by a protocol without tokens', async () => {
    const { a, b, settle } = twoByHand();
    const given = new AbortController();
    const gaveUp = refusal(a.acquire({ signal: given.signal }));
    given.abort();
    expect((await gaveUp).code).toBe('aborted');
    const tokens: (number | undefined)[] = [];
    for (const each of [a, b, a]) {
      const held = each.acquire();
      await settle();
      await settle();
      const { fencingToken, release } = await held;
      tokens.push(fencingToken);
      release();
    }
    expect(tokens).toHaveLength(3);
    for (const [place, token] of tokens.entries())
      expect(token).toBeGreaterThan(tokens[place - 1] ?? 0);

    const { fence: _fence, ...without } = ricartAgrawala;
    const alone = lock(without, {
      self: 'a',
      peers: ['a'],
      transport: memoryNetwork(['a']).transport('a'),
    });
    expect(await alone.run(({ fencingToken }) => fencingToken)).toBeUndefined();
  });

  it.each([
    ['naimi-trehel', undefined],
    [
      'regenerated-token',
      'while every time-out is longer than the longest stay and the slowest message; otherwise there may be two tokens',
    ],
    ['interval-reservation', 'between reservations that conflict; compatible ones have no order'],
  ])(
    'says beside the fencing token of %s when it grows, unless it always does',
    async (name, condition) => {
      const protocol = protocolOf(name);
      const topology = protocol.topology.example(2);
      const network = memoryNetwork(topology, {
        order: protocol.channels.order,
        schedule: setImmediate,
      });
      const { type: _acquire, ...claim } = optionalCommands(protocol)[0] ?? { type: 'acquire' };
      const locks = topology.nodes.map((self) =>
        lock(protocol, { self, topology, transport: network.transport(self), claim }),
      );
      const said = await locks[0]?.run(({ fencingToken, fencingCondition }) => [
        typeof fencingToken,
        fencingCondition,
      ]);
      for (const each of locks) await each.close();
      expect(said).toEqual(['number', condition]);
      const page = readFileSync(new URL('../../../../docs/fencing.md', import.meta.url), 'utf8');
      if (condition !== undefined) expect(page).toContain(condition);
    },
  );

  proof(
    'has a token that grows in every run by each algorithm except the three that docs/fencing.md names',
    () => {
      const locks = catalogue
        .map(({ make }) => make())
        .filter(({ problem }) => problem === 'mutual-exclusion');
      const conditional = locks.filter(({ fenceCondition }) => fenceCondition !== undefined);
      expect(conditional.map(({ name }) => name)).toEqual([
        'regenerated-token',
        'interval-reservation',
        'group-lock',
      ]);
      for (const protocol of locks)
        if (protocol.name !== 'group-lock')
          // its condition is about crashes, which no property is
          expect(protocol.properties.some(({ kind }) => kind === 'increases')).toBe(
            !conditional.includes(protocol),
          );
    },
  );

  it('is given back by release, by the end of a using block, by run', async () => {
    const [a, b] = threeLocks();
    const held = await a.acquire();
    held.release();
    {
      await using _held = await b.acquire();
    }
    expect(await a.run(() => 'done')).toBe('done');
    await expect(
      a.run(() => {
        throw new Error('in the middle');
      }),
    ).rejects.toThrow('in the middle');
    (await b.acquire()).release();
  });

  it('is not taken for a critical section that is no function', async () => {
    const [a] = threeLocks();
    const run = a.run.bind(a) as (critical?: unknown) => Promise<unknown>; // as JavaScript calls it
    await expect(run()).rejects.toMatchObject({
      code: 'bad-input',
      message: expect.stringMatching(
        /^run got undefined as its critical section\. Give a function/,
      ),
    });
    await a.run(() => undefined);
  });

  it('may be released twice without harm to the next holder', async () => {
    const [a] = threeLocks();
    const first = await a.acquire();
    first.release();
    const second = await a.acquire();
    first.release();
    let third = false;
    void a.acquire().then(() => (third = true));
    await sleep(5);
    expect(third).toBe(false);
    second.release();
    await expect.poll(() => third).toBe(true);
  });

  it('works over message ports', async () => {
    const ports = portsBetween(['a', 'b']);
    const locks = Object.entries(ports).map(([self, own]) =>
      lock(ricartAgrawala, {
        self,
        peers: Object.keys(own),
        transport: messagePortTransport(self, own),
      }),
    );
    let count = 0;
    const increment = async () => {
      const before = count;
      await sleep(1);
      count = before + 1;
    };
    await Promise.all(
      locks.flatMap((each) => Array.from({ length: 5 }, () => each.run(increment))),
    );
    expect(count).toBe(10);
    for (const each of locks) await each.close();
  });
});

describe('a wait that ends without the lock', () => {
  it('by its signal; a later grant is given back at once', async () => {
    const { network, a, b, settle } = twoByHand();
    const controller = new AbortController();
    const wait = refusal(a.acquire({ signal: controller.signal }));
    controller.abort('changed my mind');
    expect(await wait).toMatchObject({
      code: 'aborted',
      message: 'Node a stopped waiting for the lock: its signal was aborted',
      cause: 'changed my mind',
    });
    const other = b.acquire();
    await settle();
    (await other).release();
    await settle();
    expect(network.inFlight).toEqual([]);
  });

  it('before it begins, when the signal is aborted already', async () => {
    const { network, a } = twoByHand();
    expect((await refusal(a.acquire({ signal: AbortSignal.abort() }))).code).toBe('aborted');
    expect(network.inFlight).toEqual([]);
  });

  it('by its timeout, and hands the grant to the next call', async () => {
    const { network, a, settle } = twoByHand();
    const wait = refusal(a.acquire({ waitFor: 50 }));
    const next = a.acquire();
    expect(network.timers('a')).toHaveLength(1);
    network.fire('a', 'timer');
    expect(await wait).toMatchObject({
      code: 'timed-out',
      message:
        'Node a did not get the lock within 50 ms: it waits for b. Wait longer, or check that they are up: b.',
    });
    await settle();
    (await next).release();
    expect(network.channel('a', 'b')).toEqual([]); // one request served both
  });

  it('names another call on the same node that holds the lock', async () => {
    const { network, a, settle } = twoByHand();
    const holding = a.acquire();
    await settle();
    await holding;
    const wait = refusal(a.acquire({ waitFor: 50 }));
    network.fire('a', 'timer');
    expect((await wait).message).toBe(
      'Node a did not get the lock within 50 ms: another call on this node has it. Wait longer, or release it.',
    );
  });

  it('by the close of the lock', async () => {
    const { a, settle } = twoByHand();
    const wait = refusal(a.acquire());
    const closed = a.close();
    expect(await wait).toMatchObject({ code: 'closed', message: 'The lock of node a is closed' });
    await settle(); // its request is answered, and not withdrawn: it enters, and leaves at once
    await closed;
    expect((await refusal(a.acquire())).code).toBe('closed');
    expect((await refusal(a.run(() => {}))).code).toBe('closed');
  });

  it('leaves nothing behind when it ends with the lock', async () => {
    const { network, a, settle } = twoByHand();
    const controller = new AbortController();
    const wait = a.acquire({ signal: controller.signal, waitFor: 50 });
    await settle();
    const held = await wait;
    expect(network.timers('a')).toEqual([]);
    controller.abort();
    held.release();
    held.release();
  });

  it('is refused if its timeout is not a time', async () => {
    const { a } = twoByHand();
    for (const waitFor of [-1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(await refusal(a.acquire({ waitFor }))).toMatchObject({
        code: 'bad-input',
        message: `acquire: waitFor is ${waitFor}. Give a number of milliseconds from 0 to 2147483647.`,
      });
  });
});

describe('closing a lock', () => {
  it('releases it first', async () => {
    const { a, b, settle } = twoByHand();
    const holding = a.acquire();
    await settle();
    const held = await holding;
    const other = b.acquire();
    await settle();
    await a.close();
    held.release();
    await settle();
    (await other).release();
  });

  it('is the remedy named in the error for an unexpected message', async () => {
    const network = handStepped(['a', 'b'], { order: 'any', loss: false, duplication: false });
    const errors: ConclaveError[] = [];
    const on = (self: string) => ({ self, peers: ['a', 'b'], transport: network.transport(self) });
    const a = lock(ricartAgrawala, { ...on('a'), onError: (error) => errors.push(error) });
    const b = lock(ricartAgrawala, on('b'));
    const held = a.acquire();
    network.deliver('a', 'b');
    network.duplicate('b', 'a');
    network.deliver('b', 'a');
    network.deliver('b', 'a');
    expect(errors.map(({ code, message }) => [code, message])).toEqual([
      [
        'unhandled',
        "The lock got a message that Ricart–Agrawala rules out: Node a in 'held' does not handle 'reply' (from b). Check that the transport loses, duplicates and reorders nothing that Ricart–Agrawala needs, that no node crashed and came back, and that all nodes run the same version. Close the lock and start all nodes anew.",
      ],
    ]);
    (await held).release();
    await b.close();
  });

  it('ends the waits also when the node stops after an error', async () => {
    const network = memoryNetwork(['a', 'b']);
    const broken: Protocol = {
      ...ricartAgrawala,
      roles: {
        node: { ...onlyRole(ricartAgrawala), input: () => ({ self: 'a', peers: ['nowhere'] }) },
      },
    };
    const errors: string[] = [];
    const a = lock(broken, {
      self: 'a',
      peers: ['b'],
      transport: network.transport('a'),
      onError: ({ message }) => errors.push(message),
    });
    expect((await refusal(a.acquire())).code).toBe('closed');
    expect(errors).toEqual([
      "The lock is closed, for its protocol Ricart–Agrawala failed: Node a sends 'request' to nowhere, to which it has no channel in 'complete:a,b'. It was in 'released' when it was told 'acquire'. Check that all nodes name the same nodes and run the same version; otherwise report this to the author of Ricart–Agrawala.",
    ]);
    expect((await refusal(a.acquire())).code).toBe('closed');
    await a[Symbol.asyncDispose]();
  });
});

describe('lock on a part', () => {
  const two = (first: object, second: object) => {
    const network = memoryNetwork(['a', 'b']);
    const [a, b] = Object.entries({ a: first, b: second }).map(([self, interval]) =>
      lock(intervalReservation(), {
        self,
        peers: ['a', 'b'],
        transport: network.transport(self),
        claim: { interval: { ...interval } },
      }),
    );
    if (!a || !b) throw new Error('unreachable: two were made');
    return [a, b] as const;
  };

  it('can be held at the same time as another part, but not as one that overlaps it', async () => {
    const [morning, noon] = two({ from: 9, to: 12 }, { from: 12, to: 13 });
    const both = [await morning.acquire(), await noon.acquire()];
    expect(both).toHaveLength(2);
    const [long, late] = two({ from: 9, to: 12 }, { from: 11, to: 13 });
    const held = await long.acquire();
    expect((await refusal(late.acquire({ waitFor: 20 }))).code).toBe('timed-out');
    held.release();
    await late.run(() => {});
    for (const lock of [morning, noon, long, late]) await lock.close();
  });
});

const onlyRole = (protocol: Protocol) => {
  const [role] = Object.values(protocol.roles);
  if (!role) throw new Error('unreachable: a protocol has a role');
  return role;
};

describe('lock refuses', () => {
  it('a protocol that solves another problem', () => {
    const transport = memoryNetwork(['a', 'b']).transport('a');
    const attempt = () => lock(lelannChangRoberts, { self: 'a', peers: ['b'], transport });
    expect(attempt).toThrow(
      /solves 'election'; a lock needs a protocol for 'mutual-exclusion' or 'local-exclusion'. Try ricartAgrawala or raymond\(\)\.$/,
    );
  });

  it('a function that makes a protocol, and misspelt options', () => {
    const transport = memoryNetwork(['a', 'b']).transport('a');
    const loose = lock as (protocol: unknown, options: unknown) => Lock;
    expect(() => loose(naimiTrehel, { self: 'a', peers: ['b'], transport })).toThrow(
      'lock: protocol is the function naimiTrehel. Give a protocol: call it, as in naimiTrehel(…).',
    );
    expect(() => loose(ricartAgrawala, { self: 'a', peer: ['b'], transport })).toThrow(
      "lock: there is no option 'peer'. Did you mean 'peers'? It knows self, transport, storage, incarnation, epoch, topology, nodes, peers, clients, reportWaitAfter, clock, choose, onError, journal, confirm, inspect, claim, detector, leaveWithin, name, logger, telemetry, reentrant, voters, tolerate.",
    );
    expect(() =>
      loose(ricartAgrawala, { self: 'a', peers: ['b'], transport, claim: 'all' }),
    ).toThrow("lock: claim is 'all'. Give an object");
  });

  it('a claim with missing or extra fields', () => {
    const transport = memoryNetwork(['a', 'b']).transport('a');
    expect(() => lock(intervalReservation(), { self: 'a', peers: ['b'], transport })).toThrow(
      'The claim has (), but acquire of Interval reservation takes (interval). Give claim exactly these fields.',
    );
    expect(() =>
      lock(ricartAgrawala, { self: 'a', peers: ['b'], transport, claim: { seat: 3 } }),
    ).toThrow('The claim has (seat), but');
  });

  it('a network on which its protocol cannot run', () => {
    const topology = tree(2, 3);
    const transport = memoryNetwork(topology).transport(topology.nodes[0] ?? '');
    expect(() => lock(ricartAgrawala, { self: transport.self, topology, transport })).toThrow(
      'needs a complete network',
    );
  });
});
