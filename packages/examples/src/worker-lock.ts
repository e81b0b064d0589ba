/**
 * Three worker threads add 1 to the number in a file, twenty times each: they read it, wait a little, and write it back.
 * A lock between the workers, with no server to ask, keeps them from losing each other's work. With `--without-lock` they do lose it.
 */
import { once } from 'node:events';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import { lock, ricartAgrawala } from '@conclave/algorithms';
import { messagePortTransport, portsBetween } from '@conclave/core/embedding';

const rounds = 20;

interface Task {
  readonly self: string;
  readonly ports: Readonly<Record<string, MessagePort>>;
  readonly file: string;
  readonly locked: boolean;
}

/** What the program itself does: starts the workers, each with a port to each other one, and reads what they have counted. */
async function main(): Promise<void> {
  const locked = !process.argv.includes('--without-lock');
  const folder = await mkdtemp(join(tmpdir(), 'conclave-'));
  const file = join(folder, 'counter');
  await writeFile(file, '0');
  const workers = Object.entries(portsBetween(['a', 'b', 'c'])).map(([self, ports]) => {
    const task: Task = { self, ports, file, locked };
    return new Worker(new URL(import.meta.url), { workerData: task, transferList: Object.values(ports) });
  });
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  await Promise.all(workers.map((worker) => worker.terminate()));
  const counted = await readFile(file, 'utf8');
  await rm(folder, { recursive: true });
  console.log(
    `${workers.length} workers × ${rounds} rounds = ${workers.length * rounds}; counted ${locked ? 'with' : 'without'} the lock: ${counted}`,
  );
}

/** What each worker does. */
async function work({ self, ports, file, locked }: Task): Promise<void> {
  const shared = lock(ricartAgrawala, { self, peers: Object.keys(ports), transport: messagePortTransport(self, ports) });
  await shared.run(() => {}); // nobody enters before all workers are there to reply
  const addOne = async () => {
    const number = Number(await readFile(file, 'utf8'));
    await sleep(2); // time enough for another worker to come between
    await writeFile(`${file}-${self}`, String(number + 1));
    await rename(`${file}-${self}`, file); // whole, or not at all
  };
  for (let round = 0; round < rounds; round++) await (locked ? shared.run(addOne) : addOne());
  // It does not close the lock: the others cannot enter without this node's replies. The program ends all workers together.
  parentPort?.postMessage('done');
}

await (isMainThread ? main() : work(workerData));
