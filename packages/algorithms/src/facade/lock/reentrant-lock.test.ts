import { memoryNetwork } from '@conclave/core/embedding';
import { describe, expect, it, vi } from 'vitest';
import { naimiTrehel } from '../../mutual-exclusion/token/naimi-trehel/protocol.js';
import { lock } from './lock.js';
import { lock as chosenLock } from './lock-choice.js';
import type { Lock } from './lock-types.js';

const peers = ['a', 'b'];

function pair(): readonly [Lock, Lock] {
  const network = memoryNetwork(peers);
  const [a, b] = peers.map((self) =>
    lock(naimiTrehel(), { self, peers, transport: network.transport(self), reentrant: true }),
  );
  if (!a || !b) throw new Error('unreachable: two were made');
  return [a, b];
}

/** Whether the node gets the lock, which it gives back. */
const isFree = async (one: Lock) => {
  const held = await one.tryAcquire({ waitFor: 50 });
  held?.release();
  return held !== undefined;
};

describe('a reentrant lock', () => {
  it('is entered again within run, by what it calls, however deep, with one token', async () => {
    const [a, b] = pair();
    const tokens: (number | undefined)[] = [];
    await a.run(async ({ fencingToken }) => {
      tokens.push(fencingToken);
      await new Promise((resolve) => setTimeout(resolve, 1));
      await a.run(async (inner) => {
        tokens.push(inner.fencingToken);
        const held = await a.acquire();
        tokens.push(held.fencingToken, (await a.tryAcquire())?.fencingToken);
        expect(held.remaining).toBe(Infinity);
        held.release();
        held.release();
        expect(held.remaining).toBe(0);
        expect(inner.remaining).toBe(Infinity);
      });
      expect(await isFree(b)).toBe(false);
    });
    expect(new Set(tokens).size).toBe(1);
    expect(tokens).toHaveLength(4);
    expect(a.metrics.acquired).toBe(1);
    await Promise.all([a.close(), b.close()]);
  });

  it('is given back when the outermost run and each entry within it have ended', async () => {
    const [a, b] = pair();
    const left = await a.run(() => a.acquire());
    expect(await isFree(b)).toBe(false);
    left.release();
    expect(await isFree(b)).toBe(true);
    await Promise.all([a.close(), b.close()]);
  });

  it('gives it back when an inner run throws, and the outer one, too', async () => {
    const [a, b] = pair();
    const failing = a.run(() => a.run(() => Promise.reject(new Error('inner'))));
    await expect(failing).rejects.toThrow('inner');
    expect(await isFree(b)).toBe(true);
    await Promise.all([a.close(), b.close()]);
  });

  it('lets calls that do not come from run wait', async () => {
    const [a, b] = pair();
    const order: string[] = [];
    let leave = () => {};
    const outer = a.run(async () => {
      order.push('outer');
      await new Promise<void>((resolve) => (leave = resolve));
      order.push('left');
    });
    const other = a.run(() => order.push('other'));
    await new Promise((resolve) => setTimeout(resolve, 5));
    leave();
    await Promise.all([outer, other]);
    expect(order).toEqual(['outer', 'left', 'other']);
    await Promise.all([a.close(), b.close()]);
  });

  it('is outside for work that outlives its run', async () => {
    const [a, b] = pair();
    let late: Promise<boolean> | undefined;
    await a.run(() => {
      late = new Promise<void>((resolve) => setTimeout(resolve, 5)).then(async () => {
        const held = await b.acquire();
        const isIn = await isFree(a); // its run is over: it would have to wait
        held.release();
        return isIn;
      });
    });
    expect(await late).toBe(false);
    await Promise.all([a.close(), b.close()]);
  });

  it('refuses to be entered again where it was lost, or the signal of the wait is aborted', async () => {
    const [a, b] = pair();
    await a.run(() =>
      expect(a.acquire({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' }),
    );
    const outer = a.run(async () => {
      await a.close();
      await expect(a.run(() => 'inside')).rejects.toMatchObject({ code: 'lost' });
    });
    await expect(outer).rejects.toMatchObject({ code: 'lost' });
    await b.close();
  });

  it('is chosen by lock({ tolerate }), too', async () => {
    const network = memoryNetwork(peers);
    const [a] = peers.map((self) =>
      chosenLock({
        ...{ tolerate: 'none', self, peers },
        ...{ transport: network.transport(self), reentrant: true },
      }),
    );
    expect(await a?.run(() => a.run(() => 'inside'))).toBe('inside');
  });

  it('is refused where there is no AsyncLocalStorage', () => {
    const found = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
    expect(() => pair()).toThrow(/has no AsyncLocalStorage/);
    found.mockRestore();
    expect(() => pair()).not.toThrow();
  });
});
