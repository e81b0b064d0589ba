/** Locks by name whose peers may come back as new processes: one session for all names. */
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryNetwork, memoryStorage, type Transport } from '@conclave/core/embedding';
import type { ConclaveError } from '@conclave/core/protocol';
import { describe, expect, it } from 'vitest';
import { lock, locks } from './lock-choice.js';
import type { LocksOptions } from './locks-types.js';

/** A network on which a node may come back; `kill` ends one without a word. */
function restartable(ids: readonly string[]) {
  const network = memoryNetwork(ids);
  const errors: string[] = [];
  const transport = (self: string): Transport => {
    const made = network.transport(self);
    return { ...made, guarantees: { ...made.guarantees, restarts: true } };
  };
  const onError = (self: string) => (error: ConclaveError) => errors.push(`${self} ${error.code}`);
  const open = (self: string, options: Partial<LocksOptions> = {}) =>
    locks({
      tolerate: 'none',
      self,
      peers: ids,
      transport: transport(self),
      leaveWithin: 20,
      onError: onError(self),
      ...options,
    } as LocksOptions);
  return { open, errors, transport, onError };
}

describe('locks over a transport whose peers may come back', () => {
  it('wait until all nodes are there, and take a message for a name only then', async () => {
    const { open, errors } = restartable(['a', 'b']);
    const a = open('a');
    const waiting = a.open('x').acquire();
    let entered = false;
    void waiting.then(() => (entered = true));
    await sleep(5);
    expect(entered).toBe(false);
    const b = open('b');
    (await waiting).release();
    expect(await b.open('x').run(({ fencingToken }) => fencingToken)).toBe(2);
    for (const each of [a, b]) await each.close();
    expect(errors).toEqual([]);
  });

  it('refuse a node that comes back, on both sides, and the others keep what they have', async () => {
    const { open, errors } = restartable(['a', 'b', 'c']);
    const [a, b, c] = ['a', 'b', 'c'].map((self) => open(self));
    await a?.open('x').run(() => {});
    const held = await b?.open('y').acquire();
    await c?.close(); // as far as the others know, a crash
    const again = open('c');
    const waiting = again.open('x').acquire();
    await expect(waiting).rejects.toMatchObject({ code: 'refused' });
    expect(() => again.open('z')).toThrow('of node c is refused by');
    expect(held?.signal.aborted).toBe(false);
    expect(errors.filter((error) => error === 'c refused')).toHaveLength(1);
    expect(
      errors.filter((error) => error !== 'c refused').map((error) => error.slice(2)),
    ).toContain('refused');
    for (const each of [a, b, again]) await each?.close();
  });

  it('say so also where no name was opened; a single lock says it as well', async () => {
    const { open, errors, transport, onError } = restartable(['a', 'b']);
    const [a, b] = ['a', 'b'].map((self) => open(self));
    await a?.open('x').run(() => {});
    await b?.close();
    const again = open('b');
    while (!errors.includes('b refused')) await sleep(1);
    expect(() => again.open('x')).toThrow('of node b is refused by');
    await again.close();
    await a?.close();
    const single = (self: string) =>
      lock({
        tolerate: 'none',
        self,
        peers: ['a', 'b'],
        transport: transport(self),
        onError: onError(self),
      });
    const [first, second] = ['a', 'b'].map(single);
    await second?.run(() => {});
    await second?.close();
    const third = single('b');
    await expect(third.acquire()).rejects.toMatchObject({ code: 'refused' });
    await expect(third.acquire()).rejects.toMatchObject({ code: 'refused' });
    expect(third.metrics.refused).toBe(2);
    await first?.close();
  });
});

it('the storage of locks is one for each name, and so is the journal', async () => {
  const [stored, written]: [string[], Map<string, number>] = [[], new Map()];
  const transport = memoryNetwork(['a']).transport('a');
  const a = locks({
    ...{ tolerate: 'none', self: 'a', peers: [], transport },
    storage: (name) => {
      stored.push(name);
      return memoryStorage();
    },
    journal: (name) => ({
      append: () => written.set(name, (written.get(name) ?? 0) + 1),
      close: async () => {},
    }),
  });
  for (const name of ['x', 'y']) await a.open(name).run(() => {});
  expect(stored).toEqual(['x', 'y']);
  expect([...written.keys()]).toEqual(['x', 'y']);
  await a.close();
});
