/**
 * `conclave conform`: whether journals are runs of the machines; which files it reads, and what it
 * prints.
 */
import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { type Conformed, conform, type JournalSource } from '@conclave/check/conform';
import { readJournalHeader } from '@conclave/check/internal';
import type { Command } from 'commander';
import { attempt, badInput } from '../errors.js';
import { count, declare, flag, parsed, text } from '../input/options.js';
import { exportOption, readTopology, recordedProtocol } from '../input/protocol.js';
import { answer, type Session, withProgress } from '../session.js';

const description = {
  name: 'conform',
  description:
    'repeat the journals of embedded nodes on their machines, join them, and judge the properties',
  argument: ['folder', 'a folder of journals, *.journal, as fileJournal writes them'] as const,
  options: {
    protocol: text('path', 'the module with the protocol, where it is one of your own'),
    ...exportOption,
    cuts: parsed(
      'n',
      'the most global states to judge; 0: only one order of the steps (default: 200000)',
      count,
    ),
    json: flag(
      'print { verdict, steps, journals, messages, properties, cuts, complaints: [{ kind, file, line, what, cure }], notes }',
    ),
  },
  help: 'Examples:\n  conclave conform journals\n  conclave conform journals --protocol ./my-protocol.ts --json\n\nExit code 2 where not all could be repeated, without a complaint.',
};

const exitCodes = { conforms: 0, violates: 1, incomplete: 2 } as const;

/** `conclave conform`: whether what nodes did is what their machines do. */
export const conformCommand = (program: Command, session: Session): void =>
  declare(program, description, async (options, folder) => {
    const { journals, bytes } = journalsIn(folder);
    const { name, header } = attempt(`The journals of '${folder}' cannot be read`, () =>
      readJournalHeader(journals),
    );
    const recorded = {
      what: `${name} is a journal`,
      name: header.protocol,
      options: header.options,
    };
    const protocol = await recordedProtocol(recorded, options);
    const topology = readTopology(header.topology);
    const result: Conformed = withProgress(session, (show) =>
      conform(protocol, topology, journals, {
        ...(options.cuts === undefined ? {} : { cuts: options.cuts }),
        onProgress: (lines, read) =>
          show((seconds) => `${lines} lines, ${seconds.toFixed(0)} s`, Math.min(1, read / bytes)),
      }),
    );
    session.exitCode = exitCodes[result.verdict];
    answer(session, options.json, result, () => conformedText(result, folder, session.colours));
  });

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

/** At most so many complaints are printed; `--json` has all. */
const most = 20;

/** What `conclave conform` prints. */
export function conformedText(
  result: Conformed,
  folder: string,
  { green, red, yellow, dim }: Session['colours'],
): string {
  const { verdict, steps, journals, messages, complaints, notes } = result;
  const marks = { conforms: green('✓'), violates: red('✗'), incomplete: yellow('?') };
  const verdicts = {
    conforms: 'conform: each step is one of the machine',
    violates: `do not conform: ${counted(complaints.length, 'complaint')}`,
    incomplete: 'have no complaint, but not all could be repeated',
  };
  const lines = [
    `${marks[verdict]} ${folder}: ${counted(journals.length, 'journal')} of ${result.protocol} on ${result.topology} ${verdicts[verdict]}`,
    `  ${counted(steps, 'step')} repeated; ${counted(messages.sent, 'message')} sent, ${messages.delivered} arrived${fates(messages)}`,
    ...extents(result).map((line) => `  ${line}`),
    ...complaints
      .slice(0, most)
      .map(
        ({ file, line, what, cure }) =>
          `${red('✗')} ${file}:${line}: ${what}${cure === '' ? '' : `. ${dim(cure)}`}`,
      ),
    ...(complaints.length > most
      ? [`  and ${complaints.length - most} more; --json prints all`]
      : []),
    ...notes.map((note) => `${yellow('note:')} ${note}`),
  ];
  return `${lines.join('\n')}\n`;
}

const counted = (count: number, what: string): string =>
  `${count} ${what}${count === 1 ? '' : 's'}`;

function fates({ doubled, reordered, lost, inFlight, unnumbered }: Conformed['messages']): string {
  const parts = Object.entries({
    doubled,
    reordered,
    lost,
    'not arrived': inFlight,
    'without numbers': unnumbered,
  });
  return parts.flatMap(([name, count]) => (count > 0 ? [`, ${count} ${name}`] : [])).join('');
}

/** How far the properties were judged, one line for each extent and reason. */
function extents({ properties, cuts }: Conformed): readonly string[] {
  const judged = new Map<string, string[]>();
  for (const { name, extent, note } of properties) {
    const where =
      extent === 'every consistent cut'
        ? `on every consistent cut (${cuts})`
        : extent === 'not checked'
          ? extent
          : `on ${extent}`;
    const key = note === undefined ? where : `${where}, since ${note}`;
    judged.set(key, [...(judged.get(key) ?? []), name]);
  }
  return [...judged].map(
    ([how, names]) =>
      `${names.length === 1 ? `'${names[0]}'` : counted(names.length, 'property').replace('propertys', 'properties')}: ${how}`,
  );
}
