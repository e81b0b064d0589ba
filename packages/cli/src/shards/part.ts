/**
 * One of several equal parts of a sweep, which another process or machine may do: its name, the
 * options of commands whose work can be divided, and what it has found.
 *
 * A result is one with the same identity: the same versions, sources and command line give the same
 * bytes, whoever computes them. `conclave merge` and a queue join only such parts.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InvalidArgumentError } from 'commander';
import { attempt, badInput, messageOf } from '../errors.js';
import { looksLikePath } from '../input/module.js';
import { parsed, positive, text, type ValuesOf } from '../input/options.js';
import { version } from '../installation.js';
import { withoutFlag, withoutOption } from '../output/files.js';
import { counted, number } from '../output/text.js';
import type { Identity, Part, Shard } from './identity.js';

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

// What two results must have in common to be results of the same sweep.

/** What each part is called in an error. */
const identityParts = {
  conclave: 'Conclave',
  xstate: 'XState',
  node: 'Node.js',
  sources: 'source of the module or network',
  command: 'command line',
} as const satisfies Readonly<Record<keyof Identity, string>>;

/** Where a sweep is done, and how its result is printed. */
const placement = ['shard', 'shards', 'queue', 'workers'];
const printing = ['json', 'debug'];

/** The files that a command reads, beside those of Conclave. */
interface Sources {
  /** The protocol, as the command line names it. */
  readonly name: string;
  readonly topology?: string | undefined;
}

/** @throws {ConclaveError} `bad-input` where a source cannot be read. */
export async function identityOf(argv: readonly string[], sources: Sources): Promise<Identity> {
  return {
    ...installed(),
    sources: await sourcesHash(sources),
    command: printing.reduce(withoutFlag, placement.reduce(withoutOption, argv)),
  };
}

/** What differs first, in words: `XState 5.30.0 instead of 5.33.3`; undefined: nothing. */
export function identityDifference(found: Identity, wanted: Identity): string | undefined {
  const keys = Object.keys(identityParts) as (keyof Identity)[]; // it has exactly these
  const text = (identity: Identity, key: keyof Identity) => [identity[key]].flat().join(' ');
  const key = keys.find((key) => text(found, key) !== text(wanted, key));
  if (key === undefined) return undefined;
  return `${identityParts[key]} '${text(found, key)}' instead of '${text(wanted, key)}'`;
}

const require = createRequire(import.meta.url);
let known: Pick<Identity, 'conclave' | 'xstate' | 'node'> | undefined;

/** Two builds of one version differ while Conclave itself is changed. */
function installed(): Pick<Identity, 'conclave' | 'xstate' | 'node'> {
  if (known) return known;
  const core = require.resolve('@conclave/core/protocol');
  const folders = [
    fileURLToPath(new URL('../../dist', import.meta.url)), // from src, too
    dirname(dirname(core)),
    dirname(require.resolve('@conclave/algorithms/load')),
  ];
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(js|wasm)$/.test(name))
      .map((name) => ({ name, path: join(folder, name) })),
  );
  const xstate: { readonly version: string } = createRequire(core)('xstate/package.json');
  known = {
    conclave: `${version} (${hashOf(files)})`,
    xstate: xstate.version,
    node: process.versions.node.split('.')[0] ?? '',
  };
  return known;
}

/** By their names, so that folders may stand at different places. */
function hashOf(files: readonly { readonly name: string; readonly path: string }[]): string {
  const hash = createHash('sha256');
  const name = (file: { readonly name: string }) => file.name.replaceAll('\\', '/');
  for (const file of files.toSorted((a, b) => (name(a) < name(b) ? -1 : 1)))
    hash
      .update(`${name(file)}\n`)
      .update(readFileSync(file.path))
      .update('\n');
  return hash.digest('hex').slice(0, 16);
}

async function sourcesHash({ name, topology = '' }: Sources): Promise<string> {
  const [, network] = /(?:^|:)file:(.+)$/.exec(topology) ?? [];
  const files = [
    ...(looksLikePath(name) ? await moduleFiles(name) : []),
    ...(network === undefined ? [] : [{ name: 'network', path: network }]),
  ];
  if (files.length === 0) return 'none';
  return attempt('A source of the sweep cannot be read', () => hashOf(files));
}

/** A module and what it imports by a path; packages are left out. */
async function moduleFiles(path: string) {
  const folder = dirname(resolve(path));
  const { build } = await import('esbuild');
  const { metafile } = await build({
    ...{ entryPoints: [resolve(path)], absWorkingDir: folder, metafile: true },
    ...{ bundle: true, packages: 'external', write: false, outdir: folder },
    ...{ platform: 'node', format: 'esm', logLevel: 'silent' },
  }).catch((error: unknown) =>
    attempt(`The sources of '${path}' cannot be listed`, () => {
      throw error;
    }),
  );
  return Object.keys(metafile.inputs).map((name) => ({ name, path: resolve(folder, name) }));
}

// The result of one shard as text: what `--shard` prints and `conclave merge` reads.

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
type NamedPart = Part & { readonly name: string };

/**
 * These parts in the order of their shards: all of one sweep, each once.
 * @throws {ConclaveError} `bad-input`: of different sweeps or divisions, one twice, one missing.
 */
export function requireWhole(parts: readonly NamedPart[]): readonly NamedPart[] {
  const [first, ...others] = parts;
  if (!first) throw badInput('There is nothing to merge', 'Name the results of all shards.');
  const { of } = first.shard;
  for (const part of others) {
    const differs = identityDifference(part.identity, first.identity);
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
