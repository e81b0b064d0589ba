/** Shared by the tests of locks in worker threads, whose modules run the built packages. */
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { portsBetween } from '@conclave/core/embedding';

const built = new URL('../../../dist/', import.meta.url);
const server = `import { serveLock } from '${new URL('worker.js', built)}';`;

/** Not all of the package, which takes longer to load than a test. */
const node = `
import { workerData } from 'node:worker_threads';
import { lock } from '${new URL('lock.js', built)}';
import { leasedMajority } from '${new URL('../../algorithms/dist/mutual-exclusion/permission/leased-majority/protocol.js', built)}';
import { messagePortTransport } from '${new URL('../../core/dist/embedding/index.js', built)}';
const { self, ports, lease } = workerData;
const made = lock(leasedMajority({ lease, cancel: true }), {
  self,
  peers: Object.keys(ports),
  transport: messagePortTransport(self, ports),
});`;

const told = `
import * as threads from 'node:worker_threads';
const { parentPort, workerData: { cells } } = threads;
const tell = (index) => {
  Atomics.add(cells, index, 1);
  Atomics.notify(cells, index);
};`;

const modules = {
  serves: `${node}${server} serveLock(made);`,
  /** Enters once for each message. */
  enters: `${node}${told} parentPort.on('message', () => made.run(() => tell(0)));`,
  votes: node,
  /** Tells when the lease of a message has ended. */
  works: `${told}
import { sharedLease } from '${new URL('worker.js', built)}';
parentPort.on('message', (memory) =>
  sharedLease(memory).signal.addEventListener('abort', () => tell(1)),
);`,
  /** A lock that is always granted. */
  grants: `${server} serveLock({
    id: 'a',
    acquire: async () => ({
      ...{ fencingToken: 1, remaining: Infinity, signal: new AbortController().signal },
      release: () => {},
    }),
  });`,
  /** A lock that is lost before its thread comes to say that it was granted. */
  loses: `${server} serveLock({
    id: 'a',
    acquire: async () => ({
      ...{ fencingToken: 1, remaining: 0, signal: AbortSignal.abort({ reason: 'lease-expired' }) },
      release: () => {},
    }),
  });`,
  fails: 'throw new Error("no network");',
};

type Module = keyof typeof modules;

/** What the threads count: entries of another node, ends that a third thread was told of, …. */
type Cells = Int32Array<SharedArrayBuffer>;

export const thread = (
  module: Module,
  workerData: object = {},
  transferList: WorkerOptions['transferList'] = [],
): Worker =>
  new Worker(new URL(`data:text/javascript,${encodeURIComponent(modules[module])}`), {
    ...{ workerData, transferList },
  });

/** Three nodes in threads of their own; the first serves its lock, the second enters when told. */
export function threeNodes(lease: number) {
  const cells: Cells = new Int32Array(new SharedArrayBuffer(8));
  const ports = portsBetween(['a', 'b', 'c']);
  const start = (self: string, module: Module) =>
    thread(module, { self, ports: ports[self], lease, cells }, Object.values(ports[self] ?? {}));
  const workers = {
    serving: start('a', 'serves'),
    entering: start('b', 'enters'),
    voting: start('c', 'votes'),
    working: thread('works', { cells }),
  };
  const end = () => Promise.all(Object.values(workers).map((worker) => worker.terminate()));
  return { cells, ...workers, end };
}

/**
 * Keeps this thread from its event loop until `isOver`, as a computation does, and leaves the
 * processor to the other threads.
 */
export function block(isOver: () => boolean): void {
  const idle = new Int32Array(new SharedArrayBuffer(4));
  while (!isOver()) Atomics.wait(idle, 0, 0, 2);
}
