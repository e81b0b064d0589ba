/** One of several equal parts of a sweep, which another process or machine may do. */
import { InvalidArgumentError } from 'commander';
import { parsed, positive, text, type ValuesOf } from '../input/options.js';
import { number } from '../output/text.js';
import type { Shard } from './shape.js';

/** `2/8` */
function shard(text: string): Shard {
  const [, index = 0, of = 0] = (/^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? []).map(Number);
  if (index < 1 || index > of)
    throw new InvalidArgumentError('It is one of several, from 1, as in 2/8.');
  return { index, of };
}

export const shardName = ({ index, of }: Shard): string => `${index}/${of}`;

const shardOption = {
  shard: parsed(
    'i/n',
    'do one of n equal parts, such as 2/8, and print with --json what conclave merge joins',
    shard,
  ),
};

/** The places from `first` to before `end`, of `count`, that are of this shard. */
export const placesOf = ({ index, of }: Shard, count: number) => ({
  first: Math.floor((count * (index - 1)) / of),
  end: Math.floor((count * index) / of),
});

// The options of commands whose work can be divided.

export const queueOption = {
  queue: text('url', 'a NATS server with JetStream, such as nats://127.0.0.1:4222'),
};

/** At most: each is a message, and a file of results. */
const mostShards = 10_000;

function shardCount(text: string): number {
  const value = positive(text);
  if (value > mostShards) throw new InvalidArgumentError(`${number(mostShards)} is the most.`);
  return value;
}

export const sweepOptions = {
  ...shardOption,
  queue: text(
    'url',
    'let conclave worker do it, on any machines: a NATS server with JetStream, such as nats://127.0.0.1:4222',
  ),
  shards: parsed(
    'n',
    'with --queue: into how many shards to divide it; one should take about a minute (default: one for 10 items, 100 at most)',
    shardCount,
  ),
};

/** The options that every such command has. */
export type SweepOptions = ValuesOf<typeof sweepOptions> & {
  readonly json?: true;
  readonly topology?: string;
};
