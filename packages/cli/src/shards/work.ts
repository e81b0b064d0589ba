/**
 * A worker: takes one shard after the other from a queue, computes it, and stores its result.
 *
 * Nobody assigns shards, since a worker may be killed at any moment: the queue gives a shard again to
 * another one if it hears nothing for a while. So a shard may be computed twice, which is harmless:
 * both results are the same bytes. A worker with other sources would give other bytes; it refuses the
 * shard and waits, so that another worker takes it.
 */
import { hostname } from 'node:os';
import type { JsMsg } from '@nats-io/jetstream';
import { isConclaveError, messageOf, oneLine } from '../errors.js';
import type { Session } from '../session.js';
import { Computer } from './compute.js';
import { failureText } from './gathering.js';
import { identityDifference, identityOf, shardName } from './part.js';
import { patiently, type Queue, refusalSubject, sleep, type Task } from './queue.js';

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
      if (await this.#settle(task, interrupted)) message.ack();
      else if (interrupted()) message.nak();
      else message.nak(refusalMs);
    } finally {
      clearInterval(alive);
      this.#task = undefined;
    }
    if (interrupted()) await this.queue.connection.flush();
  }

  /** Whether nobody needs the shard now, since it is stored or dropped; otherwise it is given back. */
  async #settle(task: Task, interrupted: () => boolean): Promise<boolean> {
    const { sweep, shard } = task;
    const answer = await patiently(
      async () => ({ done: await this.queue.done(sweep) }),
      interrupted,
    );
    if (!answer) return false;
    if (!answer.done || answer.done.has(shard.index)) return true; // nobody waits for it any more
    const why = await mismatch(task);
    if (why !== undefined) {
      await this.#refuse(task, why);
      return false;
    }
    const text = await this.#compute(task, interrupted);
    if (text === undefined) return this.#isDropped;
    const storeIfWanted = async () => {
      const isWanted = (await this.queue.done(sweep)) !== undefined;
      if (isWanted) await this.queue.store(sweep, shard.index, text);
      return true;
    };
    const isStored = await patiently(storeIfWanted, interrupted);
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

/** The commands of shards. Whoever may write to the queue can run nothing else here. */
const allowedCommands = ['simulate', 'mutate', 'check'];

/** Why this worker cannot do the task: it would find something else. */
async function mismatch({ identity, name, topology }: Task): Promise<string | undefined> {
  const [command = ''] = identity.command;
  if (!allowedCommands.includes(command)) return `'${command}' is no command that a worker does`;
  try {
    return identityDifference(await identityOf(identity.command, { name, topology }), identity);
  } catch (error) {
    if (!isConclaveError(error)) throw error;
    return oneLine(messageOf(error));
  }
}
