/** A further thread of a parallel search. It works on numbers only: it has neither machines nor properties. */
import { type MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { Expander, type Layout } from '../../compiled/expander.js';
import { type Entry, Tables } from '../../compiled/tables.js';
import { Barrier } from './barrier.js';
import { type Plan, runThread, started } from './thread.js';

/** The data that starts a worker. */
export interface WorkerData {
  readonly plan: Plan;
  readonly thread: number;
  readonly layout: Layout;
  readonly port: MessagePort;
}

/** New table entries, sent between two phases. */
export interface Lesson {
  readonly entries: readonly Entry[];
  readonly start: number;
  readonly code: Int32Array;
}

const { plan, thread, layout, port } = workerData as WorkerData; // set by parallel/helpers.ts
Atomics.add(plan.control, started, 1);
Atomics.notify(plan.control, started);
try {
  const tables = new Tables(layout.nodes, layout.receivers.length);
  const expander = new Expander(tables, () => -1, layout);
  runThread(
    plan,
    thread,
    (...step) => expander.expand(...step),
    (share) => ({
      answer: () => {},
      learn: () => {
        for (let told = receiveMessageOnPort(port); told; told = receiveMessageOnPort(port)) {
          const { entries, start, code } = told.message as Lesson; // the only message of this port
          tables.takeOver(entries, start, code);
        }
      },
      tell: () => port.postMessage(share.report()),
      judge: () => {},
    }),
  );
} catch (error) {
  port.postMessage({ failure: error instanceof Error ? error.message : String(error) });
  new Barrier(plan.control, plan.threads).fail();
}
port.close();
