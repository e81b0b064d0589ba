import { checkGiven } from '../options/shapes.js';
import { requireTopology } from '../protocol/check.js';
import type { Protocol } from '../protocol/protocol.js';
import type { Topology } from '../topology/topology.js';
import type { JournalHeader } from '../trace/journal-text.js';
import { ComparedRun } from './compared-run.js';
import { Comparison } from './comparison.js';
import type { Conformed, ConformOptions } from './conformed.js';
import { joinedPieces } from './journal-pieces.js';
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
  const readers = joinedPieces(journals).map((source) => new JournalReader(source));
  return new Comparison(new ComparedRun(protocol, topology, readers, options)).result();
}

/** What the header of a journal says. @throws {ConclaveError} `bad-trace` where it has none. */
export function readJournalHeader(source: JournalSource): JournalHeader {
  return new JournalReader(source).header;
}
