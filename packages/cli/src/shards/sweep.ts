/**
 * A command whose work can be divided into shards, each of which gives a part of the result. It
 * does everything by itself; or one shard, and prints what `conclave merge` reads; or it merges
 * such parts; or it gives all shards to workers by a queue (gathering.ts).
 */
import type { Json } from '@conclave/core/protocol';
import { badInput } from '../errors.js';
import { defined } from '../input/options.js';
import { counted, number } from '../output/text.js';
import { complain, type Session } from '../session.js';
import { foundByWorkers } from './gathering.js';
import type { Identity, Part, Shard } from './identity.js';
import { identityDifference, identityOf, partText, type SweepOptions, shardName } from './part.js';

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
    const count = shards ?? Math.min(Math.ceil(sweep.count / 10), 100);
    requireDivisible(sweep, count);
    const { isLast = () => false } = sweep;
    const found = await foundByWorkers(session, {
      ...{ address: queue, shards: count, identity, name, ...defined({ topology }) },
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
function requireDivisible({ item, count }: Divisible, shards: number): void {
  if (shards > count)
    throw badInput(
      `${counted(count, item)} cannot be divided into ${number(shards)} shards`,
      `Give ${number(count)} shards at most.`,
    );
}
