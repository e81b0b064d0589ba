/** How a node stands with the others: its health, and why calls on it are late. */

import { awaitedBy } from '@conclave/algorithms/internal/coordination';
import type { Embedded, Transport, TransportStatus } from '@conclave/core/embedding';
import { ConclaveError, type NodeId, type Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';

/** What a node knows of its connections now; a snapshot. */
export interface Health {
  /**
   * - `working`: the node takes part.
   * - `joining`: it waits until the nodes in `awaited` admit it, such as for the last ones of a new
   *   epoch; or, where they have, until what it promised in the last epoch is over.
   * - `refused`: it takes part in nothing, for good: another node runs under its name, or it
   *   differs from the others. `reason` says who refuses it and why. A new start does not help.
   * - `closed`: it has ended otherwise: the program has closed it, its transport has closed for
   *   good, its storage cannot be written, or the others take it for crashed.
   *
   * What it has refused of others leaves it `working`: see `refusals`.
   */
  readonly state: 'working' | 'joining' | 'refused' | 'closed';
  /** Of `refused`: the message of the error. */
  readonly reason?: string;
  /**
   * For whom it waits: until it is admitted, the nodes that have not admitted it; then those whose
   * answers its request misses, where the protocol knows them.
   */
  readonly awaited: readonly NodeId[];
  /**
   * `down` while the transport tries to connect again; a transport that does not tell is `up` until
   * it is closed.
   */
  readonly transport: 'up' | 'down' | 'closed';
  /**
   * The nodes that it cannot reach now, or of which it has never heard, where the transport knows:
   * TCP, IPC and WebSocket do. By Redis only those that did not get the last message; NATS does not
   * tell who listens.
   */
  readonly unreachable: readonly NodeId[];
  /**
   * How many errors `refused` it has reported since its start: of nodes that it does not take,
   * frames of strangers, and, where others refuse it, its own. For alerts: it never falls, and a
   * node that works has some after any stray frame.
   */
  readonly refusals: number;
}

/** What a transport tells about itself and the peers: one for all nodes on it. */
export class Connections {
  readonly #unreachable = new Set<NodeId>();
  #state: TransportStatus['state'] = 'up';
  #isAdmitted = false;

  constructor({ peers$, status$ }: Transport) {
    peers$?.subscribe(({ peer, reachable }) =>
      reachable ? this.#unreachable.delete(peer) : this.#unreachable.add(peer),
    );
    status$?.subscribe(({ state }) => {
      this.#state = state;
    });
  }

  /** Waits until it is admitted, where anything admits it. */
  follow(admitted: Promise<void> = Promise.resolve()): void {
    admitted.then(
      () => {
        this.#isAdmitted = true;
      },
      () => {}, // its error is told elsewhere
    );
  }

  get unreachable(): readonly NodeId[] {
    return [...this.#unreachable].sort();
  }

  /** @param ended the error of its calls, where it was not the program that closed it */
  health(
    isClosed: boolean,
    ended: ConclaveError | undefined,
    { awaited, waitsFor = [], refusals }: Waiting,
  ): Health {
    const transport = isClosed ? 'closed' : this.#state;
    const isRefused = isClosed && ended?.code === 'refused';
    const present = this.#isAdmitted ? 'working' : 'joining';
    return {
      state: isRefused ? 'refused' : transport === 'closed' ? 'closed' : present,
      ...(isRefused && { reason: ended.message }),
      awaited: awaited.length > 0 ? awaited : waitsFor,
      transport: transport === 'resumed' ? 'up' : transport,
      unreachable: this.unreachable,
      refusals,
    };
  }
}

interface Waiting {
  /** Those that have not admitted the node. */
  readonly awaited: readonly NodeId[];
  /** Those whose answers it misses. */
  readonly waitsFor?: readonly NodeId[];
  readonly refusals: number;
}

type Node = Pick<Embedded, 'awaited' | 'state'>;

/** What a caller adds to the error of a call that has waited too long. */
interface Given {
  readonly why?: string;
  /** Where it is not known for whom the node waits. */
  readonly cure?: string;
}

/** Why the calls on a node wait: for whom it waits, who cannot be reached, and what was refused. */
export class Delays {
  #refusals = 0;
  #refusal: ConclaveError | undefined;

  constructor(
    private readonly protocol: Protocol,
    private readonly topology: Topology,
    private readonly connections: Connections,
  ) {}

  /** How many refusals the node has reported. */
  get refusals(): number {
    return this.#refusals;
  }

  /** The node has reported this error. */
  heard(error: ConclaveError): void {
    if (error.code !== 'refused') return;
    this.#refusals++;
    this.#refusal = error;
  }

  /** @param ended why it has ended, where that is more than that it was closed */
  health(node: Node, isClosed: boolean, ended: ConclaveError | undefined): Health {
    const waitsFor = awaitedBy(this.protocol, node.state, this.topology);
    return this.connections.health(isClosed, ended, {
      awaited: node.awaited,
      waitsFor,
      refusals: this.#refusals,
    });
  }

  /** The error of a call on `node`. @param since what `refusals` was when the call began */
  timedOut(node: Node, late: string, since: number, given: Given = {}): ConclaveError {
    const isJoining = node.awaited.length > 0;
    const awaited = isJoining ? node.awaited : awaitedBy(this.protocol, node.state, this.topology);
    const names = awaited.join(', ');
    const unreachable = (names === '' ? this.topology.nodes : awaited)
      .filter((id) => this.connections.unreachable.includes(id))
      .join(', ');
    const refusal = isJoining || this.#refusals > since ? this.#refusal : undefined;
    const { why = '', cure = 'Wait longer, or check that all nodes are up.' } = given;
    const reasons = [
      why,
      names && `${isJoining ? 'it is not admitted yet, and' : 'it'} waits for ${names}`,
      unreachable && `it cannot reach ${unreachable} now`,
      refusal && `it has reported: ${refusal.what}`,
    ].filter(Boolean);
    const cures = [
      names ? `Wait longer, or check that they are up: ${names}.` : cure,
      refusal?.cure,
    ].filter(Boolean);
    return new ConclaveError(
      'timed-out',
      reasons.length > 0 ? `${late}: ${reasons.join('; ')}` : late,
      cures.join(' '),
    );
  }
}
