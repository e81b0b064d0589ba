import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileStorage } from './file-storage.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conclave-storage-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

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

  it('refuses a file that is truncated or changed, at each place', () => {
    const path = join(folder, 'a');
    const storage = fileStorage(path);
    storage.write(record);
    const bytes = readFileSync(path);
    for (let at = 0; at < bytes.length; at++) {
      writeFileSync(path, bytes.subarray(0, at));
      expect(() => storage.read()).toThrow(/The stable storage '.*' is damaged/);
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      writeFileSync(path, changed);
      expect(() => storage.read()).toThrow(/The stable storage '.*' (is damaged|has the format 0)/);
    }
    writeFileSync(path, bytes);
    expect(storage.read()).toEqual(record);
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

  it('says why it cannot be written', () => {
    const path = join(folder, 'a');
    const storage = fileStorage(path);
    rmSync(folder, { recursive: true });
    expect(() => storage.write(record)).toThrow('Another process has taken over the lock file');
  });
});

describe('the lock file', () => {
  it('is refused to a second storage of this process until the first is closed', () => {
    const path = join(folder, 'a');
    const first = fileStorage(path);
    expect(() => fileStorage(path)).toThrow("a.lock' protects is used by this process. Close the node that has it");
    first.close?.();
    fileStorage(path).close?.();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is refused while another process has it that lives, and taken over when it has ended', async () => {
    const path = join(folder, 'a');
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    try {
      await once(other, 'spawn');
      writeFileSync(`${path}.lock`, JSON.stringify({ host: hostname(), pid: other.pid, started: null }));
      expect(() => fileStorage(path)).toThrow(`is used by process ${other.pid}, which runs. Stop it, or give each node a path of its own.`);
    } finally {
      other.kill('SIGKILL');
      await once(other, 'exit');
    }
    fileStorage(path).close?.();
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  it('is taken over where its pid belongs to another process since', () => {
    const path = join(folder, 'a');
    writeFileSync(`${path}.lock`, JSON.stringify({ host: hostname(), pid: process.pid, started: 'another start/1' }));
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
    expect(() => fileStorage(path)).toThrow("a.lock' cannot be read. If no process uses it, remove it.");
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
