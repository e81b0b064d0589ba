/** A command whose work can be divided: into shards, each of which gives a part of the result. */
import type { Json } from '@conclave/core/protocol';
import { badInput } from '../errors.js';
import { counted, number } from '../output/text.js';
import { complain, type Session } from '../session.js';
import { difference, identityOf } from './identity.js';
import type { Shard } from './part.js';
import { partText } from './part-text.js';
import { shardName } from './shard.js';

export interface Sweep<Found> {
  /** What one of its items is called: `seed`. */
  readonly item: string;
  /** How many items there are. */
  readonly count: number;
  /** What one shard finds; undefined where it is interrupted. */
  readonly run: (shard: Shard) => Promise<Found | undefined>;
}

/** The options that every such command has. */
export interface SweepOptions {
  readonly shard?: Shard;
  readonly json?: true;
  readonly topology?: string;
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
  const { shard, json, topology } = options;
  const { argv, parts } = session;
  if (!shard && !parts) return undefined;
  const identity = await identityOf(argv, { name, topology });
  if (parts) {
    for (const part of parts) {
      const differs = difference(part.identity, identity);
      if (differs !== undefined)
        throw badInput(
          `The shards were run elsewhere: ${differs}`,
          'Merge where the same versions and sources are.',
        );
    }
    return parts.map(({ found }) => found as Found); // the same command of the same version wrote it
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

/** @throws {ConclaveError} `bad-input` where some shards would have nothing to do. */
export function requireDivisible({ item, count }: Sweep<unknown>, of: number): void {
  if (of > count)
    throw badInput(
      `${counted(count, item)} cannot be divided into ${number(of)} shards`,
      `Give ${number(count)} shards at most.`,
    );
}
