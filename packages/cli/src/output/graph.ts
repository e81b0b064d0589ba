/** Files with the explored graph, for other model checkers. */
import { writeFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import type { Expectation, ExpectedOptions } from '@conclave/check';

type GraphFormat = NonNullable<ExpectedOptions['graph']>;

import { attempt, badInput } from '../errors.js';

const byEnding: Readonly<Record<string, GraphFormat>> = { '.drn': 'drn', '.tra': 'prism' };

/**
 * The format of the file that `--graph` names, if it is given.
 * @throws {ConclaveError} `bad-input` for an ending that says none.
 */
export function graphFormatOf(path: string | undefined): GraphFormat | undefined {
  if (path === undefined) return undefined;
  const format = byEnding[extname(path)];
  if (format !== undefined) return format;
  throw badInput(
    `The format of the graph '${path}' is unknown`,
    'Give a file that ends in .drn, for Storm, or in .tra, for PRISM.',
  );
}

/**
 * Writes the files, all beside the one that `--graph` names, and returns their paths; none without
 * texts.
 * @throws {ConclaveError} `bad-input`.
 */
export function writeGraph(path: string, texts: Expectation['graph'] = {}): readonly string[] {
  const stem = path.slice(0, -extname(path).length);
  return Object.entries(texts).map(([ending, text]) => {
    const file = `${stem}${ending}`;
    attempt(`The graph cannot be written to '${file}'`, () => writeFileSync(file, text));
    return file;
  });
}

/** That they were written, and how the other tool reads them. */
export function writtenGraph(paths: readonly string[]): string {
  const [first] = paths;
  if (first === undefined) return '';
  const command =
    extname(first) === '.drn'
      ? `storm --explicit-drn ${first} --exact`
      : `prism -importmodel ${first.replace(/\.tra$/, '.all')} -mdp`;
  return `Wrote ${paths.map((path) => basename(path)).join(', ')}: ${command}\n`;
}
