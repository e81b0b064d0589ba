/** The result of one shard as text: what `--shard` prints and `conclave merge` reads. */
import { createHash } from 'node:crypto';
import { badInput, messageOf } from '../errors.js';
import { counted } from '../output/text.js';
import { difference } from './identity.js';
import type { Part } from './part.js';

const format = 'conclave shard 1';

const digestOf = (part: Part): string =>
  createHash('sha256').update(JSON.stringify(part)).digest('hex');

export function partText({ shard, identity, found }: Part): string {
  const part = { shard, identity, found };
  return `${JSON.stringify({ format, digest: digestOf(part), ...part })}\n`;
}

/**
 * @param name of the file, for errors
 * @throws {ConclaveError} `bad-input` for what `--shard` has not written, or not in this form.
 */
export function parsePart(text: string, name: string): Part {
  const cure = 'conclave merge takes what a command with --shard i/n --json has printed.';
  if (text.trim() === '') throw badInput(`'${name}' is empty: its shard has not ended`, cure);
  let value: Partial<Record<string, unknown>>;
  try {
    value = Object(JSON.parse(text));
  } catch (error) {
    throw badInput(`'${name}' is no result of a shard: ${messageOf(error)}`, cure, error);
  }
  if (value.format !== format) throw badInput(`'${name}' is no result of a shard`, cure);
  // the digest says that partText has written it
  const { shard, identity, found } = value as unknown as Part;
  const part = { shard, identity, found };
  if (value.digest !== digestOf(part))
    throw badInput(`'${name}' was changed after its shard has written it`, 'Run the shard again.');
  return part;
}

/** @param name of the file it was read from */
export type NamedPart = Part & { readonly name: string };

/**
 * These parts in the order of their shards: all of one sweep, each once.
 * @throws {ConclaveError} `bad-input`: of different sweeps or divisions, one twice, one missing.
 */
export function requireWhole(parts: readonly NamedPart[]): readonly NamedPart[] {
  const [first, ...others] = parts;
  if (!first) throw badInput('There is nothing to merge', 'Name the results of all shards.');
  const { of } = first.shard;
  for (const part of others) {
    const differs = difference(part.identity, first.identity);
    if (differs !== undefined)
      throw badInput(
        `'${part.name}' and '${first.name}' are of different sweeps: ${differs}`,
        'Run all shards with the same versions, sources and arguments.',
      );
    if (part.shard.of !== of)
      throw badInput(
        `'${first.name}' is one of ${counted(of, 'shard')}, and '${part.name}' one of ${part.shard.of}`,
        'Merge the shards of one division: others overlap.',
      );
  }
  const sorted = parts.toSorted((a, b) => a.shard.index - b.shard.index);
  for (const [place, part] of sorted.entries()) {
    const before = sorted[place - 1];
    if (before?.shard.index === part.shard.index)
      throw badInput(
        `'${before.name}' and '${part.name}' are the same shard, ${part.shard.index} of ${of}`,
        'Name each shard once.',
      );
  }
  const present = new Set(sorted.map(({ shard }) => shard.index));
  const missing = Array.from({ length: of }, (_, place) => place + 1).filter(
    (index) => !present.has(index),
  );
  if (missing.length > 0) {
    const shown = missing.slice(0, 5).join(', ');
    throw badInput(
      `${counted(missing.length, 'shard')} of ${of} ${missing.length === 1 ? 'is' : 'are'} missing: ${shown}${missing.length > 5 ? ' …' : ''}`,
      'Name the results of all shards.',
    );
  }
  return sorted;
}
