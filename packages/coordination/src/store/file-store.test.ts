import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { recordIn, textOf } from '../once/once-types.js';
import { append, fileStore } from './file-store.js';
import { memoryStore } from './store.js';

const folder = mkdtempSync(join(tmpdir(), 'conclave-ticks-'));
afterAll(() => rmSync(folder, { recursive: true }));
let folders = 0;

describe.each([
  ['memoryStore', memoryStore],
  ['fileStore', () => fileStore(join(folder, String(++folders)))],
])('%s', (_, make) => {
  it('writes over what it was shown only', async () => {
    const store = make();
    expect(await store.read('job')).toBeUndefined();
    expect(await store.write('job', 'one', 'none')).toBe(false);
    expect(await store.write('job', 'one', undefined)).toBe(true);
    expect(await store.write('job', 'two', undefined)).toBe(false);
    expect(await store.read('job')).toBe('one');
    expect(await store.write('job', 'two', 'one')).toBe(true);
    expect(await store.write('job', 'three', 'one')).toBe(false);
    expect(await store.read('job')).toBe('two');
    expect(await store.read('other')).toBeUndefined();
  });

  it('lets one of many writers win', async () => {
    const store = make();
    await store.write('job', '0', undefined);
    for (let round = 0; round < 5; round++) {
      const won = await Promise.all(
        ['a', 'b', 'c'].map((who) =>
          store.write('job', `${round}${who}`, round === 0 ? '0' : `${round - 1}a`),
        ),
      );
      expect(won).toEqual([true, false, false]);
    }
  });
});

describe('fileStore', () => {
  const only = (place: string) => join(place, readdirSync(place)[0] ?? '');

  it('is shared by all that name the folder, and keeps ten files of a name', () => {
    const place = join(folder, 'long');
    const [one, other] = [fileStore(place), fileStore(place)];
    let last: string | undefined;
    for (let n = 0; n < 14; n++) {
      expect((n % 2 ? one : other).write('A:ö/1', String(n), last)).toBe(true);
      last = String(n);
    }
    expect(one.read('A:ö/1')).toBe('13');
    expect(readdirSync(only(place))).toHaveLength(10);
  });

  it('refuses a writer that was paused until its number was removed', () => {
    const place = join(folder, 'paused');
    const store = fileStore(place);
    store.write('job', 'one', undefined);
    const files = only(place);
    const file = (number: number) => String(number).padStart(15, '0');
    expect(append(files, 1, 'late')).toBe(false);
    rmSync(join(files, file(1)));
    writeFileSync(join(files, file(11)), 'later'); // ten others wrote meanwhile
    expect(append(files, 1, 'late')).toBe(false);
    expect(readdirSync(files)).toEqual([file(11)]);
    expect(store.read('job')).toBe('later');
  });

  it('is not disturbed by what a killed process has left', () => {
    const place = join(folder, 'killed');
    const store = fileStore(place);
    store.write('job', 'one', undefined);
    writeFileSync(join(only(place), 'next-1-0-0'), 'half');
    expect(store.read('job')).toBe('one');
    expect(store.write('job', 'two', 'one')).toBe(true);
  });

  it('fails where there can be no folder', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const write = () => fileStore(file).write('job', 'one', undefined);
    expect(write).toThrow(`The ticks in '${join(file, 'name-job')}' cannot be written: `);
    expect(write).toThrow(
      expect.objectContaining({
        code: 'unavailable',
        message: expect.stringMatching(/: (ENOTDIR|EEXIST): .* Give a path/),
      }),
    );
  });

  it('counts ticks anew where the folder of a name was deleted', () => {
    const place = join(folder, 'deleted');
    const store = fileStore(place);
    store.write('job', 'one', undefined);
    rmSync(only(place), { recursive: true });
    expect(store.read('job')).toBeUndefined();
    expect(store.write('job', 'two', undefined)).toBe(true);
  });
});

it('reads the records that it writes, and no others', () => {
  const record = { tick: 1000, token: 3, node: 'a', done: true };
  expect(recordIn(textOf(record))).toEqual(record);
  for (const text of ['', '{', '1', 'null', '{}', '{"tick":"1","token":3,"node":"a","done":true}'])
    expect(recordIn(text)).toBeUndefined();
});
