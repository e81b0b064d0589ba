import { type Conformed, conform } from '@conclave/core/conform';
import { readJournalHeader } from '@conclave/core/internal/conform';
import type { Command } from 'commander';
import { journalsIn } from '../conform/journal-files.js';
import { conformedText } from '../conform/text.js';
import { attempt } from '../errors.js';
import { count, declare, flag, parsed, text } from '../input/options.js';
import { exportOption, readTopology } from '../input/protocol.js';
import { recordedProtocol } from '../input/recorded-protocol.js';
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
