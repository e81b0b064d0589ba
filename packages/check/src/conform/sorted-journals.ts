import { protocolFingerprint } from '@conclave/core/internal/trace';
import type { Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { type Complaint, type ComplaintKind, Mismatch } from './conformed.js';
import type { JournalHeader, JournalReader } from './journal-reader.js';
import { type Ended, NodeJournals, ReplayedNode, unstarted } from './node-journals.js';

/** The journals that belong together, by node and in the order of their incarnations. */
export function sortedJournals(
  protocol: Protocol,
  topology: Topology,
  readers: readonly JournalReader[],
  findings: Findings,
): readonly NodeJournals[] {
  const accepted = readers.filter((reader) => accepts(protocol, topology, reader, findings));
  return topology.nodes.map((id, place) => {
    const sorted = accepted
      .filter(({ header }) => header.node === id)
      .sort((a, b) => a.header.incarnation - b.header.incarnation)
      .filter((reader, index, all) => isNew(reader, all[index - 1], findings));
    const [started, others] = split(sorted, findings);
    return new NodeJournals(place, new ReplayedNode(protocol, topology, id), started, others);
  });
}

/** Whether the journal belongs to the others. */
function accepts(
  protocol: Protocol,
  topology: Topology,
  { name, header }: JournalReader,
  findings: Findings,
): boolean {
  findings.at = { file: name, line: 1 };
  const why = misfit(protocol, topology, header);
  if (why !== undefined)
    findings.complain('header', why, 'Check the journals of one system at a time.');
  else if (header.machine !== protocolFingerprint(protocol))
    findings.complain(
      'header',
      `it was written by another version of '${header.protocol}': its charts, messages or stable fields differ`,
      'Take the version that wrote it.',
    );
  return why === undefined;
}

function misfit(
  { name, options = {} }: Protocol,
  topology: Topology,
  header: JournalHeader,
): string | undefined {
  const [expected, given] = [JSON.stringify(options), JSON.stringify(header.options)];
  if (header.protocol !== name) return `it is of protocol '${header.protocol}', not '${name}'`;
  if (given !== expected) return `its protocol has the options ${given}, not ${expected}`;
  if (header.topology !== topology.spec)
    return `it is of the network '${header.topology}', not '${topology.spec}'`;
  return topology.has(header.node) ? undefined : `the network has no node '${header.node}'`;
}

function isNew(
  { name, header }: JournalReader,
  before: JournalReader | undefined,
  findings: Findings,
): boolean {
  const { node, incarnation } = header;
  if (incarnation !== before?.header.incarnation) return true;
  findings.at = { file: name, line: 1 };
  findings.complain(
    'header',
    `incarnation ${incarnation} of node ${node} has a journal already, ${before.name}`,
    'Give embed a storage, which counts the incarnations, or a new folder for each findings.',
  );
  return false;
}

/** Those with steps, and those without. */
function split(
  readers: readonly JournalReader[],
  findings: Findings,
): readonly [started: readonly JournalReader[], unstarted: ReadonlyMap<number, Ended>] {
  const others = new Map<number, Ended>();
  for (const reader of readers) {
    const ended = unstarted(reader);
    if (!ended) continue;
    others.set(ended.incarnation, ended);
    if (reader.isTorn) findings.notes.add(tornNote(reader));
    if (ended.end !== 'broken') continue;
    findings.isComplete = false;
    findings.at = { file: reader.name, line: reader.peek?.line ?? 0 };
    findings.complain('line', 'it follows the line that closes the journal');
  }
  return [readers.filter(({ header }) => !others.has(header.incarnation)), others];
}

/** The note on a journal whose end was cut off while it was written. */
export const tornNote = ({ name }: JournalReader): string =>
  `${name}: its last line is cut off, and was left out.`;

/** What was found so far, and where the reading is. */
export class Findings {
  readonly complaints: Complaint[] = [];
  readonly notes = new Set<string>();
  /** Whether everything could be repeated. */
  isComplete = true;
  /** What is being read. */
  at: Pick<Complaint, 'file' | 'line'> = { file: '', line: 0 };

  complain(kind: ComplaintKind, what: string, cure = ''): void {
    this.complaints.push({ kind, ...this.at, what, cure });
  }

  /** Complains of a mismatch. @throws any other error. */
  mismatch(error: unknown): void {
    if (!(error instanceof Mismatch)) throw error;
    this.complain(error.kind, error.what, error.cure);
  }

  /** Something could not be repeated. */
  miss(note: string): void {
    this.isComplete = false;
    this.notes.add(note);
  }
}
