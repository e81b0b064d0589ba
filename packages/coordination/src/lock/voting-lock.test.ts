/** Voters that change while the lock is used, over a network within this process. */
import { setImmediate as turn } from 'node:timers/promises';
import { ricartAgrawala } from '@conclave/algorithms/ricart-agrawala';
import { memoryNetwork, memoryStorage, type StableStorage } from '@conclave/core/embedding';
import { describe, expect, it } from 'vitest';
import { lock } from './lock-choice.js';
import type { Lock } from './lock-types.js';

const all = ['a', 'b', 'c', 'd', 'e'];
const voters = ['a', 'b', 'c'];

/** Five nodes, of which three vote. */
function five(storages: Readonly<Record<string, StableStorage>> = {}) {
  const network = memoryNetwork(all);
  const make = (self: string) =>
    lock({
      tolerate: 'crash',
      self,
      nodes: all,
      voters,
      transport: network.transport(self),
      ...(storages[self] && { storage: storages[self] }),
    });
  const [a, b, c, d, e] = all.map((self) => make(self));
  if (!a || !b || !c || !d || !e) throw new Error('unreachable: five were made');
  return { a, b, c, d, e, locks: [a, b, c, d, e] };
}

const closeAll = (locks: readonly Lock[]) => Promise.all(locks.map((one) => one.close()));

describe('a lock with voters', () => {
  it('adds, replaces and removes voters; the tokens grow, and all who ask learn of it', async () => {
    const { a, b, d, e, locks } = five();
    const tokens: (number | undefined)[] = [];
    const enter = (one: Lock) => one.run(({ fencingToken }) => tokens.push(fencingToken));
    expect(locks.map((one) => one.voters)).toEqual(all.map(() => voters));
    await enter(e);
    expect(await a.changeVoters({ add: ['d'] })).toEqual(['a', 'b', 'c', 'd']);
    await enter(d);
    expect(await e.changeVoters({ add: ['e'], remove: ['a', 'c'] })).toEqual(['b', 'd', 'e']);
    await enter(a);
    expect(await b.changeVoters({ remove: ['b'] })).toEqual(['d', 'e']);
    for (const one of locks) await enter(one);
    expect(locks.map((one) => one.voters)).toEqual(all.map(() => ['d', 'e']));
    expect(tokens).toEqual([...tokens].sort((one, other) => Number(one) - Number(other)));
    expect(new Set(tokens).size).toBe(tokens.length);
    await closeAll(locks);
  });

  it('takes what several nodes propose at once one after the other', async () => {
    const { a, d, e, locks } = five();
    const found = await Promise.all([
      a.changeVoters({ remove: ['a'], add: ['d'] }),
      d.changeVoters({ add: ['e'] }),
      e.changeVoters({ add: ['e', 'd'] }),
    ]);
    expect(found[0]).toEqual(expect.arrayContaining(['d']));
    expect(found[0]).not.toContain('a');
    expect(found[1]).toContain('e');
    expect(found[2]).toEqual(expect.arrayContaining(['d', 'e']));
    await e.run(() => {});
    expect([...(e.voters ?? [])].sort()).toEqual(['b', 'c', 'd', 'e']);
    await closeAll(locks);
  });

  it('goes on without the voters that were removed', async () => {
    const { a, b, c, d, locks } = five();
    await d.changeVoters({ add: ['d'], remove: ['a'] });
    await d.changeVoters({ remove: ['b'] });
    await a.close();
    await b.close();
    await d.run(() => {});
    await c.run(() => {});
    expect(c.voters).toEqual(['c', 'd']);
    await closeAll(locks);
  });

  it('remembers the voters on its storage', async () => {
    const storages = Object.fromEntries(all.map((id) => [id, memoryStorage()]));
    const first = five(storages);
    await first.a.changeVoters({ add: ['d'], remove: ['c'] });
    await closeAll(first.locks);
    const second = five(storages);
    expect(second.a.voters).toEqual(['a', 'b', 'd']);
    await second.c.run(() => {});
    expect(second.c.voters).toEqual(['a', 'b', 'd']);
    await closeAll(second.locks);
  });

  it('says why it cannot change them', async () => {
    const { a, locks } = five();
    const refused = async (one: Lock, ...given: Parameters<Lock['changeVoters']>) =>
      one.changeVoters(...given).then(
        () => 'changed',
        (error: Error) => error.message,
      );
    expect(await refused(a, { add: ['f'] })).toMatch('f is none of the nodes a, b, c, d, e');
    expect(await refused(a, { add: ['d'], remove: ['d'] })).toMatch('d is to be added and removed');
    expect(await refused(a, { remove: voters })).toMatch('no voter would be left');
    expect(await refused(a, { add: 5 } as never)).toMatch('changeVoters: add is 5');
    expect(await refused(a, { add: ['c'] })).toBe('changed'); // it is one
    const network = memoryNetwork(['a', 'b']);
    const plain = lock(ricartAgrawala, {
      self: 'a',
      peers: ['b'],
      transport: network.transport('a'),
    });
    expect(plain.voters).toBeUndefined();
    expect(await refused(plain, { add: ['b'] })).toMatch('without voters');
    expect(() =>
      lock(ricartAgrawala, {
        self: 'b',
        peers: ['a'],
        transport: network.transport('b'),
        voters: ['a'],
      }),
    ).toThrow('The lock is given voters');
    await closeAll([...locks, plain]);
    expect(await refused(a, { add: ['d'] })).toMatch('closed');
  });

  it('gives up where majorities do not answer; the next holder completes what was accepted', async () => {
    const { a, b, d, e, locks } = five();
    await d.close();
    await e.close();
    await turn();
    const late = await a
      .changeVoters({ add: ['d', 'e'], remove: ['b', 'c'] }, { waitFor: 50 })
      .catch((error: Error) => error);
    expect(late).toMatchObject({ code: 'timed-out' });
    await b.run(() => {}); // voters d and e were never asked to accept it
    expect(b.voters).toEqual(voters);
    await closeAll(locks);
  });
});
