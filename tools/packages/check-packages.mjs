/**
 * Packs packages as npm would publish them, and checks the tarballs with publint and "are the types
 * wrong?": core and algorithms, and the types of core alone; `--all` for all. Prints a line per
 * package.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { pack, publicManifests } from './pack.mjs';

const attw = fileURLToPath(
  new URL('./dist/index.js', import.meta.resolve('@arethetypeswrong/cli/package.json')),
);
const folder = mkdtempSync(join(tmpdir(), 'conclave-packages-'));

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

/** Files and fields that npm, its site or its users need and that are missing. */
const missing = (manifest, paths) => [
  ...['LICENSE', 'README.md', 'package.json']
    .filter((path) => !paths.includes(path))
    .map((path) => `lacks ${path}`),
  ...['description', 'keywords', 'license', 'repository', 'engines', 'publishConfig']
    .filter((field) => !manifest[field])
    .map((field) => `lacks the field ${field}`),
];

/** What all others need; `npm run verify` checks all. */
const first = ['@conclave/core', '@conclave/check', '@conclave/algorithms'];
const isAll = process.argv.includes('--all');

const manifests = publicManifests();
try {
  const checked = isAll ? manifests : manifests.filter(({ name }) => first.includes(name));
  for (const { manifest, tarball, paths } of pack(folder, checked)) {
    const problems = [
      ...(await publintProblems(tarball)),
      ...(isAll || manifest.name === first[0] ? attwProblems(tarball) : []),
      ...stray(paths),
      ...missing(manifest, paths),
    ];
    console.log(
      `${problems.length === 0 ? '✓' : '✗'} ${manifest.name}: ${paths.length} files, ${Object.keys(manifest.exports).length} exports`,
    );
    for (const problem of problems) console.log(`  ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}
