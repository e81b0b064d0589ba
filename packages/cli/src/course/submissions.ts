/** What students hand in: links of the studio, and files of code; one file or one folder each. */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, parse, resolve } from 'node:path';
import { say } from '@conclave/studio/internal/texts';
import { type Link, parseLink } from '@conclave/studio/link';
import { attempt, badInput } from '../errors.js';

export interface Submission {
  readonly student: string;
  readonly links: readonly Link[];
  /** The paths of the files with code. */
  readonly code: readonly string[];
  /** Texts that look like links and are none, and files that cannot be read. */
  readonly problems: readonly string[];
}

/** Larger files are no lists of links. */
const mostBytes = 1_000_000;
const mostLinks = 1000;
const isCode = /\.[cm]?[jt]s$/;

/**
 * The submissions of a folder, by name; with `isOne` the folder is a submission itself.
 *
 * @throws {ConclaveError} `bad-input` where there is none.
 */
export function submissionsIn(folder: string, isOne = false): readonly Submission[] {
  const names = attempt(`The folder '${folder}' cannot be read`, () => readdirSync(folder));
  if (isOne) return [submissionOf(folder)];
  const all = names
    .filter((name) => !name.startsWith('.'))
    .toSorted()
    .map((name) => submissionOf(join(folder, name)));
  if (all.length > 0) return all;
  throw badInput(
    `'${folder}' has no submissions`,
    'Give a folder with a file for each student, or a folder for each, of links copied from the studio.',
  );
}

function submissionOf(path: string): Submission {
  const problems: string[] = [];
  const files = statSync(path).isDirectory()
    ? readdirSync(path, { withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
        .map(({ name }) => join(path, name))
        .toSorted()
    : [path];
  const code = files.filter((file) => isCode.test(file));
  const texts = files.flatMap((file) => {
    if (isCode.test(file)) return [];
    if (statSync(file).size <= mostBytes) return [readFileSync(file, 'utf8')];
    problems.push(
      say('{file} is larger than a megabyte, and was not read', { file: parse(file).base }),
    );
    return [];
  });
  const found = texts.flatMap(linkTexts);
  if (found.length > mostLinks)
    problems.push(
      say('It has {links} links, of which {most} were read', {
        links: found.length,
        most: mostLinks,
      }),
    );
  if (found.length + code.length === 0 && problems.length === 0)
    problems.push(say('It has no link of the studio, and no file with code'));
  const links = found.slice(0, mostLinks).flatMap((text) => {
    try {
      return parseLink(text) ?? [];
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
      return [];
    }
  });
  return { student: parse(resolve(path)).name, links, code, problems };
}

/** What stands behind `#` in a text, up to a blank or a bracket that ends a Markdown link. */
const linkTexts = (text: string): readonly string[] =>
  [...text.matchAll(/#([a-z0-9-]+\?[^\s<>"')]+)/gi)].map(([, link = '']) => link);
