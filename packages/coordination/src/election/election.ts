import { hasTerms } from '@conclave/algorithms/internal/coordination';
import type { Options as LeaseOptions } from '@conclave/algorithms/leased-majority';
import { repeated } from '@conclave/algorithms/repeated';
import { type EmbedOptions, embed } from '@conclave/core/embedding';
import { checkOptions, printError, schemas } from '@conclave/core/internal';
import { surroundingsOf, verified } from '@conclave/core/internal/embedding';
import { ConclaveError, type Json, type NodeId, type Protocol } from '@conclave/core/protocol';
import { errorForUser } from '../error-for-user.js';
import { Connections, Delays } from '../health.js';
import { leasesFor } from '../lock/lease-choice.js';
import { lockOf } from '../lock/lock.js';
import {
  detectorPart,
  requireDetector,
  requireProblem,
  splitTransport,
} from '../reporting-transport.js';
import { startedFrom } from '../stable.js';
import { type StoreElectionOptions, storeElection } from '../store/store-election.js';
import { LeaseElection, leaseTimeEntries, timesOf, votersKnowledge } from './lease-election.js';
import { NodeElection } from './node-election.js';
import type { Election } from './shared-election.js';

/** As for `embed`: the node, the other nodes, and how it reaches them. */
export type ElectionOptions = EmbedOptions & {
  /**
   * Suspects nodes that are silent, such as `heartbeat({ period, timeout })`, over the same
   * transport: all nodes must give one. A node that suspects the leader starts an election; one
   * that waits when a suspected node is back abandons the election, which may have stopped without
   * it. Default: none; then only the protocol itself may notice a crash.
   */
  readonly detector?: Protocol;
  /**
   * With how many nodes, itself included, a leader must have contact. Default: more than half of
   * all.
   */
  readonly quorum?: number;
  /**
   * For a node that starts again, without `storage`: what {@link Election.stable} was. Without
   * either, a node that comes back may take part in its last term again.
   */
  readonly stable?: Readonly<Record<string, Json>>;
};

/**
 * An election among several programs: `election(protocol, { … })` by messages, and mostly by
 * time-outs, by any protocol of the problem `election`; `election({ by: 'lease', … })` by leased
 * votes of a majority; `election({ store, name })` by a lease in one row of a store that all have.
 *
 * **By a protocol**, each node that waits eventually knows the leader of its term, as long as the
 * protocol's assumptions hold. Where they fail, as when a message is late, two nodes may lead at
 * once, also in one term: there is no fencing token. Elections that are held once are wrapped by
 * `repeated`. A node that comes back needs its `storage`; by a protocol that does not tolerate
 * restarts the others refuse it, and its election ends with the error `refused`.
 *
 * **By leases**, a node leads as long as it lives and renews its lease. Each leader has a
 * `fencingToken` larger than that of every leader before. A majority of the nodes must be up.
 * Another node knows as the leader the one that has told it so less than a lease ago, and has not
 * said since that it leads no longer. After a crash another node leads when `lease` is over,
 * 10 s by default; after one more, where a node that waited has crashed with the votes.
 *
 * **By a store**, the same holds while the store is up, and no other node need be: each writes to
 * the row, and knows as the leader the one that has written it less than a lease ago.
 *
 * In all, a leader that was paused may go on for a moment after another one was elected:
 * `leadership.signal` aborts when its program runs again. docs/choosing-an-election.md compares
 * them.
 *
 * @throws {ConclaveError} `bad-input` for a protocol of another problem, or fewer than three nodes
 * by leases; `assumption` where storage is missing; and as `repeated`, `leasedMajority` and
 * `embed`.
 * @example await using scheduler = election({ by: 'lease', self: 'a', nodes: ['a', 'b', 'c'],
 * transport }); for await (const leader of scheduler) if (leader?.leadership) await
 * schedule(leader.leadership.fencingToken, leader.leadership.signal);
 */
