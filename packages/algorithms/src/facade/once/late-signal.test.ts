import { ConclaveError } from '@conclave/core/protocol';
import { firstValueFrom, toArray } from 'rxjs';
import { expect, it } from 'vitest';
import type { Held } from '../lock/lock-held.js';
import type { Lock } from '../lock/lock-types.js';
import { once } from './once.js';
import { memoryTicks } from './tick-store.js';

it('a job whose lease runs out before the signal tells is lost, with an error', async () => {
  const { signal } = new AbortController();
  let remaining = 1;
  const held: Held = {
    ...{ fencingToken: 1, fencingCondition: undefined, signal, lost: new Promise(() => {}) },
    get remaining() {
      return remaining;
    },
    release: () => {},
    [Symbol.asyncDispose]: async () => {},
  };
  const lock = { id: 'a', acquire: async () => held } as Partial<Lock> as Lock; // all that it calls
  const errors: unknown[] = [];
  const job = once(
    lock,
    'count',
    { every: 10 },
    () => {
      remaining = 0;
    },
    { store: memoryTicks(), onError: (error) => errors.push(error) },
  );
  const events = firstValueFrom(job.event$.pipe(toArray()));
  while (errors.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  await job.stop();
  expect(errors).toEqual([expect.any(ConclaveError)]);
  expect(errors[0]).toMatchObject({ code: 'lost', message: expect.stringContaining("'count'") });
  expect((await events).at(-1)).toMatchObject({ type: 'lost', error: errors[0] });
});
