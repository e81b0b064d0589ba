/**
 * Five worker threads elect a scheduler; its worker is killed, and the next one takes over. The
 * timeline shows for each worker whom it knows as the leader. With `--ring` the election is one
 * that needs every node: after the crash there is no leader.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  isMainThread,
  type MessagePort,
  parentPort,
  Worker,
  workerData,
} from 'node:worker_threads';
import { bully } from '@conclave/algorithms/bully';
import { heartbeat } from '@conclave/algorithms/heartbeat';
import { lelannChangRoberts } from '@conclave/algorithms/lelann-chang-roberts';
import { election } from '@conclave/coordination/election';
import { messagePortTransport, portsBetween } from '@conclave/core/embedding';
import { complete, ring } from '@conclave/core/topology';

const ids = ['a', 'b', 'c', 'd', 'e'];

interface Task {
  readonly self: string;
  readonly ports: Readonly<Record<string, MessagePort>>;
  readonly onRing: boolean;
}

/**
 * What a worker tells: that it runs, whom it knows as the leader, or as the leader a job with its
 * term.
 */
type News = { readonly ready: true } | { readonly leader: string } | { readonly term: number };

/**
 * The main thread: kills the first scheduler after five jobs. It refuses a job whose term is older
 * than the latest.
 */
async function main(onRing: boolean): Promise<void> {
  /**
   * By worker: the letter of its leader, a capital if it leads; `·`: it knows none; ' ': killed.
   */
  const letters = new Map<string, string>();
  const jobs: { readonly by: string; readonly term: number }[] = [];
  const workers = Object.entries(portsBetween(ids)).map(([self, ports]) => {
    const task: Task = { self, ports, onRing };
    const worker = new Worker(new URL(import.meta.url), {
      workerData: task,
      transferList: Object.values(ports),
    });
    worker.on('message', (news: News) => {
      if ('ready' in news) letters.set(self, '·');
      else if ('leader' in news)
        letters.set(self, news.leader === self ? self.toUpperCase() : news.leader);
      else {
        if (news.term >= (jobs.at(-1)?.term ?? 0))
          jobs.push({ by: `${self} in term ${news.term}`, term: news.term });
        if (jobs.length === 5) void worker.terminate().then(() => letters.set(self, ' '));
      }
    });
    return worker;
  });
  while (letters.size < ids.length) await sleep(10);
  workers[0]?.postMessage('elect');
  const rows = new Map(ids.map((self) => [self, '']));
  // 3 s show that no leader comes; otherwise ten jobs end the run, at most 15 s later
  for (let tick = 0; tick < (onRing ? 60 : 300) && jobs.length < 10; tick++) {
    for (const [self, row] of rows) rows.set(self, row + letters.get(self));
    await sleep(50);
  }
  await Promise.all(workers.map((worker) => worker.terminate()));
  for (const [self, row] of rows) console.log(`${self}  ${row.trimEnd()}`);
  for (const who of new Set(jobs.map(({ by }) => by)))
    console.log(`${jobs.filter(({ by }) => by === who).length} jobs by ${who}`);
}

/** A worker thread. While it leads, it schedules a job from time to time. */
async function work({ self, ports, onRing }: Task): Promise<void> {
  const detector = heartbeat({ period: 100, timeout: 500 });
  const options = {
    self,
    topology: onRing ? ring(ids) : complete(ids),
    transport: messagePortTransport(self, ports),
    detector,
  };
  const scheduler = election(onRing ? lelannChangRoberts : bully({ timeout: 300 }), options);
  parentPort?.on('message', () => scheduler.elect());
  parentPort?.postMessage({ ready: true });
  scheduler.leader$.subscribe((leader) => parentPort?.postMessage({ leader: leader?.id ?? '·' }));
  for await (const leader of scheduler)
    for (; leader?.leadership?.signal.aborted === false; await sleep(100))
      parentPort?.postMessage({ term: leader.term });
}

await (isMainThread ? main(process.argv.includes('--ring')) : work(workerData));
