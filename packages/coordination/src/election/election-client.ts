import { type Embedded, embed } from '@conclave/core/embedding';
import { checkOptions, printError, schemas } from '@conclave/core/internal';
import type { ConclaveError } from '@conclave/core/protocol';
import {
  clientEntries,
  clientOf,
  type ElectionClientOptions,
  namesOf,
  requireNoPast,
} from '../client-of.js';
import { errorForUser } from '../error-for-user.js';
import { Connections, Delays, type Health } from '../health.js';
import { leasesFor } from '../lock/lease-choice.js';
import type { Timers } from '../waits.js';
import { leaseTimeEntries, timesOf } from './lease-election.js';
import { type ElectionClient, type Leader, SharedElection } from './shared-election.js';

/**
 * The election of `servers`, for a program that only follows: any number of clients, which no
 * server needs to know, learn who leads, and never lead themselves. The servers are elections with
 * `by: 'lease'` and `clients: true`.
 *
 * A client shows what the leader itself has told it, for less than a lease from its own question
 * on: never a node that has not led, never an earlier term after a later one, and a leader no
 * longer than it has its lease, unless the leader has resigned or its program has closed it. It
 * then hears of that in a message, which may be lost.
 *
 * @throws {ConclaveError} `bad-input` for options that it does not have, or fewer than three
 * servers; what `transport` throws. A client of another epoch, version or other times than the
 * servers gets the error `refused` from each call.
 * @example
 * await using scheduler = await electionClient({
 *   servers: ['a', 'b', 'c'],
 *   transport: (self) => natsTransport({ self, peers: ['a', 'b', 'c'], network: 'shop' }),
 * });
 * for await (const leader of scheduler) route(leader?.id);
 */
export function electionClient(options: ElectionClientOptions): Promise<ElectionClient> {
  requireNoPast('electionClient', options);
  checkOptions('electionClient', electionClientOptions, options);
  return follow(options);
}

async function follow(options: ElectionClientOptions): Promise<ElectionClient> {
  const { lease, drift, renewal, clock, confirm, onError = printError } = options;
  const site = { self: '', peers: [], clients: true, transport: { guarantees: {} } };
  const what = 'An election by leases';
  const times = { ...timesOf({ lease, drift, renewal }), announce: true, follow: true };
  const protocol = leasesFor({ nodes: namesOf(options) }, site, times, what);
  return clientOf('electionClient', protocol, options, (as) => {
    const connections = new Connections(as.transport);
    const delays = new Delays(protocol, as.topology, connections);
    let made: FollowedElection | undefined;
    const report = (error: ConclaveError) => {
      delays.heard(error);
      made?.heard(error);
      onError(errorForUser(error, protocol, 'election'));
    };
    const given = { ...as, ...(clock && { clock }), ...(confirm && { confirm }) };
    const node = embed(protocol, { ...given, onError: report });
    connections.follow(node.admitted);
    made = new FollowedElection(node, clock ?? globalThis, delays);
    return made;
  });
}

class FollowedElection extends SharedElection implements ElectionClient {
  readonly stable = {};
  readonly #node: Embedded;
  readonly #delays: Delays;
  #heard: ConclaveError | undefined;

  constructor(node: Embedded, clock: Timers, delays: Delays) {
    super(node.id, clock, delays, (waitFor, since) =>
      delays.timedOut(node, `Client ${node.id} knows no leader after ${waitFor} ms`, since, {
        cure: 'Wait longer, or check that a majority of the servers is up.',
      }),
    );
    this.#node = node;
    this.#delays = delays;
    node.state$.subscribe({
      next: () => this.#look(),
      complete: () => this.end(node.refusal, this.#heard),
    });
  }

  /** After a pause of the process, what it knew may be over. */
  override get leader(): Leader | undefined {
    if (!this.ended) this.#node.settle();
    return super.leader;
  }

  get term(): number {
    return this.leader?.term ?? 0;
  }

  get health(): Health {
    return this.#delays.health(this.#node, this.ended !== undefined, this.ended);
  }

  /** The last error of the node, which may be why it ends. */
  heard(error: ConclaveError): void {
    this.#heard = error;
  }

  resign(): void {} // it does not lead
  protected start(): void {} // its servers stand
  protected lose(): void {}

  protected closeNode(): Promise<void> {
    return this.#node.close();
  }

  #look(): void {
    const { tags, context } = this.#node.state;
    const { leader, floor } = context;
    this.tell(tags.has('informed') ? { id: String(leader), term: Number(floor) } : undefined);
  }
}

const electionClientOptions = schemas.optionsOf<ElectionClientOptions>({
  ...clientEntries,
  ...leaseTimeEntries,
});
