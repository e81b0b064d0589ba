import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { JournalSource } from '@conclave/core/conform';
import { attempt, badInput } from '../errors.js';

/**
 * The journals of a folder, as `fileJournal` names them, and their size together. Each text is read
 * in pieces, each time anew.
 */
export function journalsIn(folder: string): {
  readonly journals: readonly JournalSource[];
  readonly bytes: number;
} {
  const files = attempt(`The folder '${folder}' cannot be read`, () => readdirSync(folder))
    .filter((file) => file.endsWith('.journal'))
    .sort();
  if (files.length === 0)
    throw badInput(
      `'${folder}' has no journals`,
      "Name a folder with files such as a.1.journal, as fileJournal('journals', 'a') writes them.",
    );
  let bytes = 0;
  const journals = files.map((name) => {
    const path = join(folder, name);
    bytes += attempt(`The journal '${path}' cannot be read`, () => sizeOf(path));
    return { name, text: { [Symbol.iterator]: () => piecesOf(path) } };
  });
  return { journals, bytes };
}

function sizeOf(path: string): number {
  const file = openSync(path, 'r');
  try {
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}

function* piecesOf(path: string): Generator<string> {
  const file = openSync(path, 'r');
  const decoder = new StringDecoder('utf8');
  const buffer = Buffer.alloc(1 << 18);
  try {
    for (let count = readSync(file, buffer); count > 0; count = readSync(file, buffer))
      yield decoder.write(buffer.subarray(0, count));
    yield decoder.end();
  } finally {
    closeSync(file);
  }
}
