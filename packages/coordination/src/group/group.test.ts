import { setTimeout as sleep } from 'node:timers/promises';
import { membership } from '@conclave/algorithms/membership';
import type { ConclaveError, Json } from '@conclave/core/protocol';
import { describe, expect, it } from 'vitest';
import { refusal } from '../election/elections.contract.js';
import { type Delivery, group } from './group.js';
import { closeAll, membersOf, settle, three } from './groups.contract.js';

describe('a group', () => {
  it('delivers the same messages in the same order at all members; a multicast waits for its own delivery', async () => {
    const { on, delivered } = three();
    const [a, b, c] = [on('a'), on('b'), on('c')];
    const own = await Promise.all([
      b.multicast('x'),
      a.multicast('y'),
      c.multicast('z'),
      b.multicast('w'),
    ]);
    expect(own).toEqual([
      { from: 'b', sequence: 1, data: 'x', view: 1 },
      { from: 'a', sequence: 1, data: 'y', view: 1 },
      { from: 'c', sequence: 1, data: 'z', view: 1 },
      { from: 'b', sequence: 2, data: 'w', view: 1 },
    ]);
    await settle();
    expect(delivered.a).toHaveLength(4);
    expect([delivered.b, delivered.c]).toEqual([delivered.a, delivered.a]);
    expect([a, b, c].map(membersOf)).toEqual(['abc', 'abc', 'abc']);
    await closeAll(a, b, c);
  });

  it('is read by for await; a slow reader misses nothing; it ends when the group is closed and all is read', async () => {
    const { on } = three({}, ['a']);
    const a = on('a');
    const reader = a[Symbol.asyncIterator]();
    const first = reader.next();
    for (const data of ['x', 'y', 'z']) await a.multicast(data);
    await a.close();
    expect((await first).value).toMatchObject({ data: 'x' });
    const rest: unknown[] = [];
    for (let next = await reader.next(); !next.done; next = await reader.next())
      rest.push(next.value.data);
    expect(rest).toEqual(['y', 'z']);
  });

  it('can be read until a signal aborts', async () => {
    const { on } = three({}, ['a']);
    const a = on('a');
    const controller = new AbortController();
    const seen: Json[] = [];
    const reading = (async () => {
      for await (const { data } of a.deliveries({ signal: controller.signal })) seen.push(data);
    })();
    await a.multicast('x');
    await settle();
    controller.abort();
    await reading;
    await a.multicast('y');
    for await (const { data } of a.deliveries({ signal: AbortSignal.abort() })) seen.push(data);
    expect(seen).toEqual(['x']);
    await a.close();
  });

  it('is joined once its transport admits the node', async () => {
    const protocol = membership({ founders: 1 });
    const { network, on } = three({}, ['a', 'b'], 1, protocol);
    const [a, admitted] = [on('a'), sleep(20)];
    const transport = { ...network.transport('b'), admitted };
    const b = group(protocol, { self: 'b', peers: ['a'], transport });
    await admitted;
    await settle();
    expect([a, b].map(membersOf)).toEqual(['ab', 'ab']);
    await Promise.all([a.close(), b.close()]);
  });

  it('refuses data that is not plain, and goes on', async () => {
    const { on, delivered } = three({}, ['a']);
    const a = on('a');
    const loose = a.multicast.bind(a) as (data: unknown) => Promise<Delivery>;
    expect(await refusal(loose({ at: new Date(0) }))).toMatchObject({
      code: 'bad-input',
      message:
        "Node a got the command 'multicast' whose data.at (an instance of Date) is not plain data",
    });
    expect(await a.multicast('x')).toMatchObject({ sequence: 1 });
    expect(delivered.a).toEqual(['a1 x']);
    await a.close();
  });

  it('has the next view where a member is closed without leaving', async () => {
    const { on, delivered } = three();
    const [a, b, c] = [on('a'), on('b'), on('c')];
    const views: string[] = [];
    b.views$.subscribe({
      next: (view) => views.push(`${view?.number} ${membersOf(b)}`),
      complete: () => views.push('over'),
    });
    await c.multicast('x');
    await c.close();
    await settle();
    expect(await c.ended).toBe('closed');
    expect(await b.multicast('y')).toMatchObject({ view: 2 });
    await settle();
    expect([a, b, c].map(membersOf)).toEqual(['ab', 'ab', 'none']);
    expect(delivered.a).toEqual(['c1 x', 'b1 y']);
    await closeAll(a, b);
    expect(views).toEqual(['undefined none', '1 abc', '2 ab', 'undefined none', 'over']);
  });

  it('goes on where the sequencer is closed while messages are on their way', async () => {
    const { on, delivered } = three();
    const [a, b, c] = [on('a'), on('b'), on('c')];
    await settle();
    const waits = [b.multicast('x'), c.multicast('y')];
    await a.close();
    await Promise.all(waits);
    await settle();
    expect(delivered.b?.toSorted()).toEqual(['b1 x', 'c1 y']);
    expect(delivered.c).toEqual(delivered.b);
    await closeAll(b, c);
  });
});

