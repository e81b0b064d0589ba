/** A worker: takes one shard after the other from a queue, does it, and stores its result. */
import { hostname } from 'node:os';
import type { JsMsg } from '@nats-io/jetstream';
import { isConclaveError, messageOf, oneLine } from '../errors.js';
import type { Session } from '../session.js';
import { Computer } from './compute.js';
import { difference, identityOf, shardName } from './part.js';
import { patiently, type Queue, refusalSubject, sleep, type Task } from './queue.js';
import { failureText } from './sweep.js';

/** How long another worker has to take a shard that this one refuses, in milliseconds. */
const refusalMs = 2000;
/** How often it looks whether the user has interrupted, in milliseconds. */
const pollMs = 50;

/** What a worker has done. */
export interface Work {
  shards: number;
  failed: number;
  refused: number;
}

/** One of the threads of a worker. */
export class WorkerThread {
  #computer: { readonly sweep: string; readonly computer: Computer } | undefined;
  #task: Task | undefined;
  #isDropped = false;

  constructor(
    private readonly session: Session,
    private readonly queue: Queue,
    private readonly work: Work,
    /** The sweeps that this worker has refused; each is told once. */
    private readonly refused: Set<string>,
  ) {}

  /** Works until the user interrupts it. */
  async run(): Promise<void> {
    const interrupted = () => this.session.interrupted?.() ?? false;
    try {
      await patiently(
        async () => {
          await this.queue.prepare(); // a server may have lost its store
          const { consumer, ackWaitMs } = await this.queue.consumer();
          while (!interrupted()) {
            const message = await consumer.next({ expires: 1000 });
            if (message) await this.#take(message, ackWaitMs, interrupted);
          }
        },
        interrupted,
        (why) => this.session.stderr(`note: the queue does not answer (${why}); trying again.\n`),
      );
    } finally {
      await this.#computer?.computer.close();
    }
  }

  /** The submitter needs no shard of this sweep after `last`. */
  stop(sweep: string, last: number): void {
    if (this.#task?.sweep !== sweep || this.#task.shard.index <= last) return;
    this.#isDropped = true;
    this.#computer?.computer.interrupt();
  }

  async #take(message: JsMsg, ackWaitMs: number, interrupted: () => boolean): Promise<void> {
    const task: Task = message.json();
    this.#task = task;
    this.#isDropped = false;
    const alive = setInterval(() => message.working(), ackWaitMs / 4);
    try {
      if (await this.#do(task, interrupted)) message.ack();
      else if (interrupted()) message.nak();
      else message.nak(refusalMs);
    } finally {
      clearInterval(alive);
      this.#task = undefined;
    }
    if (interrupted()) await this.queue.connection.flush();
  }

  /** Whether the shard is done with; otherwise it is given back. */
  async #do(task: Task, interrupted: () => boolean): Promise<boolean> {
    const { sweep, shard } = task;
    const done = await patiently(async () => ({ it: await this.queue.done(sweep) }), interrupted);
    if (!done) return false;
    if (!done.it || done.it.has(shard.index)) return true; // nobody waits for it any more
    const why = await mismatch(task);
    if (why !== undefined) {
      await this.#refuse(task, why);
      return false;
    }
    const text = await this.#compute(task, interrupted);
    if (text === undefined) return this.#isDropped;
    const store = async () => {
      const isWanted = (await this.queue.done(sweep)) !== undefined;
      if (isWanted) await this.queue.store(sweep, shard.index, text);
      return true;
    };
    const isStored = await patiently(store, interrupted);
    if (isStored) this.work.shards++;
    return isStored === true;
  }

  /** What it prints, or why it fails; undefined where it is interrupted. */
  async #compute(task: Task, interrupted: () => boolean): Promise<string | undefined> {
    const computer = await this.#computerFor(task.sweep);
    const poll = setInterval(() => interrupted() && computer.interrupt(), pollMs);
    const { command } = task.identity;
    const argv = [...command, '--shard', shardName(task.shard), '--json'];
    const { exitCode, stdout, stderr } = await computer.run(argv);
    clearInterval(poll);
    if (exitCode === 0) return stdout;
    if (exitCode === 130) return undefined;
    this.work.failed++;
    return failureText(stderr.slice(Math.max(0, stderr.search(/^error:/m))));
  }

  /** A thread for each sweep: what it has imported may have changed before the next one. */
  async #computerFor(sweep: string): Promise<Computer> {
    const last = this.#computer;
    if (last?.sweep === sweep && last.computer.isUsable) return last.computer;
    await last?.computer.close();
    const computer = new Computer();
    this.#computer = { sweep, computer };
    return computer;
  }

  async #refuse({ sweep, shard }: Task, why: string): Promise<void> {
    const { stderr, colours } = this.session;
    this.work.refused++;
    const connection = this.queue.connection;
    connection.publish(refusalSubject(sweep), `${hostname()}, process ${process.pid}: ${why}`);
    if (!this.refused.has(sweep))
      stderr(`${colours.yellow('refused:')} shard ${shardName(shard)} of ${sweep}: ${why}\n`);
    this.refused.add(sweep);
    await sleep(pollMs); // another worker may be quicker
  }
}

/** Who may write to the queue shall run nothing else here. */
const sweeps = ['simulate', 'mutate', 'check'];

/** Why this worker cannot do the task: it would find something else. */
async function mismatch({ identity, name, topology }: Task): Promise<string | undefined> {
  const [command = ''] = identity.command;
  if (!sweeps.includes(command)) return `'${command}' is no command that a worker does`;
  try {
    return difference(await identityOf(identity.command, { name, topology }), identity);
  } catch (error) {
    if (!isConclaveError(error)) throw error;
    return oneLine(messageOf(error));
  }
}
