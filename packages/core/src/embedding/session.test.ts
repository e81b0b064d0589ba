import { describe, expect, it } from 'vitest';
import type { ConclaveError } from '../base/error.js';
import type { Json, NodeId } from '../protocol/node.js';
import { handStepped } from './memory.js';
import { Processes } from './processes.contract.js';
import { Session } from './session.js';
import { nextIncarnation } from './terms.js';
import type { Guarantees } from './transport.js';

const terms = { protocol: 'ball' };

/** Sessions on one medium. */
class Bench {
  readonly medium: Processes;
  readonly errors: string[] = [];
  #time = 1000;

  constructor(
    private readonly nodes: readonly NodeId[],
    guarantees: Partial<Guarantees> = {},
  ) {
    this.medium = new Processes(guarantees);
  }

  start(self: NodeId, given: { readonly [name: string]: Json } = terms) {
    const incarnation = this.#time++;
    const process = this.medium.start(self);
    const made = new Session(process.transport, { nodes: this.nodes, terms: given, incarnation });
    const name = `${self}${incarnation - 1000}`;
    const received: string[] = [];
    let state = 'joining';
    made.errors$?.subscribe(({ message }) => this.errors.push(message));
    made.received$.subscribe(({ from, message }) =>
      received.push(`${from}: ${JSON.stringify(message)}`),
    );
    made.admitted.then(
      () => (state = 'admitted'),
      ({ message }: ConclaveError) => {
        state = 'refused';
        this.errors.push(message);
      },
    );
    made.status$?.subscribe((status) => {
      if (status.state === 'closed' && state === 'admitted') state = 'closed';
    });
    return { ...process, name, made, received, state: () => state, incarnation };
  }

  quiet() {
    return this.medium.quiet();
  }
}

const states = (...nodes: readonly { readonly state: () => string }[]) =>
  nodes.map(({ state }) => state());

describe('a session', () => {
  it('starts when all nodes are there, and carries messages', async () => {
    const bench = new Bench(['a', 'b', 'c']);
    const a = bench.start('a');
    const b = bench.start('b');
    await bench.quiet();
    expect(states(a, b)).toEqual(['joining', 'joining']);
    expect(a.made.awaited).toEqual(['c']);
    expect(() => a.made.send('b', { type: 'early' })).toThrow(
      'Node a is not admitted yet: it waits for c',
    );
    const c = bench.start('c');
    await Promise.all([a, b, c].map(({ made }) => made.admitted));
    expect(a.made.awaited).toEqual([]);
    a.made.send('c', { type: 'ball' });
    await bench.quiet();
    expect(c.received).toEqual(['a: {"type":"ball"}']);
    expect(a.made.guarantees).toEqual({
      order: 'fifo',
      loss: false,
      duplication: false,
      restarts: false,
    });
    expect(bench.errors).toEqual([]);
  });

  it.each([2, 3, 5, 8])('costs about 4n(n−1) messages where %d nodes start together', async (n) => {
    const bench = new Bench(Array.from({ length: n }, (_, i) => `n${i}`));
    const all = Array.from({ length: n }, (_, i) => bench.start(`n${i}`));
    await Promise.all(all.map(({ made }) => made.admitted));
    await bench.quiet();
    expect(bench.medium.sent).toBeLessThanOrEqual(4 * n * (n - 1));
  });

  it('admits a node that is alone at once', async () => {
    const bench = new Bench(['a']);
    await bench.start('a').made.admitted;
  });
});

describe('a node that comes back', () => {
  it('is refused while another one remembers it, with an error on both sides', async () => {
    const bench = new Bench(['a', 'b', 'c']);
    const [a, b, c] = [bench.start('a'), bench.start('b'), bench.start('c')];
    await bench.quiet();
    a.kill();
    const again = bench.start('a');
    await bench.quiet();
    expect(states(again, b, c)).toEqual(['refused', 'admitted', 'admitted']);
    const why =
      'it has started with incarnation 1000, and the protocol does not tolerate a restart';
    expect(bench.errors.sort()).toEqual([
      expect.stringContaining(`Incarnation 1003 of node a is refused by b: ${why}`),
      expect.stringContaining(`Node b refuses incarnation 1003 of a: ${why}`),
      expect.stringContaining(`Node c refuses incarnation 1003 of a: ${why}`),
    ]);
    expect(() => again.made.send('b', { type: 'ball' })).toThrow('Node a takes part no longer');
  });

  it('is not admitted while the one that would refuse it is paused', async () => {
    const bench = new Bench(['a', 'b', 'c']);
    const [a, b, c] = [bench.start('a'), bench.start('b'), bench.start('c')];
    await bench.quiet();
    c.pause();
    a.kill();
    b.kill();
    const again = [bench.start('a'), bench.start('b')];
    await bench.quiet();
    expect(states(...again)).toEqual(['joining', 'joining']);
    c.wake();
    await bench.quiet();
    expect(states(...again, c)).toEqual(['refused', 'refused', 'admitted']);
  });

  it('is admitted after a complete restart, and hears nothing of the time before', async () => {
    const bench = new Bench(['a', 'b']);
    const [a, b] = [bench.start('a'), bench.start('b')];
    await bench.quiet();
    a.made.send('b', { type: 'late' });
    b.kill();
    const newB = bench.start('b'); // the message is for the b before
    await bench.quiet();
    a.kill();
    newB.kill();
    const again = [bench.start('a'), bench.start('b')];
    await bench.quiet();
    expect(states(...again)).toEqual(['admitted', 'admitted']);
    expect([newB, ...again].map(({ received }) => received)).toEqual([[], [], []]);
  });

  it('is told that it was replaced when it was only paused, as soon as it sends', async () => {
    const bench = new Bench(['a', 'b']);
    const [a, b] = [bench.start('a'), bench.start('b')];
    await bench.quiet();
    a.pause();
    b.kill();
    const [newA, newB] = [bench.start('a'), bench.start('b')];
    await bench.quiet();
    expect(states(newA, newB)).toEqual(['admitted', 'admitted']);
    a.made.send('b', { type: 'ball' });
    await bench.quiet();
    a.wake();
    await bench.quiet();
    expect(states(a, newA, newB)).toEqual(['closed', 'admitted', 'admitted']);
    expect(newB.received).toEqual([]);
    expect(newB.made.dropped).toBe(1);
    expect(bench.errors).toEqual([
      // when it wakes, it still knows the b before
      expect.stringContaining('Node a refuses incarnation 1003 of b'),
      expect.stringContaining(
        'Incarnation 1000 of node a is refused by b: incarnation 1002 has replaced it. Run one process for each node.',
      ),
    ]);
  });
});

