/**
 * Publishes the public packages in the versions of their manifests: makes a clean build, checks the
 * tarballs, and publishes them.
 *
 *     npm run changeset               records a change as major, minor or patch, with a description
 *     npm run version                 turns the changesets into versions and changelogs; commit the result
 *     npm run release -- --dry-run    does everything except publish
 *     npm run release
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack, packageFolders } from './pack.mjs';

const root = new URL('../../', import.meta.url);
const isDry = process.argv.includes('--dry-run');
const run = (command, ...args) => execFileSync(command, args, { cwd: root, stdio: 'inherit' });
const answerOf = (command, ...args) =>
  execFileSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

function refuse(what, cure) {
  console.error(`${what}. ${cure}`);
  process.exit(2);
}

function isPublished(name, version) {
  try {
    return answerOf('npm', 'view', `${name}@${version}`, 'version') === version;
  } catch {
    // the registry answers 404 for an unknown package; any other failure appears again when npm
    // publishes
    return false;
  }
}

if (!isDry) {
  if (answerOf('git', 'status', '--porcelain'))
    refuse('The working tree has changes', 'Commit them, or release from a clean clone.');
  const pending = readdirSync(new URL('.changeset/', root)).filter((file) => file.endsWith('.md'));
  if (pending.length > 0)
    refuse(
      `These changesets have no version yet: ${pending.join(', ')}`,
      'Run npm run version, and commit the result.',
    );
}
run('npm', 'run', '--silent', 'setup');
// otherwise outputs of deleted sources would be published
for (const folder of packageFolders)
  rmSync(new URL(`${folder}/dist/`, root), { recursive: true, force: true });
run('npm', 'run', '--silent', 'build');
run('npm', 'run', '--silent', 'check:packages', '--', '--all');
run('npx', 'vitest', 'run', '--mode', 'verify', 'packages/examples/src/installed.test.ts');

const folder = mkdtempSync(join(tmpdir(), 'conclave-release-'));
try {
  for (const { manifest, tarball } of pack(folder)) {
    const { name, version } = manifest;
    if (isPublished(name, version)) {
      console.log(`${name}@${version} is already published`);
      continue;
    }
    run('npm', 'publish', tarball, ...(isDry ? ['--dry-run'] : []));
    if (!isDry) run('git', 'tag', `${name}@${version}`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