describe('a member that leaves', () => {
  it('has its messages delivered first; then it takes no more, and the others have the next view', async () => {
    const { on, delivered } = three();
    const [a, b, c] = [on('a'), on('b'), on('c')];
    const last = c.multicast('x');
    const leaving = c.leave();
    expect(await refusal(c.multicast('y'))).toMatchObject({
      code: 'closed',
      message: 'Node c is leaving the group',
    });
    await Promise.all([last, leaving, c.leave()]);
    expect(await c.ended).toBe('left');
    await settle();
    expect([a, b, c].map(membersOf)).toEqual(['ab', 'ab', 'none']);
    expect([delivered.a, delivered.b]).toEqual([['c1 x'], ['c1 x']]);
    expect(await refusal(c.multicast('z'))).toMatchObject({
      code: 'closed',
      message: 'Node c has left the group',
    });
    expect((await refusal(c.leave())).code).toBe('closed');
    await closeAll(a, b, c);
    expect(await c.ended).toBe('left');
  });

  it('goes on to leave after a wait that ended early', async () => {
    const { on } = three();
    const [a, b] = [on('a'), on('b')]; // c has not started: nothing can change
    await settle();
    expect(await refusal(b.leave({ waitFor: 1 }))).toMatchObject({
      code: 'timed-out',
      message: expect.stringContaining('Node b has not left the group within 1 ms'),
    });
    const controller = new AbortController();
    const wait = refusal(b.leave({ signal: controller.signal }));
    controller.abort('changed my mind');
    expect(await wait).toMatchObject({
      code: 'aborted',
      cause: 'changed my mind',
      message: expect.stringContaining('Node b stopped waiting to leave'),
    });
    const c = on('c');
    expect(await b.ended).toBe('left');
    await closeAll(a, c);
  });
});

describe('a newcomer', () => {
  it('gets the state of the application, then each later message; what it sends before it is a member waits', async () => {
    const { on } = three({}, ['a', 'b'], 1, membership({ founders: 1, stateTransfer: true }));
    /** A member with a sum of all numbers delivered. */
    const adding = (id: string) => {
      const sum = { of: 0 };
      const set = (state: Json) => {
        sum.of = Number(state);
      };
      const member = on(id, { state: { get: () => sum.of, set } });
      member.deliveries$.subscribe(({ data }) => {
        sum.of += Number(data);
      });
      return [member, sum] as const;
    };
    const [a, sumAtA] = adding('a');
    await a.multicast(5);
    const [b, sumAtB] = adding('b');
    expect(b.view).toBeUndefined();
    expect(await b.multicast(2)).toEqual({ from: 'b', sequence: 1, data: 2, view: 2 });
    await settle();
    expect([sumAtA.of, sumAtB.of]).toEqual([7, 7]);
    expect([a, b].map(membersOf)).toEqual(['ab', 'ab']);
    await closeAll(a, b);
  });

  it('is also a node that starts again with its stable fields', async () => {
    const { on, delivered } = three({}, ['a', 'b']);
    const [a, b] = [on('a'), on('b')];
    await b.multicast('x');
    const { stable } = b;
    await b.close();
    await settle();
    expect(membersOf(a)).toBe('a');
    const again = on('b', { stable });
    expect(await again.multicast('y')).toMatchObject({ sequence: 2, view: 3 });
    await settle();
    expect([membersOf(a), delivered.a]).toEqual(['ab', ['b1 x', 'b2 y']]);
    await closeAll(a, again);
  });
});

