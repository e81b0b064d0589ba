/**
 * A worker thread of worker-counter.ts: it keeps a copy of the number, and applies each operation
 * that the group delivers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { heartbeat, lamportClock, membership } from '@conclave/algorithms';
import { group } from '@conclave/coordination';
import { messagePortTransport } from '@conclave/core/embedding';

/** What it tells the main thread: an event, its Lamport time stamp, and the members in its view. */
export interface News {
  readonly node: string;
  readonly kind: 'command' | 'deliver';
  readonly call: string;
  readonly from: string;
  readonly ts: number;
  readonly members: string;
}

const { self, ports } = workerData as {
  readonly self: string;
  readonly ports: Readonly<Record<string, MessagePort>>;
};
const shared = { value: 0, done: 0, clock: lamportClock.initial };

const member = group(membership({ founders: 3, stateTransfer: true }), {
  self,
  peers: Object.keys(ports),
  transport: messagePortTransport(self, ports),
  detector: heartbeat({ period: 100, timeout: 1000 }),
  state: { get: () => ({ ...shared }), set: (given) => void Object.assign(shared, given) },
});

function tell(call: string, from = self, ts = shared.clock): void {
  shared.clock = lamportClock.witnessed(shared.clock, ts, self);
  const kind = from === self ? 'command' : 'deliver';
  const members = member.view?.members.join('') ?? '';
  parentPort?.postMessage({
    node: self,
    kind,
    call,
    from,
    ts: shared.clock,
    members,
  } satisfies News);
}

member.views$.subscribe((view) => view && tell(`view(${view.number})`));

member.deliveries$.subscribe(({ from, data }) => {
  const { call, ts } = Object(data); // as it is multicast below
  if (from !== self) tell(call, from, ts);
  if (call.startsWith('increment')) shared.value += 1;
  if (call.startsWith('double')) shared.value *= 2;
  if (call.startsWith('done') && ++shared.done === 3) tell(`end(${shared.value})`);
});

void member.ended.then((reason) =>
  Promise.reject(new Error(`${self} is a member no longer: ${reason}`)),
); // it was taken for crashed

while (!member.view) await sleep(5);
const operations =
  self === 'c'
    ? new Array<string>(1000).fill('increment')
    : ['increment', 'double', 'increment', 'done'];
for (const [index, operation] of operations.entries()) {
  const call = `${operation}(${self}${index + 1})`;
  tell(call);
  await member.multicast({ call, ts: shared.clock });
  await sleep(50);
}
