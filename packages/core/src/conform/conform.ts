import { ConclaveError } from '../base/error.js';
import { checkGiven } from '../options/shapes.js';
import { requireTopology } from '../protocol/check.js';
import type { Protocol } from '../protocol/protocol.js';
import type { Topology } from '../topology/topology.js';
import type { JournalHeader } from '../trace/journal-text.js';
import { ComparedRun } from './compared-run.js';
import { Comparison } from './comparison.js';
import type { Conformed, ConformOptions } from './conformed.js';
import { isEmpty, joinedPieces } from './journal-pieces.js';
import { JournalReader, type JournalSource } from './journal-reader.js';

/**
 * Repeats the journals of embedded nodes on the machines of `protocol`, step by step, joins them by
 * the numbers of the links, and judges the properties of the protocol. It needs no clock.
 * docs/journals.md has the form of journals, and what a verdict means.
 *
 * @throws {ConclaveError} `bad-trace` for a text that is no journal; `bad-topology`.
 * @example conform(ricartAgrawala, topology('complete:3'), [{ name: 'a.1.journal', text }]).verdict
 */
export function conform(
  protocol: Protocol,
  topology: Topology,
  journals: readonly JournalSource[],
  options: ConformOptions = {},
): Conformed {
  checkGiven('conform', { protocol, topology });
  requireTopology(protocol, topology);
  const sources = joinedPieces(journals);
  const readers = sources.filter((one) => !isEmpty(one)).map((one) => new JournalReader(one));
  const run = new ComparedRun(protocol, topology, readers, options);
  for (const { name } of sources.filter(isEmpty))
    run.notes.add(`${name} is empty: its process ended before its node started.`);
  return new Comparison(run).result();
}

/**
 * A journal that has a header, and what it says.
 *
 * @throws {ConclaveError} `bad-trace` where it says nothing, and where all journals are empty.
 */
export function readJournalHeader(journals: readonly JournalSource[]): {
  readonly name: string;
  readonly header: JournalHeader;
} {
  const first = joinedPieces(journals).find((one) => !isEmpty(one));
  if (!first)
    throw new ConclaveError(
      'bad-trace',
      `${journals.length === 1 ? 'The journal is' : 'All journals are'} empty`,
      'A node writes the first lines when it starts: has it been admitted?',
    );
  return { name: first.name, header: new JournalReader(first).header };
}
