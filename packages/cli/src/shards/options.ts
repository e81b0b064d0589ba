/** The options of commands whose work can be divided. */
import { InvalidArgumentError } from 'commander';
import { parsed, positive, text, type ValuesOf } from '../input/options.js';
import { number } from '../output/text.js';
import { shardOption } from './shard.js';

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
