/** What two results must have in common to be results of the same sweep. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { attempt } from '../errors.js';
import { looksLikePath } from '../input/module.js';
import { withoutFlag, withoutOption } from '../output/trace.js';
import { version } from '../version.js';
import type { Identity } from './part.js';

/** What each part is called in an error. */
export const identityParts = {
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
export function difference(found: Identity, wanted: Identity): string | undefined {
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
