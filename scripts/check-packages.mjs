/** Packs each package as npm would publish it and holds the tarball against publint and "are the types wrong?"; prints a line per package. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const root = new URL('../', import.meta.url);
const attw = fileURLToPath(new URL('./dist/index.js', import.meta.resolve('@arethetypeswrong/cli/package.json')));
const folder = mkdtempSync(join(tmpdir(), 'conclave-packages-'));

/** Runs no scripts and asks no registry. `workspace:` and `catalog:` stay as they are, which only who installs the tarball would notice. */
function pack(directory) {
  const options = ['--json', '--ignore-scripts', '--offline', '--loglevel=error', '--pack-destination', folder];
  const [{ filename, files }] = JSON.parse(execFileSync('npm', ['pack', ...options], { cwd: directory, encoding: 'utf8' }));
  return { tarball: join(folder, filename), paths: files.map(({ path }) => path) };
}

async function publintProblems(tarball) {
  const { buffer } = new Uint8Array(readFileSync(tarball));
  const { messages, pkg } = await publint({ pack: { tarball: buffer }, strict: true });
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`);
}

function attwProblems(tarball) {
  const options = ['--profile', 'esm-only', '--format', 'ascii', '--no-emoji', '--no-color'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [attw, ...options, tarball], { encoding: 'utf8' });
  return status === 0 ? [] : [`attw: ${stdout}${stderr}`];
}

/** What a user of the package has no use for. */
const stray = (paths) =>
  paths.filter((path) => /\.(test|contract)\.|\.tsbuildinfo$|\/(fixtures|contract)\//.test(path)).map((path) => `publishes ${path}`);

try {
  for (const name of readdirSync(new URL('packages/', root))) {
    const directory = new URL(`packages/${name}/`, root);
    const manifest = JSON.parse(readFileSync(new URL('package.json', directory), 'utf8'));
    if (manifest.private) continue;
    const { tarball, paths } = pack(directory);
    const problems = [...(await publintProblems(tarball)), ...attwProblems(tarball), ...stray(paths)];
    console.log(
      `${problems.length === 0 ? '✓' : '✗'} ${manifest.name}: ${paths.length} files, ${Object.keys(manifest.exports).length} exports`,
    );
    for (const problem of problems) console.log(`  ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}
