/** A command whose work can be divided: into shards, each of which gives a part of the result. */
import type { Json } from '@conclave/core/protocol';
import { badInput } from '../errors.js';
import { defined } from '../input/options.js';
import { counted, number } from '../output/text.js';
import { complain, type Session, withProgressOf } from '../session.js';
import type { Identity, Part, Shard } from './identity.js';
import {
  identityDifference,
  identityOf,
  parsePart,
  partText,
  type SweepOptions,
  shardName,
} from './part.js';
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

/** What is divided. */
interface Divisible {
  /** What one of its items is called: `seed`. */
  readonly item: string;
  /** How many items there are. */
  readonly count: number;
}

interface Sweep<Found> extends Divisible {
  /** What one shard finds; undefined where it is interrupted. */
  readonly run: (shard: Shard) => Promise<Found | undefined>;
  /** Whether no shard after one that has found this is needed. Default: all are. */
  readonly isLast?: (found: Found) => boolean;
}

/**
 * What the shards of a sweep have found, in their order, where others have done them; `answered`,
 * where this command was one shard and has printed what it found; undefined, where it is to do
 * everything by itself.
 *
 * @param Found plain data: only the same version of this command reads it again
 * @throws {ConclaveError} `bad-input`.
 */
export async function foundByShards<Found>(
  session: Session,
  name: string,
  options: SweepOptions,
  sweep: Sweep<Found>,
): Promise<readonly Found[] | 'answered' | undefined> {
  const { shard, json, topology, queue, shards } = options;
  const { argv, parts } = session;
  requireOnePlace(options);
  if (!shard && !parts && queue === undefined) return undefined;
  const identity = await identityOf(argv, { name, topology });
  if (parts) return foundIn(parts, identity);
  if (queue !== undefined) {
    const of = shards ?? Math.min(Math.ceil(sweep.count / 10), 100);
    requireDivisible(sweep, of);
    const { isLast = () => false } = sweep;
    const found = await foundByWorkers(session, {
      ...{ address: queue, shards: of, identity, name, ...defined({ topology }) },
      isLast: (found) => isLast(found as Found), // a worker of the same version wrote it
    });
    return found ? foundIn(found, identity) : 'answered';
  }
  if (!shard) return undefined;
  requireDivisible(sweep, shard.of);
  if (!json)
    throw badInput(
      'The result of a shard is for conclave merge',
      'Add --json, and write it to a file.',
    );
  const found = await sweep.run(shard);
  if (found === undefined) {
    session.exitCode = 130;
    complain(session, `interrupted; shard ${shardName(shard)} has no result.`);
  } else session.stdout(partText({ shard, identity, found: found as Json })); // plain data
  return 'answered';
}

/** @throws {ConclaveError} `bad-input` for parts of another version or source. */
function foundIn<Found>(parts: readonly Part[], identity: Identity): readonly Found[] {
  for (const part of parts) {
    const differs = identityDifference(part.identity, identity);
    if (differs !== undefined)
      throw badInput(
        `The shards were run elsewhere: ${differs}`,
        'Merge where the same versions and sources are.',
      );
  }
  return parts.map(({ found }) => found as Found); // the same command of the same version wrote it
}

/** @throws {ConclaveError} `bad-input` for options that contradict each other. */
function requireOnePlace({ shard, shards, queue }: SweepOptions): void {
  if (shard !== undefined && queue !== undefined)
    throw badInput('--shard does one part, and --queue all', 'Leave one of them out.');
  if (shards !== undefined && queue === undefined)
    throw badInput('--shards is for --queue', 'Add --queue nats://127.0.0.1:4222.');
}

/** @throws {ConclaveError} `bad-input` where some shards would have nothing to do. */
function requireDivisible({ item, count }: Divisible, of: number): void {
  if (of > count)
    throw badInput(
      `${counted(count, item)} cannot be divided into ${number(of)} shards`,
      `Give ${number(count)} shards at most.`,
    );
}

// The command that puts the shards of a sweep into a queue, and gathers their results.

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
async function foundByWorkers(
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

/** What a worker stores where a shard has no result. */
const failed = 'failed\n';
export const failureText = (why: string): string => `${failed}${why}`;
const isFailure = (text: string): boolean => text.startsWith(failed);

class Gathering {
  readonly #sweep: string;
  readonly #parts = new Map<number, Part>();
  /** No shard after it is needed. */
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
    this.#tellRefusals();
    const patient = <T>(act: () => Promise<T>) =>
      patiently(act, interrupted, (why) =>
        this.session.stderr(`note: the queue does not answer (${why}); trying again.\n`),
      );
    await patient(() => this.queue.open(this.#sweep));
    const failure = await withProgressOf(this.session, async (show) => {
      for (let wait = shortestWait; !interrupted(); wait = Math.min(2 * wait, longestWait)) {
        const before = this.#parts.size;
        const failed = await patient(() => this.#look());
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
  async #look(): Promise<string | undefined> {
    const { address: _, shards: of, isLast, ...task } = this.submission;
    const queued = await this.queue.queued(this.#sweep);
    const done = await this.queue.done(this.#sweep);
    if (!done)
      return 'error: The results of this sweep are gone: another command has taken them, or the server has lost its store. Run it again.\n';
    for (const index of [...done].sort((a, b) => a - b)) {
      if (index > this.#last || this.#parts.has(index)) continue;
      const text = await this.queue.result(this.#sweep, index);
      if (isFailure(text)) return text.slice(failed.length);
      const part = parsePart(text, `shard ${index}`);
      this.#parts.set(index, part);
      if (isLast(part.found)) await this.#end(index);
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

  async #end(last: number): Promise<void> {
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
  #tellRefusals(): void {
    const told = new Set<string>();
    this.queue.connection.subscribe(refusalSubject(this.#sweep), {
      callback: (error, message) => {
        const text = error ? '' : message.string();
        if (text === '' || told.has(text)) return;
        told.add(text);
        this.session.stderr(`note: a worker refuses: ${text}\n`);
      },
    });
  }
}