describe('a member that fails', () => {
  it('is closed if its application fails to hand over its state, or to take it over', async () => {
    const protocol = membership({ founders: 1, stateTransfer: true });
    const fails = () => {
      throw new Error('no idea');
    };
    for (const [failing, text] of [
      ['a', 'The group of node a is closed, for state.get failed: no idea'],
      ['b', 'The group of node b is closed, for state.set failed: no idea'],
    ] as const) {
      const { on } = three({}, ['a', 'b'], 1, protocol);
      const errors: string[] = [];
      const onError = ({ message }: ConclaveError) => errors.push(message);
      const of = (id: string) => ({
        onError,
        state: { get: id === failing ? fails : () => 1, set: id === failing ? fails : () => {} },
      });
      const [a, b] = [on('a', of('a')), on('b', of('b'))];
      expect(await (failing === 'a' ? a : b).ended).toBe('closed');
      expect(errors).toEqual([text]);
      await closeAll(a, b);
    }
  });

  it('is closed if its machine fails; the error is reported', async () => {
    const joining = membership({ founders: 1 });
    const [role] = Object.values(joining.roles);
    if (!role) throw new Error('unreachable: it has one');
    const input: typeof role.input = (...of) => ({
      ...Object(role.input(...of)),
      peers: ['nowhere'],
    });
    const astray = { ...joining, roles: { node: { ...role, input } } };
    const errors: string[] = [];
    const { on } = three({ onError: ({ message }) => errors.push(message) }, ['a', 'b'], 1, astray);
    const b = on('b');
    expect(await b.ended).toBe('closed');
    expect(errors).toEqual([
      expect.stringContaining('The group is closed, for its protocol Group membership failed'),
    ]);
    expect((await refusal(b.multicast('x'))).code).toBe('closed');
  });
});

describe('a wait for an own message that ends without it', () => {
  /** A node that is no member, since no member has started. */
  const outside = () => {
    const { on, delivered } = three({}, ['a', 'b'], 1);
    return { b: on('b'), on, delivered };
  };

  it('by its signal: a message whose turn has not come is not sent', async () => {
    const { b, on, delivered } = outside();
    const controller = new AbortController();
    const wait = refusal(b.multicast('x', { signal: controller.signal }));
    const kept = b.multicast('y');
    controller.abort('changed my mind');
    expect(await wait).toMatchObject({
      code: 'aborted',
      message: 'Node b stopped waiting for its own message: its signal was aborted',
      cause: 'changed my mind',
    });
    const a = on('a');
    expect(await kept).toMatchObject({ data: 'y', sequence: 1 });
    expect(delivered.b).toEqual(['b1 y']);
    await closeAll(a, b);
  });

  it('by its signal: a message that was sent is delivered', async () => {
    const { on, delivered } = three();
    const [a, b, c] = [on('a'), on('b'), on('c')];
    await settle();
    const controller = new AbortController();
    const wait = refusal(b.multicast('x', { signal: controller.signal }));
    const next = b.multicast('y');
    controller.abort();
    expect((await wait).code).toBe('aborted');
    expect(await next).toMatchObject({ data: 'y', sequence: 2 });
    expect(delivered.b).toEqual(['b1 x', 'b2 y']);
    await closeAll(a, b, c);
  });

  it('by its timeout', async () => {
    const { b } = outside();
    expect(await refusal(b.multicast('x', { waitFor: 1 }))).toMatchObject({
      code: 'timed-out',
      message:
        'Node b has not delivered its own message within 1 ms. Wait longer, or check that all members are up.',
    });
    expect((await refusal(b.multicast('x', { waitFor: -1 }))).message).toContain(
      'multicast: waitFor is -1.',
    );
    await b.close();
  });

  it('by the close of the group', async () => {
    const { b } = outside();
    const waits = [refusal(b.multicast('x')), refusal(b.leave())];
    await b[Symbol.asyncDispose]();
    for (const wait of waits)
      expect(await wait).toMatchObject({
        code: 'closed',
        message: 'The group of node b is closed',
      });
    expect((await refusal(b.multicast('y'))).code).toBe('closed');
    expect([b.view, await b.ended]).toEqual([undefined, 'closed']);
  });
});
