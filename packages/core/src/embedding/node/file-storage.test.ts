import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StableRecord } from '../storage.js';
import { fileJournal } from './file-journal.js';
import { fileStorage, fileStorages, inspectStorage, newest } from './file-storage.js';

/**
 * The functions of `node:fs` that fail now; `parts`: a write takes at most 1000 bytes; `unsynced`:
 * nothing is forced to the disk.
 */
const { faults } = vi.hoisted(() => ({ faults: new Set<string>() }));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const fail = (name: string) => {
    if (faults.has(name)) throw Object.assign(new Error(`ENOSPC: ${name}`), { code: 'ENOSPC' });
  };
  return {
    ...fs,
    writeSync: (
      handle: number,
      bytes: Uint8Array,
      at: number,
      length: number,
      position: number,
    ) => {
      if (typeof bytes === 'string') return fs.writeSync(handle, bytes);
      const some = faults.has('writeSync') || faults.has('parts') ? Math.min(length, 1000) : length;
      const count = fs.writeSync(handle, bytes, at, some, position);
      fail('writeSync');
      return count;
    },
    fdatasyncSync: (handle: number) => {
      fail('fdatasyncSync');
      if (!faults.has('unsynced')) fs.fdatasyncSync(handle);
    },
    fsyncSync: (handle: number) => {
      fail('fsyncSync');
      if (!faults.has('unsynced')) fs.fsyncSync(handle);
    },
    renameSync: (from: string, to: string) => {
      fail('renameSync');
      fs.renameSync(from, to);
    },
  };
});

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conclave-storage-'));
});
afterEach(() => {
  faults.clear();
  rmSync(folder, { recursive: true, force: true });
});

/** The last record of a file with this content; undefined where it is damaged. */
function recordIn(content: Buffer): StableRecord | undefined {
  try {
    return newest('a', content);
  } catch {
    return undefined;
  }
}

const record = { incarnation: 3, fields: { epoch: 7, part: { name: 'é"\n' } } };

