/** One of several equal parts of a sweep, which another process or machine may do. */
import { InvalidArgumentError } from 'commander';
import { parsed } from '../input/options.js';
import type { Shard } from './part.js';

/** `2/8` */
function shard(text: string): Shard {
  const [, index = 0, of = 0] = (/^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? []).map(Number);
  if (index < 1 || index > of)
    throw new InvalidArgumentError('It is one of several, from 1, as in 2/8.');
  return { index, of };
}

export const shardName = ({ index, of }: Shard): string => `${index}/${of}`;

export const shardOption = {
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