export function election(options: StoreElectionOptions): Election;
export function election(protocol: Protocol, options: ElectionOptions): Election;
export function election(
  options: EmbedOptions &
    Pick<LeaseOptions, 'lease' | 'drift' | 'renewal'> & {
      /**
       * The leader has the leased votes of a majority, `leasedMajority`, in a complete network of
       * three nodes or more. Over a transport whose nodes may come back it needs `storage`.
       */
      readonly by: 'lease';
      /**
       * The node that leads while it is up; the same for all nodes. A leader that hears that it
       * waits resigns. If it crashes while it waits, there is no leader for one lease.
       */
      readonly preferred?: NodeId;
      /**
       * Whether this node also tells clients who leads, which its network does not name:
       * `electionClient`. The same for all nodes; the transport must admit clients. Default false.
       */
      readonly clients?: boolean;
    },
): Election;
export function election(
  ...given: [Protocol, ElectionOptions] | [LeaseElectionOptions] | [StoreElectionOptions]
): Election {
  if (isOverStore(given)) return storeElection(given[0]);
  return isByLease(given) ? byLease(given[0]) : byMessages(...given);
}

type LeaseElectionOptions = Parameters<typeof election>[0]; // of the last overload

type Given = readonly unknown[];
const isByLease = (given: Given): given is [LeaseElectionOptions] =>
  Object(given[0]).by !== undefined;
const isOverStore = (given: Given): given is [StoreElectionOptions] =>
  given.length === 1 && Object(given[0]).store !== undefined;

function byMessages(protocol: Protocol, options: ElectionOptions): Election {
  checkOptions('election', schemas.protocolGiven, { protocol });
  checkOptions('election', electionOptions, options);
  requireProblem(
    protocol,
    'election',
    'an election',
    "Try lelannChangRoberts, or by: 'lease'; for a lock, call lock(protocol, options).",
  );
  const { detector, quorum, stable, ...embedding } = options;
  if (detector) requireDetector(detector, protocol);
  const { self, clock, onError = printError } = embedding;
  const topology = surroundingsOf(self, embedding);
  const connections = new Connections(embedding.transport);
  const delays = new Delays(protocol, topology, connections);
  let made: NodeElection | undefined;
  let last: ConclaveError | undefined;
  const reportFor = (whose: Protocol) => (error: ConclaveError) => {
    if (error === last) return; // that its node is refused is told to both parts
    last = error;
    delays.heard(error);
    made?.heard(error);
    onError(errorForUser(error, whose, 'election'));
  };
  const report = reportFor(protocol);
  const held = startedFrom(
    stable,
    hasTerms(protocol) ? protocol : repeated(protocol, { abandon: true }),
  );
  const protocols = [held, ...(detector ? [detector] : [])] as const;
  const checked = verified(embedding.transport, { ...embedding, protocols, topology });
  const [own, side] = detector
    ? splitTransport(checked.transport, detectorPart)
    : [checked.transport];
  const node = embed(held, { ...embedding, ...checked, transport: own, onError: report });
  connections.follow(node.admitted);
  const watch =
    detector &&
    side &&
    embed(detector, {
      self,
      nodes: topology.nodes,
      transport: { ...side, admitted: node.admitted }, // a node that is refused sends no heartbeat
      onError: reportFor(detector),
      ...(clock && { clock }),
    });
  const most = topology.nodes.length;
  const size = { most, least: quorum ?? Math.floor(most / 2) + 1 };
  made = new NodeElection(
    held,
    protocol.title,
    node,
    watch,
    size,
    clock ?? globalThis,
    delays,
    report,
  );
  return made;
}

function byLease(options: LeaseElectionOptions): Election {
  checkOptions('election', leaseElectionOptions, options);
  const { by: _, lease, drift, renewal, preferred, ...embedding } = options;
  const network = surroundingsOf(embedding.self, embedding);
  if (preferred !== undefined && !network.nodes.includes(preferred))
    throw new ConclaveError(
      'bad-input',
      `The preferred leader '${preferred}' is none of the nodes ${network.nodes.join(', ')}`,
      'Name one of them.',
    );
  const times = timesOf({ lease, drift, renewal });
  const tells = { announce: true, ...(embedding.clients && { follow: true }) };
  const protocol = leasesFor(network, embedding, { ...times, ...tells }, 'An election by leases');
  const { clock = globalThis } = embedding;
  const lock = lockOf(protocol, embedding);
  return new LeaseElection(lock, clock, votersKnowledge(protocol, lock, preferred));
}

const electionOptions = schemas.optionsOf<ElectionOptions>({
  ...schemas.embedEntries,
  detector: schemas.optional(schemas.protocol),
  quorum: schemas.optional(schemas.positive),
  stable: schemas.optional(schemas.fields),
});
const leaseElectionOptions = schemas.optionsOf<LeaseElectionOptions>({
  ...schemas.embedEntries,
  by: schemas.oneOf(['lease']),
  ...leaseTimeEntries,
  preferred: schemas.optional(schemas.text),
});
