/**
 * Packs what all other packages need as npm would publish it, and checks the tarballs with publint;
 * `--all`: all packages, and also with "are the types wrong?". Prints a line per package.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { pack, publicManifests } from './pack.mjs';

const attw = fileURLToPath(
  new URL('./dist/index.js', import.meta.resolve('@arethetypeswrong/cli/package.json')),
);

async function publintProblems(tarball) {
  const { buffer } = new Uint8Array(readFileSync(tarball));
  const { messages, pkg } = await publint({ pack: { tarball: buffer }, strict: true });
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`);
}

function attwProblems(tarball) {
  const options = ['--profile', 'esm-only', '--format', 'ascii', '--no-emoji', '--no-color'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [attw, ...options, tarball], {
    encoding: 'utf8',
  });
  return status === 0 ? [] : [`attw: ${stdout}${stderr}`];
}

/** Files that a user of the package does not need. */
const stray = (paths) =>
  paths
    .filter((path) => /\.(test|contract)\.|\.tsbuildinfo$|\/(fixtures|contract)\//.test(path))
    .map((path) => `publishes ${path}`);

/** Source maps that are not there, or whose sources are not: debuggers warn of each. */
export function brokenMaps({ repository: { directory } }, paths) {
  const textOf = (path) =>
    readFileSync(new URL(`../../${directory}/${path}`, import.meta.url), 'utf8');
  const named = (path) => {
    if (path.endsWith('.js'))
      return [...textOf(path).matchAll(/^\/\/# sourceMappingURL=(?!data:)(.+)$/gm)].map(
        ([, to]) => to,
      );
    const { sources, sourcesContent } = JSON.parse(textOf(path));
    return sourcesContent ? [] : sources;
  };
  return paths
    .filter((path) => /\.(js|map)$/.test(path))
    .flatMap((path) => named(path).map((to) => [path, join(dirname(path), to)]))
    .filter(([, to]) => !paths.includes(to))
    .map(([path, to]) => `publishes ${path}, which names ${to}, and does not publish that`);
}

/** Files and fields that npm, its site or its users need and that are missing. */
const missing = (manifest, paths) => [
  ...['LICENSE', 'README.md', 'package.json']
    .filter((path) => !paths.includes(path))
    .map((path) => `lacks ${path}`),
  ...['description', 'keywords', 'license', 'repository', 'engines', 'publishConfig']
    .filter((field) => !manifest[field])
    .map((field) => `lacks the field ${field}`),
  ...(manifest.publishConfig?.provenance ? [] : ['lacks publishConfig.provenance']),
  // bundlers keep all that an import brings
  ...(manifest.sideEffects === false || !Object.keys(manifest.exports).length
    ? []
    : ['lacks sideEffects: false']),
];

/** What is wrong with a packed package. `withTypes`: also by "are the types wrong?", in seconds. */
export const problemsOf = async ({ manifest, tarball, paths }, withTypes) => [
  ...(await publintProblems(tarball)),
  ...(withTypes ? attwProblems(tarball) : []),
  ...stray(paths),
  ...brokenMaps(manifest, paths),
  ...missing(manifest, paths),
];

/** A line for the package, and one for each problem. */
export function reportOf({ manifest, paths }, problems) {
  const sign = problems.length === 0 ? '✓' : '✗';
  const count = `${paths.length} files, ${Object.keys(manifest.exports).length} exports`;
  return [`${sign} ${manifest.name}: ${count}`, ...problems.map((one) => `  ${one}`)].join('\n');
}

/** What all others need; `npm run verify` checks all. */
const first = ['@conclave/core', '@conclave/check', '@conclave/algorithms'];

async function main() {
  const isAll = process.argv.includes('--all');
  const manifests = publicManifests();
  const checked = isAll ? manifests : manifests.filter(({ name }) => first.includes(name));
  const folder = mkdtempSync(join(tmpdir(), 'conclave-packages-'));
  try {
    for (const packed of pack(folder, checked)) {
      const problems = await problemsOf(packed, isAll);
      console.log(reportOf(packed, problems));
      if (problems.length > 0) process.exitCode = 1;
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
