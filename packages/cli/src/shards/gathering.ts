/**
 * The command that puts the shards of a sweep into a queue and gathers what workers find. It keeps
 * nothing that the queue has not: so it can be interrupted, and the same command goes on later.
 */
import type { Json } from '@conclave/core/protocol';
import { counted, number } from '../output/text.js';
import { complain, type Session, withProgressOf } from '../session.js';
import type { Part } from './identity.js';
import { parsePart } from './part.js';
import {
  openQueue,
  patiently,
  type Queue,
  refusalSubject,
  sleep,
  stopSubject,
  sweepId,
  type Task,
} from './queue.js';

/** How long to wait before looking again, in milliseconds: from the first to the last. */
const [shortestWait, longestWait] = [50, 1000];

interface Submission extends Omit<Task, 'sweep' | 'shard'> {
  readonly address: string;
  readonly shards: number;
  /** Whether no shard after one that has found this is needed. */
  readonly isLast: (found: Json) => boolean;
}

/**
 * What the workers have found, in the order of the shards. Undefined: the session says why.
 * @throws {ConclaveError} `bad-input`: no queue.
 */
export async function foundByWorkers(
  session: Session,
  submission: Submission,
): Promise<readonly Part[] | undefined> {
  const queue = await openQueue(submission.address);
  try {
    return await new Gathering(session, queue, submission).run();
  } finally {
    await queue.close();
  }
}

/** What a worker stores where a shard has no result begins with this. */
const failed = 'failed\n';
export const failureText = (why: string): string => `${failed}${why}`;

class Gathering {
  readonly #sweep: string;
  readonly #parts = new Map<number, Part>();
  /** The last shard that is needed. */
  #last: number;

  constructor(
    private readonly session: Session,
    private readonly queue: Queue,
    private readonly submission: Submission,
  ) {
    this.#last = submission.shards;
    this.#sweep = sweepId(submission.identity, submission.shards);
  }

  async run(): Promise<readonly Part[] | undefined> {
    const { interrupted = () => false } = this.session;
    this.#reportRefusals();
    const patient = <T>(act: () => Promise<T>) =>
      patiently(act, interrupted, (why) =>
        this.session.stderr(`note: the queue does not answer (${why}); trying again.\n`),
      );
    await patient(() => this.queue.open(this.#sweep));
    const failure = await withProgressOf(this.session, async (show) => {
      for (let wait = shortestWait; !interrupted(); wait = Math.min(2 * wait, longestWait)) {
        const before = this.#parts.size;
        const failed = await patient(() => this.#exchange());
        if (failed !== undefined || this.#isWhole()) return failed;
        const atWork = await patient(() => this.queue.atWork());
        show(() => this.#progress(atWork), this.#parts.size / this.#last);
        if (this.#parts.size > before) wait = shortestWait;
        await sleep(wait);
      }
      return undefined;
    });
    if (failure !== undefined) return this.#fail(failure);
    if (!this.#isWhole()) return this.#interrupted();
    await this.#stopWorkers(this.#last);
    await this.queue.forget(this.#sweep).catch(() => {}); // its results disappear after a week
    return this.#sorted();
  }

  /**
   * Reads new results, and puts into the queue what is neither there nor done: at the beginning
   * all, later what a server has lost. A worker stores a result before it takes the shard from the
   * queue, and here the queue is read first: so no shard that is done seems to be missing.
   */
  async #exchange(): Promise<string | undefined> {
    const { address: _, shards: of, isLast, ...task } = this.submission;
    const queued = await this.queue.queued(this.#sweep);
    const done = await this.queue.done(this.#sweep);
    if (!done)
      return 'error: The results of this sweep are gone: another command has taken them, or the server has lost its store. Run it again.\n';
    for (const index of [...done].sort((a, b) => a - b)) {
      if (index > this.#last || this.#parts.has(index)) continue;
      const text = await this.queue.result(this.#sweep, index);
      if (text.startsWith(failed)) return text.slice(failed.length);
      const part = parsePart(text, `shard ${index}`);
      this.#parts.set(index, part);
      if (isLast(part.found)) await this.#endAt(index);
    }
    for (let index = 1; index <= this.#last; index++)
      if (!queued.has(index) && !done.has(index))
        await this.queue.add({ ...task, sweep: this.#sweep, shard: { index, of } });
    return undefined;
  }

  #isWhole(): boolean {
    return this.#sorted().length === this.#last;
  }

  #sorted(): readonly Part[] {
    return [...this.#parts.values()]
      .filter(({ shard }) => shard.index <= this.#last)
      .sort((a, b) => a.shard.index - b.shard.index);
  }

  async #endAt(last: number): Promise<void> {
    const before = this.#last;
    this.#last = last;
    await this.#stopWorkers(last);
    for (let index = last + 1; index <= before; index++)
      await this.queue.remove(this.#sweep, index);
  }

  /** Workers leave shards after this one. Who does not hear it works in vain. */
  async #stopWorkers(last: number): Promise<void> {
    this.queue.connection.publish(stopSubject(this.#sweep), String(last));
    await this.queue.connection.flush().catch(() => {});
  }

  async #fail(failure: string): Promise<undefined> {
    await this.#stopWorkers(0);
    await this.queue.forget(this.#sweep).catch(() => {});
    this.session.stderr(failure);
    this.session.exitCode = 2;
    return undefined;
  }

  async #interrupted(): Promise<undefined> {
    await this.#stopWorkers(0);
    const isClean = await Promise.race([
      this.queue.remove(this.#sweep).then(
        () => true,
        () => false,
      ),
      sleep(5000).then(() => false),
    ]);
    this.session.exitCode = 130;
    const left = isClean ? 'The queue is empty' : 'The queue does not answer, and keeps the others';
    complain(
      this.session,
      `interrupted after ${number(this.#parts.size)} of ${counted(this.submission.shards, 'shard')}. ${left}; the results stay for a week, and the same command goes on with them.`,
    );
    return undefined;
  }

  #progress(atWork = 0): string {
    return `${number(this.#parts.size)} of ${counted(this.#last, 'shard')}, ${number(atWork)} at work`;
  }

  /** Says once what each worker refuses. */
  #reportRefusals(): void {
    const reported = new Set<string>();
    this.queue.connection.subscribe(refusalSubject(this.#sweep), {
      callback: (error, message) => {
        const text = error ? '' : message.string();
        if (text === '' || reported.has(text)) return;
        reported.add(text);
        this.session.stderr(`note: a worker refuses: ${text}\n`);
      },
    });
  }
}
