import { embed } from '@conclave/core/embedding';
import { checkOptions, schemas } from '@conclave/core/options';
import type { ConclaveError, Protocol } from '@conclave/core/protocol';
import { errorForUser } from '../../facade/error-for-user.js';
import { detectorPart, requireDetector, requireProblem } from '../../facade/requirements.js';
import { splitTransport } from '../../facade/split-transport.js';
import { type Stable, startedFrom } from '../../facade/stable.js';
import { hasTerms } from '../election.js';
import { repeated } from '../repeated/protocol.js';
import { type Election, NodeElection } from './node-election.js';

type EmbedOptions = Parameters<typeof embed>[1];

/** As for `embed`: the node, the other nodes, and how it reaches them. */
export type ElectionOptions = EmbedOptions & {
  /**
   * Suspects nodes that are silent, such as `heartbeat({ period, timeout })`, over the same transport: all nodes must give one. A node that
   * suspects the leader starts an election; one that waits when a suspected node is back abandons the election, which may have stopped without it.
   * Default: none; then only the protocol itself may notice a crash.
   */
  readonly detector?: Protocol;
  /** With how many nodes, itself included, a leader must have contact. Default: more than half of all. */
  readonly quorum?: number;
  /** For a node that starts again: what {@link Election.stable} was. Without it, a node that comes back may take part in its last term again. */
  readonly stable?: Stable;
};

/**
 * An election among several programs, by any protocol of the problem `election`. One whose elections are held once is wrapped by `repeated`.
 *
 * At most one node leads in each term, and each node that waits eventually knows the leader, as long as the protocol's assumptions hold. A
 * leader that was paused may go on for a moment after another one was elected: pass its `term` to what it guards, and refuse an old one there.
 *
 * @throws {ConclaveError} `bad-input` for a protocol of another problem, and as `repeated` and `embed`.
 * @example
 * await using scheduler = election(lelannChangRoberts, { self: 'a', topology: ring(3), transport });
 * for await (const leader of scheduler) if (leader?.leadership) await schedule(leader.term, leader.leadership.signal);
 */
export function election(protocol: Protocol, options: ElectionOptions): Election {
  checkOptions('election', schemas.protocolGiven, { protocol });
  checkOptions('election', electionOptions, options);
  requireProblem(protocol, 'election', 'an election', 'Try lelannChangRoberts; for a lock, call lock(protocol, options).');
  const { detector, quorum, stable, ...embedding } = options;
  if (detector) requireDetector(detector, protocol);
  const { self, transport, topology, peers = [], clock, onError = console.error } = embedding;
  const nodes = topology?.nodes ?? [...new Set([self, ...peers])];
  const reportFor = (whose: Protocol) => (error: ConclaveError) => onError(errorForUser(error, whose, 'election'));
  const report = reportFor(protocol);
  const [own, side] = detector ? splitTransport(transport, detectorPart) : [transport];
  const held = startedFrom(stable, hasTerms(protocol) ? protocol : repeated(protocol, { abandon: true }));
  const node = embed(held, { ...embedding, transport: own, onError: report });
  const watch =
    detector && side && embed(detector, { self, peers: nodes, transport: side, onError: reportFor(detector), ...(clock && { clock }) });
  const most = nodes.length;
  return new NodeElection(
    held,
    protocol.title,
    node,
    watch,
    { most, least: quorum ?? Math.floor(most / 2) + 1 },
    clock ?? globalThis,
    report,
  );
}

const { optional, optionsOf } = schemas;
const electionOptions = optionsOf<ElectionOptions>({
  ...schemas.embedEntries,
  detector: optional(schemas.protocol),
  quorum: optional(schemas.positive),
  stable: optional(schemas.fields),
});
