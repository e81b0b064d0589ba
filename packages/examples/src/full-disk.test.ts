/** What a program is told on a disk without space: a process that may not write a byte to a file. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const url = (name: string) => JSON.stringify(import.meta.resolve(name));

/** Tells what it hears of the storage, the journal and the ticks below the folder, as JSON. */
const program = (folder: string) => `
  import { lock } from ${url('@conclave/coordination')};
  import { once } from ${url('@conclave/coordination/once')};
  import { fileStore } from ${url('@conclave/coordination/node')};
  import { memoryNetwork } from ${url('@conclave/core/embedding')};
  import { fileJournal, fileStorage } from ${url('@conclave/core/embedding/node')};
  const folder = ${JSON.stringify(folder)};
  const told = {};
  const first = (name) => ({ code, message }) => { told[name] ??= code + ': ' + message; };
  try { fileStorage(folder + '/data/a'); } catch (error) { first('storage')(error); }
  const network = memoryNetwork(['a', 'b']);
  const [leader] = ['a', 'b'].map((self) => lock({
    tolerate: 'none', self, nodes: ['a', 'b'], transport: network.transport(self), onError: first('journal'),
    ...(self === 'a' && { journal: fileJournal(folder + '/journals', self) }),
  }));
  const store = fileStore(folder + '/ticks');
  once(leader, 'report', { every: '10ms' }, () => {}, { store, onError: first('ticks') });
  while (Object.keys(told).length < 3) await new Promise((resolve) => setTimeout(resolve, 10));
  console.log(JSON.stringify(told));
  process.exit();`;

/** The limit of the size of files is one that each user may lower, and a full disk to a program. */
const fullDisk = ['sh', '-c', 'ulimit -f 0 && exec "$0" "$@"'] as const;

it('storage, journal and ticks each say the path, the reason, and what to try', (context) => {
  const [shell, ...words] = fullDisk;
  if (spawnSync(shell, [...words, 'true']).status !== 0)
    context.skip('the shell has no ulimit -f: run it on Linux or macOS');
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'conclave-full-')));
  try {
    const { stdout, stderr } = spawnSync(
      shell,
      [...words, process.execPath, '--input-type=module', '-e', program(folder)],
      { encoding: 'utf8', timeout: 60_000 },
    );
    expect(stderr).toBe('');
    const full = 'EFBIG: file too large, write. Raise the limit of the size of files (ulimit -f).';
    expect(JSON.parse(stdout)).toEqual({
      storage: `unavailable: The storage '${folder}/data/a' cannot be opened: ${full}`,
      journal: `unavailable: The journal ${folder}/journals/a.1.journal cannot be written (lost lines: 7): ${full} The journal has a gap from here on.`,
      ticks: `unavailable: The ticks in '${folder}/ticks/name-report' cannot be written: ${full}`,
    });
    expect(readdirSync(join(folder, 'data'))).toEqual([]); // nor is anything left of the attempts
    expect(readdirSync(join(folder, 'ticks/name-report'))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
