/**
 * Publishes the public packages in the versions of their manifests: makes a clean build, checks the
 * tarballs, tries them in projects of each Node.js and package manager, and publishes them.
 *
 *     npm run changeset               records a change as major, minor or patch, with a description
 *     npm run version                 turns the changesets into versions and changelogs; commit the result
 *     npm run release -- --dry-run    does everything except publish, and prints what would be published
 *     npm run release                 in GitHub Actions, whose word for the commit npm asks (provenance)
 *
 * --json  what is published, and what was tried, as JSON; all else goes to stderr
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pack, packageFolders } from './pack.mjs';

const root = new URL('../../', import.meta.url);
const { 'dry-run': isDry, json: isJson } = options();
const say = isJson ? console.error : console.log;
const stdio = ['ignore', isJson ? 2 : 'inherit', 'inherit'];
const run = (command, ...args) => execFileSync(command, args, { cwd: root, stdio });
const answerOf = (command, ...args) =>
  execFileSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

function options() {
  const known = { 'dry-run': { type: 'boolean' }, json: { type: 'boolean' } };
  try {
    return parseArgs({ options: known }).values;
  } catch (error) {
    return refuse(error.message, 'Try npm run release -- [--dry-run] [--json].');
  }
}

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

/** What npm would publish. */
function publicationOf(tarball) {
  const text = answerOf('npm', 'publish', tarball, '--dry-run', '--json');
  const answer = JSON.parse(text);
  const { name, version, size, unpackedSize, entryCount } = answer.name
    ? answer
    : Object.values(answer)[0]; // npm 11 keys it by the name
  return { name, version, files: entryCount, size, unpackedSize };
}

const kilobytes = (bytes) => `${Math.round(bytes / 1000).toLocaleString('en')} kB`;

if (!isDry) {
  if (!process.env.GITHUB_ACTIONS)
    refuse('npm takes no provenance from this machine', 'Run the workflow release, or --dry-run.');
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
// these need what setup installs, and a fresh clone has nothing
const { problemsOf, reportOf } = await import('./check-packages.mjs');
const { allPass, tryProjects } = await import('./projects.mjs');
// otherwise outputs of deleted sources would be published
for (const folder of packageFolders)
  rmSync(new URL(`${folder}/dist/`, root), { recursive: true, force: true });
run('npm', 'run', '--silent', 'build');

const folder = mkdtempSync(join(tmpdir(), 'conclave-release-'));
try {
  const packed = pack(folder);
  const packages = [];
  for (const one of packed) {
    const problems = await problemsOf(one, true);
    say(reportOf(one, problems));
    const publication = publicationOf(one.tarball);
    const { name, version } = publication;
    packages.push({ ...publication, published: isPublished(name, version), problems });
  }
  const projects = await tryProjects(packed, folder, say);
  const file = 'packages/examples/src/installed.test.ts'; // all examples, and the types
  const tests = spawnSync('npx', ['vitest', 'run', '--mode', 'verify', file], { cwd: root, stdio });
  const examplesPass = tests.status === 0;
  if (isJson) console.log(JSON.stringify({ packages, projects, examplesPass }, null, 2));
  for (const { name, version, files, size, unpackedSize, published } of packages)
    say(
      published
        ? `${name}@${version} is already published`
        : `${name}@${version}: ${files} files, ${kilobytes(size)}, unpacked ${kilobytes(unpackedSize)}`,
    );
  const hasProblems = packages.some(({ problems }) => problems.length > 0);
  if (hasProblems || !examplesPass || !allPass(projects)) process.exitCode = 1;
  else if (!isDry)
    for (const [index, { name, version, published }] of packages.entries())
      if (!published) {
        run('npm', 'publish', packed[index].tarball);
        run('git', 'tag', `${name}@${version}`);
      }
} finally {
  rmSync(folder, { recursive: true });
}
