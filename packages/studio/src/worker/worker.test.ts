import { ConclaveError } from '@conclave/core/protocol';
import { describe, expect, it } from 'vitest';
import type { Setup } from '../link/setup.js';
import { check } from '../model/check.js';
import { systemOf } from '../model/system.js';
import { Asking } from './asking.js';
import { ask, Incomplete, type Port, Stopped } from './client.js';
import { work } from './work.js';

const raymond: Setup = { protocol: 'raymond', options: {}, budget: { losses: 1 } };

/** A worker of this process: what it is sent and what it tells is cloned, as between threads. */
class NearWorker implements Port {
  onmessage: Port['onmessage'] = null;
  onerror: Port['onerror'] = null;
  onmessageerror: Port['onmessageerror'] = null;
  terminated = 0;
  readonly scope: Parameters<typeof work>[0] = {
    onmessage: null,
    postMessage: (told) => {
      const data: unknown = structuredClone(told);
      queueMicrotask(() => this.terminated === 0 && this.onmessage?.({ data } as MessageEvent));
    },
  };

  constructor() {
    work(this.scope);
  }

  postMessage(asked: Parameters<Port['postMessage']>[0]): void {
    const event = { data: structuredClone(asked) } as Parameters<
      NonNullable<NonNullable<typeof this.scope>['onmessage']>
    >[0];
    queueMicrotask(() => this.scope?.onmessage?.(event));
  }

  terminate(): void {
    this.terminated++;
  }
}

/** A worker that never answers. */
const silent = (): NearWorker => {
  const worker = new NearWorker();
  if (worker.scope) worker.scope.onmessage = null;
  return worker;
};

describe('a question to a worker', () => {
  it('is answered by the task, with traces whose headers are maps, and its progress', async () => {
    const worker = new NearWorker();
    const told: number[] = [];
    const input = { limits: { memory: 500 } };
    const { seconds, ...found } = await ask(
      'check',
      raymond,
      input,
      ({ states }) => told.push(states),
      () => worker,
    ).result;
    const { seconds: _, ...expected } = check(await systemOf(raymond), input, () => {});
    expect(found).toEqual(expected);
    expect(
      found.properties.find(({ verdict }) => verdict === 'violated')?.trace?.header,
    ).toBeInstanceOf(Map);
    expect([told.length > 0, seconds > 0, worker.terminated]).toEqual([true, true, 1]);
  });

  it('ends with the mistake of the user: what, where, and what to try', async () => {
    const asked = ask(
      'check',
      { ...raymond, topology: 'ring:1' },
      {},
      undefined,
      () => new NearWorker(),
    );
    const error = await asked.result.catch((reason: unknown) => reason);
    const here = await systemOf({ ...raymond, topology: 'ring:1' }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ConclaveError);
    expect({ ...(error as ConclaveError) }).toEqual({ ...(here as ConclaveError) });
  });

  it('ends as stopped when the user stops it, and says that nothing is known', async () => {
    const worker = silent();
    const { result, stop } = ask('check', raymond, {}, undefined, () => worker);
    stop();
    await expect(result).rejects.toBeInstanceOf(Stopped);
    await expect(result).rejects.toThrow('nothing is known');
    expect(worker.terminated).toBe(1);
    stop(); // once more does no harm
  });

  it('is incomplete, and no pass, where the worker fails, crashes, or answers what cannot be read', async () => {
    const failing = new NearWorker();
    const memory = ask('graph', raymond, {}, undefined, () => failing);
    failing.onmessage?.({
      data: { kind: 'failed', reason: 'Array buffer allocation failed' },
    } as MessageEvent);
    await expect(memory.result).rejects.toThrow(
      'Incomplete: the worker ended without a result (Array buffer allocation failed)',
    );
    const crashing = silent();
    const crash = ask('check', raymond, {}, undefined, () => crashing);
    crashing.onerror?.({ message: '', preventDefault: () => {} } as unknown as ErrorEvent);
    await expect(crash.result).rejects.toBeInstanceOf(Incomplete);
    const garbled = silent();
    const garbage = ask('check', raymond, {}, undefined, () => garbled);
    garbled.onmessageerror?.({} as MessageEvent);
    await expect(garbage.result).rejects.toBeInstanceOf(Incomplete);
    expect([failing, crashing, garbled].map(({ terminated }) => terminated)).toEqual([1, 1, 1]);
  });

  it('tells the worker what a task throws that is no ConclaveError', async () => {
    const worker = new NearWorker();
    const asked = ask('nothing' as 'check', raymond, {}, undefined, () => worker);
    await expect(asked.result).rejects.toBeInstanceOf(Incomplete);
  });
});

describe('a question as signals', () => {
  it('runs, is answered, and keeps its progress', async () => {
    const asking = new Asking('graph', { ...raymond, topology: 'chain:2' }, () => new NearWorker());
    expect([asking.running.value, asking.outcome.value, asking.progress.value]).toEqual([
      false,
      undefined,
      undefined,
    ]);
    asking.start({});
    expect(asking.running.value).toBe(true);
    await settled(asking);
    expect(asking.outcome.value).toMatchObject({ kind: 'answered', result: { complete: true } });
    expect(asking.progress.value?.states).toBeGreaterThan(0);
  });

  it('is stopped by the user, and by another question, whose answer counts', async () => {
    const asking = new Asking('check', raymond, silent);
    asking.start({});
    asking.stop();
    await settled(asking);
    expect(asking.outcome.value).toEqual({ kind: 'stopped' });
    const workers = [silent(), new NearWorker()];
    const again = new Asking(
      'check',
      { ...raymond, topology: 'chain:2' },
      () => workers.shift() ?? silent(),
    );
    again.start({});
    again.start({ safety: true });
    await settled(again);
    expect(again.outcome.value).toMatchObject({
      kind: 'answered',
      result: { input: { safety: true } },
    });
  });

  it('says what went wrong', async () => {
    const asking = new Asking('check', { ...raymond, protocol: 'raimond' }, () => new NearWorker());
    asking.start({});
    await settled(asking);
    expect(asking.outcome.value).toMatchObject({
      kind: 'failed',
      error: { code: 'bad-input', what: "There is no algorithm 'raimond'" },
    });
  });
});

/** Waits until a question has ended. */
const settled = (asking: Pick<Asking<'check'>, 'running'>): Promise<void> =>
  new Promise((resolve) => {
    const end = asking.running.subscribe((running) => {
      if (running) return;
      resolve();
      queueMicrotask(() => end());
    });
  });
