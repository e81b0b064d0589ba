import type { Transport, TransportStatus } from '@conclave/core/embedding';
import type { NodeId } from '@conclave/core/protocol';

/** What a node knows of its connections now; a snapshot. */
export interface Health {
  /** Whether the node takes part: all that must have admitted it, and it is not closed. */
  readonly admitted: boolean;
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
   * The nodes that it cannot reach now, where the transport knows: TCP and IPC do. A broker or a
   * relay does not tell who listens.
   */
  readonly unreachable: readonly NodeId[];
  /** How many errors `refused` it has reported since its start. */
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

  health(isClosed: boolean, { awaited, waitsFor = [], refusals }: Waiting): Health {
    const state = isClosed ? 'closed' : this.#state;
    return {
      admitted: state !== 'closed' && this.#isAdmitted,
      awaited: awaited.length > 0 ? awaited : waitsFor,
      transport: state === 'resumed' ? 'up' : state,
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
