/**
 * What a storage file gives after each damage: the last record that was written, the one under way,
 * or an error, and never an older one.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { proof } from '@conclave/tools/sample';
import { expect, it } from 'vitest';
import { ConclaveError } from '../../base/error.js';
import { fileStorage, newest } from './file-storage.js';

const recordOf = (votes: number) => ({
  incarnation: 1,
  fields: { votes, name: `é"\n${'x'.repeat(votes)}` },
});

/** The file after each of `count` writes. */
function written(count: number): Buffer[] {
  const folder = mkdtempSync(join(tmpdir(), 'conclave-slots-'));
  try {
    const storage = fileStorage(join(folder, 'a'));
    const files = Array.from({ length: count }, (_, votes) => {
      storage.write(recordOf(votes));
      return readFileSync(join(folder, 'a'));
    });
    storage.close?.();
    return files;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const files = written(5);
const fileAfter = (votes: number): Buffer => files[votes] ?? Buffer.alloc(0);
const size = fileAfter(0).length / 2;
const votesIn = (content: Buffer): unknown => newest('a', content).fields?.votes;
const changed = (content: Buffer, change: (copy: Buffer) => void): Buffer => {
  const copy = Buffer.from(content);
  change(copy);
  return copy;
};
const [last, before] = [4, 3];
/** Where the slots of records 4 and 3 begin. */
const [newer, older] = [0, size];
const withoutMark = changed(fileAfter(last), (copy) =>
  copy.fill(0, older + size - 32, older + size),
);

it('each write leaves a file of the same length, with its record', () => {
  expect(files.map((content) => [content.length, votesIn(content)])).toEqual(
    [0, 1, 2, 3, 4].map((votes) => [8192, votes]),
  );
});

proof('a write that is torn at any byte leaves the record before it, or the one under way', () => {
  for (const votes of [1, 2, 3, 4]) {
    const from = (votes % 2) * size;
    const torn = Array.from({ length: size + 1 }, (_, length) =>
      votesIn(
        changed(fileAfter(votes - 1), (copy) =>
          fileAfter(votes).copy(copy, from, from, from + length),
        ),
      ),
    );
    const complete = torn.indexOf(votes);
    expect(complete).toBeGreaterThan(100);
    expect(torn).toEqual(torn.map((_, length) => (length < complete ? votes - 1 : votes)));
  }
});

it('a write of which only some sectors arrived leaves the record before it, or the one under way', () => {
  const long = 'y'.repeat(3000);
  const folder = mkdtempSync(join(tmpdir(), 'conclave-slots-'));
  const storage = fileStorage(join(folder, 'a'));
  const contents = [0, 1, 2].map((votes) => {
    storage.write({
      incarnation: 1,
      fields: { votes, long: `${long}${votes}`, text: `${votes}`.repeat(500) },
    });
    return readFileSync(join(folder, 'a'));
  });
  storage.close?.();
  rmSync(folder, { recursive: true });
  const [first, second, third] = contents as [Buffer, Buffer, Buffer];
  expect([first, second, third].map(votesIn)).toEqual([0, 1, 2]);
  for (let arrived = 0; arrived < 256; arrived++) {
    const torn = changed(second, (copy) => {
      for (let at = 0; at < 8; at++)
        if (arrived & (1 << at)) third.copy(copy, at * 512, at * 512, (at + 1) * 512);
    });
    expect([1, 2]).toContain(votesIn(torn));
  }
});

it('a mark that is torn at any byte leaves the last record', () => {
  const mark = older + size - 32;
  for (let length = 0; length <= 32; length++)
    expect(
      votesIn(
        changed(withoutMark, (copy) => fileAfter(last).copy(copy, mark, mark, mark + length)),
      ),
    ).toBe(last);
});

proof(
  'a bit that changes in the slot of the last record is an error, wherever it changes the record',
  () => {
    const line = fileAfter(last).indexOf('\n', newer) + 1;
    for (let at = newer; at < newer + size; at++)
      for (const bit of at < line ? [1, 2, 4, 8, 16, 32, 64, 128] : [1]) {
        const content = changed(fileAfter(last), (copy) =>
          copy.writeUInt8(copy.readUInt8(at) ^ bit, at),
        );
        if (at < line)
          expect(() => votesIn(content)).toThrow(
            "The stable storage 'a' is damaged: record 4 is lost. Restore it.",
          );
        else expect(votesIn(content)).toBe(last);
      }
  },
);

it('damage of the slot of the record before leaves the last record', () => {
  for (let at = older; at < older + size; at++)
    expect(
      votesIn(changed(fileAfter(last), (copy) => copy.writeUInt8(copy.readUInt8(at) ^ 1, at))),
    ).toBe(last);
  expect(votesIn(changed(fileAfter(last), (copy) => copy.fill(0, older, older + size)))).toBe(last);
});

it('a slot of zeros, or with what it had before, is an error', () => {
  expect(() =>
    votesIn(changed(fileAfter(last), (copy) => copy.fill(0, newer, newer + size))),
  ).toThrow('damaged: record 4 is lost');
  const lost = changed(fileAfter(last), (copy) =>
    fileAfter(before).copy(copy, newer, newer, newer + size),
  );
  expect(() => votesIn(lost)).toThrow('damaged: record 4 is lost');
  const older = changed(fileAfter(last), (copy) =>
    fileAfter(0).copy(copy, newer, newer, newer + size),
  );
  expect(() => votesIn(older)).toThrow('damaged: its two records do not follow each other');
});

it('a length that is not that of the file is an error', () => {
  const readable = Array.from({ length: 2 * size }, (_, length) => length).filter((length) => {
    try {
      return votesIn(fileAfter(last).subarray(0, length)) !== undefined;
    } catch (error) {
      return !(error instanceof ConclaveError && error.message.includes('is damaged'));
    }
  });
  expect(readable).toEqual([]);
  for (const more of [1, 2, size, 2 * size])
    expect(() => votesIn(Buffer.concat([fileAfter(last), Buffer.alloc(more)]))).toThrow(
      'is damaged',
    );
});

it('damage of both slots is an error', () => {
  expect(() => votesIn(Buffer.alloc(2 * size))).toThrow('damaged: it has no record');
  for (const place of [newer + 130, newer])
    expect(() => votesIn(changed(withoutMark, (copy) => copy.fill(0, place, older + 40)))).toThrow(
      'no record',
    );
});

it('damage of the last record before the mark is on the disk looks like a write under way', () => {
  expect(votesIn(changed(withoutMark, (copy) => copy.writeUInt8(0, newer + 130)))).toBe(before);
});

it('another format is refused', () => {
  expect(() =>
    votesIn(Buffer.from(`conclave-stable 1 ${'0'.repeat(64)} {"incarnation":1,"fields":{}}\n`)),
  ).toThrow(
    "The stable storage 'a' has the format 1, and this program reads 2. Run the version of Conclave that wrote it, or stop all nodes",
  );
});