describe('nodes with different terms', () => {
  it('refuse each other, and say what differs', async () => {
    const bench = new Bench(['a', 'b']);
    const a = bench.start('a');
    const b = bench.start('b', { protocol: 'bell', more: { y: 1, x: 2 } });
    await bench.quiet();
    expect(states(a, b)).not.toContain('admitted');
    expect(bench.errors).toContainEqual(
      expect.stringContaining(
        `Node a refuses incarnation 1001 of b: its 'protocol' is "ball" at a and "bell" at b.`,
      ),
    );
    expect(bench.errors).toContainEqual(
      expect.stringContaining(
        `Node b is refused by a: its 'protocol' is "bell" at b and "ball" at a.`,
      ),
    );
  });

  it('do not depend on the order of keys', async () => {
    const bench = new Bench(['a', 'b']);
    const a = bench.start('a', { options: { x: 1, y: [1, 2] } });
    const b = bench.start('b', { options: { y: [1, 2], x: 1 } });
    await bench.quiet();
    expect(states(a, b)).toEqual(['admitted', 'admitted']);
  });
});

it('over a transport with loss repeats its hello until it is answered, ever more rarely', async () => {
  const network = handStepped(['a', 'b'], {
    order: 'any',
    loss: true,
    duplication: true,
    restarts: true,
  });
  const waits: number[] = [];
  const clockOf = (id: NodeId) => {
    const clock = network.clock(id);
    const setTimeout = (fire: () => void, delay: number, timer?: string) => {
      if (timer === 'wait') return clock.setTimeout(fire, delay, timer);
      if (id === 'a') waits.push(delay);
      return clock.setTimeout(fire, delay, 'hello');
    };
    return { ...clock, setTimeout };
  };
  const join = (id: NodeId): Session =>
    new Session(network.transport(id), {
      nodes: ['a', 'b'],
      terms,
      incarnation: nextIncarnation(id),
      clock: clockOf(id),
      helloAfter: 300,
    });
  const a = join('a');
  for (let time = 0; time < 4; time++) {
    network.drop('a', 'b');
    network.fire('a', 'hello');
  }
  expect(waits).toEqual([300, 600, 1200, 2000, 2000]);
  const b = join('b');
  for (let [next] = network.inFlight; next; [next] = network.inFlight) {
    network.duplicate(next.from, next.to);
    network.deliver(next.from, next.to);
    network.deliver(next.from, next.to);
  }
  await Promise.all([a.admitted, b.admitted]);
  expect([network.timers('a'), network.timers('b')]).toEqual([[], []]);
});

describe('a session that is closed', () => {
  it('before it is admitted, rejects', async () => {
    const { made } = new Bench(['a', 'b']).start('a');
    await made.close();
    await expect(made.admitted).rejects.toMatchObject({ code: 'closed' });
  });

  it('completes what it emits', async () => {
    const bench = new Bench(['a', 'b']);
    const [a] = [bench.start('a'), bench.start('b')];
    await bench.quiet();
    let completed = 0;
    a.made.received$.subscribe({ complete: () => completed++ });
    a.made.status$?.subscribe({ complete: () => completed++ });
    await a.made.close();
    expect(completed).toBe(2);
    await a.made.close();
  });
});

it('what is no message of a session is reported, and changes nothing', async () => {
  const bench = new Bench(['a', 'b']);
  const a = bench.start('a');
  const stranger = bench.medium.start('b');
  const known = { b: 3 };
  const rubbish: unknown[] = [
    { type: 'ball' },
    { type: 'hello', incarnation: 3, known },
    { type: 'hello', incarnation: -3, known, terms },
    { type: 'hello', incarnation: 3, known: { b: '3' }, terms },
    { type: 'hello', incarnation: 3, known: null, terms },
    { type: 'welcome', incarnation: '3', known },
    { type: 'refusal', incarnation: 3, addressed: 1000, reason: 'none', known, terms },
    { type: 'payload', incarnation: 3, addressed: 1000, message: 7 },
  ];
  for (const message of [...rubbish, ...rubbish.slice(0, 2)])
    stranger.transport.send('a', message as { type: string });
  await bench.quiet();
  expect(a.state()).toBe('joining');
  const got = 'Node a got from b what is no message of a session';
  const cure = 'Run the same version at all nodes.';
  expect(bench.errors).toEqual([`${got}. ${cure}`, `${got} (the 10th of its kind). ${cure}`]);
  stranger.kill();
  const b = bench.start('b');
  await bench.quiet();
  expect(states(a, b)).toEqual(['admitted', 'admitted']);
});

it('is the milliseconds of the start, and more at each further start in this process', () => {
  const before = Date.now();
  const [one, other] = [nextIncarnation('a'), nextIncarnation('a')];
  expect(one).toBeGreaterThanOrEqual(before);
  expect(other).toBeGreaterThan(one);
});
