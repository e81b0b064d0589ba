import { ConclaveError } from '@conclave/core/protocol';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it, vi } from 'vitest';
import type { Setup } from '../link/link.js';
import { check } from '../model/conclusion.js';
import { systemOf } from '../model/system.js';
import { Job } from './job.js';
import { NearWorker } from './near-worker.contract.js';
import type { Input, TaskName } from './tasks.js';

const raymond: Setup = { protocol: 'raymond', options: {}, budget: { losses: 1 } };

/** A worker that never answers. */
const silent = (): NearWorker => {
  const worker = new NearWorker();
  if (worker.scope) worker.scope.onmessage = null;
  return worker;
};

/** A job in this worker, which has begun. */
function begun<T extends TaskName>(
  task: T,
  input: Input<T>,
  worker = new NearWorker(),
  setup = raymond,
) {
  const job = new Job(task, setup, () => worker);
  job.start(input);
  return { job, worker };
}

/** How a job ends. */
async function outcomeOf<T extends TaskName>({ outcome }: Job<T>) {
  await expect.poll(() => outcome.value).toBeDefined();
  return outcome.value;
}

describe('a job', () => {
  it('is done by the task, with traces whose headers are maps, and its progress', async () => {
    const input = { limits: { memory: 500 } };
    const { job, worker } = begun('check', input);
    expect([job.running.value, job.outcome.value, job.progress.value]).toEqual([
      true,
      undefined,
      undefined,
    ]);
    const outcome = await outcomeOf(job);
    if (outcome?.kind !== 'answered') throw new Error('no answer');
    const { seconds, ...found } = outcome.result;
    const { seconds: _, ...expected } = check(await systemOf(raymond), input, () => {});
    expect(found).toEqual(expected);
    expect(
      found.properties.find(({ verdict }) => verdict === 'violated')?.trace?.header,
    ).toBeInstanceOf(Map);
    expect(job.progress.value?.states).toBeGreaterThan(0);
    expect([seconds > 0, worker.terminated, job.running.value]).toEqual([true, 1, false]);
  });

  proof(
    'waits where it was stopped, and goes on there: it finds what it finds without a stop',
    async () => {
      const setup = { ...raymond, protocol: 'ricart-agrawala', topology: 'complete:3' };
      const large = { ...setup, budget: { commands: 2 } };
      const { job, worker } = begun('check', { safety: true }, new NearWorker(), large);
      const depths: number[] = [];
      job.progress.subscribe((progress) => progress && depths.push(progress.states));
      await expect.poll(() => depths.length, { interval: 5 }).toBeGreaterThan(0);
      for (let stop = 0; stop < 2; stop++) {
        job.pause();
        expect([job.running.value, job.outcome.value?.kind]).toEqual([false, 'stopped']);
        await expect.poll(() => job.paused.value, { interval: 5 }).toBe(true);
        const before = depths.length;
        await new Promise((resolve) => setTimeout(resolve, 300));
        expect(depths).toHaveLength(before); // nothing happens
        job.goOn();
        expect([job.running.value, job.outcome.value, job.paused.value]).toEqual([
          ...[true, undefined, false],
        ]);
      }
      await expect.poll(() => job.outcome.value?.kind, { timeout: 60_000 }).toBe('answered');
      const { value: outcome } = job.outcome;
      if (outcome?.kind !== 'answered') throw new Error('no answer');
      const { seconds, ...found } = outcome.result;
      const { seconds: _, ...expected } = check(await systemOf(large), { safety: true }, () => {});
      expect(found).toEqual(expected);
      expect(depths).toEqual(depths.toSorted((one, other) => one - other)); // never from the beginning
      expect([worker.terminated, job.paused.value]).toEqual([1, false]);
    },
  );

  it('is ended where it does not come to listen, or when something else begins', async () => {
    vi.useFakeTimers();
    const { job, worker } = begun('check', {}, silent());
    job.pause();
    await vi.advanceTimersByTimeAsync(9999);
    expect(worker.terminated).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect([worker.terminated, job.paused.value]).toEqual([1, false]);
    job.start({});
    vi.useRealTimers();
    expect(job.running.value).toBe(true);
    job.stop();
  });

  it.each([
    ['a network that does not fit', { ...raymond, topology: 'ring:1' }],
    ['a protocol that there is none of', { ...raymond, protocol: 'raimond' }],
  ])('fails by %s: what, where, and what to try', async (_, setup) => {
    const { job } = begun('check', {}, new NearWorker(), setup);
    const here: unknown = await systemOf(setup).catch((reason: unknown) => reason);
    expect(here).toBeInstanceOf(ConclaveError);
    expect(await outcomeOf(job)).toEqual({ kind: 'failed', error: here });
  });

  it('is stopped by the user, once', () => {
    const { job, worker } = begun('check', {}, silent());
    job.stop();
    job.stop();
    expect([job.outcome.value, job.running.value]).toEqual([{ kind: 'stopped' }, false]);
    expect(worker.terminated).toBe(1);
  });

  it('is stopped by its next start, whose answer counts', async () => {
    const workers = [silent(), new NearWorker()];
    const setup = { ...raymond, topology: 'chain:2' };
    const job = new Job('check', setup, () => workers.shift() ?? silent());
    job.start({});
    job.start({ safety: true });
    expect(await outcomeOf(job)).toMatchObject({ result: { input: { safety: true } } });
  });

  it.each<[string, (worker: NearWorker) => void, string]>([
    [
      'fails',
      (worker) =>
        worker.onmessage?.({ data: { kind: 'failed', reason: 'no memory' } } as MessageEvent),
      'no memory',
    ],
    [
      'crashes',
      (worker) =>
        worker.onerror?.({ message: '', preventDefault: () => {} } as unknown as ErrorEvent),
      'it crashed',
    ],
    [
      'answers what cannot be read',
      (worker) => worker.onmessageerror?.({} as MessageEvent),
      'its answer cannot be read',
    ],
  ])('is incomplete, and no pass, where the worker %s', (_, act, reason) => {
    const { job, worker } = begun('graph', {}, silent());
    act(worker);
    expect(job.outcome.value).toMatchObject({
      kind: 'failed',
      error: {
        code: 'aborted',
        what: `Incomplete: the worker ended without a result (${reason}), so nothing is known`,
      },
    });
    expect(worker.terminated).toBe(1);
  });

  it('is incomplete where a task throws what is no ConclaveError', async () => {
    const { job } = begun('nothing' as 'check', {});
    expect(await outcomeOf(job)).toMatchObject({ kind: 'failed', error: { code: 'aborted' } });
  });
});
