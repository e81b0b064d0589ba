/**
 * Three worker threads add 1 to the number in a file, twenty times each: they read it, wait a
 * little, and write it back. A lock between the workers, without a server, prevents lost updates.
 * With `--without-lock` updates are lost.
 */
import { once } from 'node:events';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  isMainThread,
  type MessagePort,
  parentPort,
  Worker,
  workerData,
} from 'node:worker_threads';
import { ricartAgrawala } from '@conclave/algorithms/ricart-agrawala';
import { lock } from '@conclave/coordination/lock';
import { messagePortTransport, portsBetween } from '@conclave/core/embedding';

const rounds = 20;

interface Task {
  readonly self: string;
  readonly ports: Readonly<Record<string, MessagePort>>;
  readonly file: string;
  readonly locked: boolean;
}

/**
 * The main thread: starts the workers, each with a port to every other worker, and reads the
 * result.
 */
async function main(): Promise<void> {
  const locked = !process.argv.includes('--without-lock');
  const folder = await mkdtemp(join(tmpdir(), 'conclave-'));
  const file = join(folder, 'counter');
  await writeFile(file, '0');
  const workers = Object.entries(portsBetween(['a', 'b', 'c'])).map(([self, ports]) => {
    const task: Task = { self, ports, file, locked };
    return new Worker(new URL(import.meta.url), {
      workerData: task,
      transferList: Object.values(ports),
    });
  });
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  await Promise.all(workers.map((worker) => worker.terminate()));
  const counted = await readFile(file, 'utf8');
  await rm(folder, { recursive: true });
  console.log(
    `${workers.length} workers × ${rounds} rounds = ${workers.length * rounds}; counted ${locked ? 'with' : 'without'} the lock: ${counted}`,
  );
}

/** A worker thread. */
async function work({ self, ports, file, locked }: Task): Promise<void> {
  const shared = lock(ricartAgrawala, {
    self,
    peers: Object.keys(ports),
    transport: messagePortTransport(self, ports),
  });
  // returns when all workers run: a node enters only after all others have replied
  await shared.run(() => {});
  const addOne = async () => {
    const number = Number(await readFile(file, 'utf8'));
    await sleep(2); // enough time for another worker to read or write
    await writeFile(`${file}-${self}`, String(number + 1));
    await rename(`${file}-${self}`, file); // atomic
  };
  for (let round = 0; round < rounds; round++) await (locked ? shared.run(addOne) : addOne());
  // The lock stays open: the others need this node's replies to enter. The main thread ends all
  // workers together.
  parentPort?.postMessage('done');
}

await (isMainThread ? main() : work(workerData));
