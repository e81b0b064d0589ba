import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, badInput } from '../errors.js';

/**
 * Writes files, by their names, to a folder.
 *
 * @param option with which the user chooses the folder
 * @throws {ConclaveError} `bad-input` where a file exists already, before any is written, and where
 * one cannot be written.
 */
export function writeNew(
  folder: string,
  files: Readonly<Record<string, string>>,
  option: string,
): void {
  const existing = Object.keys(files).find((file) => existsSync(join(folder, file)));
  if (existing !== undefined)
    throw badInput(
      `'${join(folder, existing)}' exists already`,
      `Choose another folder with ${option}; nothing is overwritten.`,
    );
  attempt(`The files cannot be written to '${folder}'`, () => {
    mkdirSync(folder, { recursive: true });
    for (const [file, text] of Object.entries(files))
      writeFileSync(join(folder, file), text, { flag: 'wx' });
  });
}