describe('storage in a file', () => {
  it('reads what was written last, also when it is opened again', () => {
    const path = join(folder, 'deep', 'a');
    const storage = fileStorage(path);
    expect(storage.read()).toBeUndefined();
    storage.write({ incarnation: 1, fields: {} });
    storage.write(record);
    expect(storage.read()).toEqual(record);
    storage.close?.();
    expect(readdirSync(join(folder, 'deep'))).toEqual(['a']);
    const again = fileStorage(path);
    expect(again.read()).toEqual(record);
    again.close?.();
  });

  it('refuses a file that is damaged or has another format', () => {
    const path = join(folder, 'a');
    const storage = fileStorage(path);
    storage.write(record);
    writeFileSync(path, readFileSync(path).subarray(1));
    expect(() => storage.read()).toThrow(
      `The stable storage '${path}' is damaged: it has no record. Restore it.`,
    );
    writeFileSync(path, 'conclave-stable 1 00 {}');
    expect(() => storage.read()).toThrow('has the format 1, and this program reads 2');
    storage.close?.();
  });

  it('ignores what a crash left of a write', () => {
    const path = join(folder, 'a');
    const storage = fileStorage(path);
    storage.write(record);
    writeFileSync(`${path}.next`, 'half of a rec');
    expect(storage.read()).toEqual(record);
    storage.write({ incarnation: 4, fields: {} });
    expect(storage.read()).toEqual({ incarnation: 4, fields: {} });
    storage.close?.();
  });

  it('makes a larger file for a larger record', () => {
    const path = join(folder, 'a');
    const storage = fileStorage(path);
    const sizes = [10, 20, 4000, 30, 50_000].map((length) => {
      const long = { incarnation: 1, fields: { long: 'é'.repeat(length) } };
      storage.write(long);
      expect(storage.read()).toEqual(long);
      return statSync(path).size;
    });
    expect(sizes).toEqual([8192, 8192, 24_576, 24_576, 204_800]);
    storage.close?.();
  });

  it('keeps the record before where a write fails, and writes again when it can', () => {
    const path = join(folder, 'a');
    const storage = fileStorage(path);
    storage.write(record);
    storage.write({ incarnation: 4, fields: {} });
    for (const fault of ['writeSync', 'fdatasyncSync'] as const) {
      const inode = statSync(path).ino;
      faults.add(fault);
      expect(() => storage.write(record)).toThrow(`ENOSPC: ${fault}`);
      // the one before, or the one under way
      expect([record, { incarnation: 4, fields: {} }]).toContainEqual(storage.read());
      const content = readFileSync(path);
      const torn = [0, 1].map((slot) =>
        Buffer.from(content).fill(0, slot * 4096, (slot + 1) * 4096),
      );
      // it is not marked as replaced
      expect(torn.map(recordIn)).toContainEqual({ incarnation: 4, fields: {} });
      faults.delete(fault);
      // what the disk has is not known: to a new file
      storage.write({ incarnation: 4, fields: {} });
      expect(statSync(path).ino).not.toBe(inode);
      storage.write({ incarnation: 4, fields: {} });
    }
    for (const fault of ['writeSync', 'fsyncSync', 'renameSync'] as const) {
      faults.add(fault);
      expect(() => storage.write({ incarnation: 5, fields: { long: 'x'.repeat(10_000) } })).toThrow(
        `ENOSPC: ${fault}`,
      );
      faults.delete(fault);
      expect(storage.read()).toEqual({ incarnation: 4, fields: {} });
      expect(readdirSync(folder).sort()).toEqual(['a', 'a.lock']);
    }
    storage.write(record);
    expect(storage.read()).toEqual(record);
    storage.close?.();
  });

  it('writes what was staged last when it is committed, once', () => {
    const path = join(folder, 'a');
    const storage = fileStorage(path);
    storage.write(record);
    storage.stage?.({ incarnation: 3, fields: { epoch: 8 } });
    storage.stage?.({ incarnation: 3, fields: { epoch: 9 } });
    expect(storage.read()).toEqual(record);
    storage.commit?.();
    const content = readFileSync(path);
    storage.commit?.();
    expect(storage.read()).toEqual({ incarnation: 3, fields: { epoch: 9 } });
    expect(readFileSync(path)).toEqual(content);
    storage.stage?.({ incarnation: 3, fields: { epoch: 10 } });
    storage.close?.();
    const again = fileStorage(path);
    expect(again.read()).toEqual({ incarnation: 3, fields: { epoch: 9 } });
    again.close?.();
  });

  it('writes all where the system takes a part at a time', () => {
    const path = join(folder, 'a');
    const storage = fileStorage(path);
    faults.add('parts');
    storage.write(record);
    storage.write({ incarnation: 4, fields: {} });
    faults.delete('parts');
    expect(storage.read()).toEqual({ incarnation: 4, fields: {} });
    storage.close?.();
  });

  it('is read after SIGKILL: the last record whose write has returned, or the one under way', async () => {
    const path = join(folder, 'a');
    const source = `
      import { fileStorage } from ${JSON.stringify(new URL('../../../dist/embedding/node/index.js', import.meta.url).href)};
      import { writeSync } from 'node:fs';
      const storage = fileStorage(${JSON.stringify(path)});
      for (let votes = 1; ; votes++) {
        storage.write({ incarnation: 1, fields: { votes } });
        writeSync(1, votes + '\\n');
      }`;
    const writer = spawn(process.execPath, ['--input-type=module', '-e', source], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    writer.stdout.on('data', (text: Buffer) => {
      said += text.toString();
      if (said.split('\n').length > 200) writer.kill('SIGKILL');
    });
    await once(writer, 'close');
    const returned = Number(said.split('\n').at(-2));
    const storage = fileStorage(path);
    expect([returned, returned + 1]).toContain(storage.read()?.fields?.votes);
    storage.close?.();
  });

  it('says why it cannot be written', () => {
    const path = join(folder, 'a');
    const storage = fileStorage(path);
    rmSync(folder, { recursive: true });
    expect(() => storage.write(record)).toThrow('Another process has taken over the lock file');
  });
});

describe('storage by name', () => {
  it('has a file of its own for each name, whatever the name', () => {
    const names = [
      'a',
      'A',
      'a.lock',
      'a.next',
      '.',
      '..',
      '',
      'é/\\:*?',
      'con',
      '%41',
      'x'.repeat(200),
      'x'.repeat(201),
    ];
    const storage = fileStorages(join(folder, 'deep'));
    const open = names.map((name) => storage(name));
    for (const [incarnation, each] of open.entries()) each.write({ incarnation, fields: {} });
    expect(open.map((each) => each.read()?.incarnation)).toEqual(names.map((_, at) => at));
    for (const each of open) each.close?.();
    const found = readdirSync(join(folder, 'deep'));
    expect(new Set(found.map((name) => name.toLowerCase())).size).toBe(names.length);
    expect(found).toContain('name-a%2elock');
    expect(found).toContain('name-%c3%a9%2f%5c%3a%2a%3f');
    expect(() => storage('\ud800')).toThrow('has half of a character');
  });

  it('keeps few of many files open', () => {
    faults.add('unsynced'); // for speed
    const storage = fileStorages(folder);
    const open = Array.from({ length: 260 }, (_, at) => storage(`${at}`));
    for (const incarnation of [1, 2])
      for (const each of open) each.write({ incarnation, fields: {} });
    if (process.platform === 'linux')
      expect(readdirSync('/proc/self/fd').length).toBeLessThan(256 + 100);
    expect(open.map((each) => each.read()?.incarnation)).toEqual(open.map(() => 2));
    for (const each of open) each.close?.();
    faults.delete('unsynced');
  });
});

describe('the lock file', () => {
  it('is refused to a second storage of this process until the first is closed', () => {
    const path = join(folder, 'a');
    const first = fileStorage(path);
    expect(() => fileStorage(path)).toThrow(
      "a.lock' protects is used by this process. Close the node that has it",
    );
    first.close?.();
    fileStorage(path).close?.();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is refused while another process has it that lives, and taken over when it has ended', async () => {
    const path = join(folder, 'a');
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      stdio: 'ignore',
    });
    try {
      await once(other, 'spawn');
      writeFileSync(
        `${path}.lock`,
        JSON.stringify({ host: hostname(), pid: other.pid, started: null }),
      );
      expect(() => fileStorage(path)).toThrow(
        `is used by process ${other.pid}, which runs. Stop it, or give each node a path of its own.`,
      );
    } finally {
      other.kill('SIGKILL');
      await once(other, 'exit');
    }
    fileStorage(path).close?.();
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  it('is taken over where its pid belongs to another process since', () => {
    const path = join(folder, 'a');
    writeFileSync(
      `${path}.lock`,
      JSON.stringify({ host: hostname(), pid: process.pid, started: 'another start/1' }),
    );
    if (process.platform === 'linux') fileStorage(path).close?.();
    else expect(() => fileStorage(path)).toThrow('which runs');
  });

  it('of another machine is refused, and so is one that cannot be read', () => {
    const path = join(folder, 'a');
    writeFileSync(`${path}.lock`, JSON.stringify({ host: 'elsewhere', pid: 7, started: null }));
    expect(() => fileStorage(path)).toThrow(
      'is used by process 7 of machine elsewhere. If that machine does not run it any longer, remove the lock file.',
    );
    writeFileSync(`${path}.lock`, 'what?');
    expect(() => fileStorage(path)).toThrow(
      "a.lock' cannot be read. If no process uses it, remove it.",
    );
  });

  it('stops a storage from which it was taken', () => {
    const path = join(folder, 'a');
    const storage = fileStorage(path);
    writeFileSync(`${path}.lock`, 'of another process');
    expect(() => storage.write(record)).toThrow('Another process has taken over the lock file');
    storage.close?.();
    expect(existsSync(`${path}.lock`)).toBe(true);
    expect(existsSync(path)).toBe(false);
  });
});

describe('where the file system fails', () => {
  const unavailable = (message: string) =>
    expect.objectContaining({ code: 'unavailable', message });

  it('an error names the path, the reason, and what to try', () => {
    const path = join(folder, 'a');
    const storage = fileStorage(path);
    faults.add('fsyncSync');
    const full = (what: string) => `The storage '${path}' ${what}: ENOSPC: fsyncSync`;
    const space = 'Make space on its disk.';
    expect(() => storage.write(record)).toThrow(
      unavailable(`${full('cannot be written')}. ${space}`),
    );
    storage.close?.();
    expect(() => fileStorage(path)).toThrow(unavailable(`${full('cannot be opened')}. ${space}`));
    expect(readdirSync(folder)).toEqual([]); // nothing is left of the attempts
    faults.delete('fsyncSync');
    const inside = join(folder, 'file', 'a');
    writeFileSync(join(folder, 'file'), '');
    const reason = (verb: string) =>
      new RegExp(`^The storage '${inside}' cannot be ${verb}: (ENOTDIR|EEXIST)`);
    const named = (verb: string) =>
      expect.objectContaining({
        code: 'unavailable',
        message: expect.stringMatching(reason(verb)),
        cure: 'Give a path on a disk of this machine that this process may write to.',
      });
    expect(() => fileStorage(inside)).toThrow(named('opened'));
    expect(() => inspectStorage(inside)).toThrow(named('read'));
  });

  it('a journal tells that lines are lost, and how many, at growing pauses', async () => {
    vi.useFakeTimers();
    const journal = fileJournal(folder, 'a');
    const start = performance.now();
    const told: [ms: number, lost: number][] = [];
    journal.errors$?.subscribe(({ code, message }) => {
      const [, lost] =
        /^The journal .+a\.1\.journal cannot be written \(lost lines: (\d+)\): ENOSPC: writeSync\. Make space on its disk\. /.exec(
          message,
        ) ?? [];
      expect(code).toBe('unavailable');
      told.push([performance.now() - start, Number(lost)]);
    });
    const linesUntil = async (time: number) => {
      while (performance.now() - start < time) {
        journal.append('line');
        await vi.advanceTimersByTimeAsync(50);
      }
    };
    faults.add('writeSync');
    await linesUntil(20_000);
    faults.delete('writeSync'); // which does not begin anew each time that it comes back
    await linesUntil(20_050);
    faults.add('writeSync');
    await linesUntil(35_000);
    faults.delete('writeSync');
    await linesUntil(100_000);
    faults.add('writeSync');
    await linesUntil(100_050);
    expect(told).toEqual([
      [50, 1],
      [1050, 21],
      [3050, 61],
      [7050, 141],
      [15_050, 301],
      [31_050, 220],
      [100_050, 1],
    ]);
    faults.delete('writeSync');
    vi.useRealTimers();
    await journal.close();
    const gaps = readFileSync(join(folder, 'a.1.journal'), 'utf8').match(/^# gap: \d+/gm);
    expect(gaps).toEqual(['# gap: 400', '# gap: 299']);
  });
});
