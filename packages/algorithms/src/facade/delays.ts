import type { Embedded } from '@conclave/core/embedding';
import { ConclaveError, type Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { awaitedBy } from '../composition/awaited.js';
import type { Connections, Health } from './health.js';

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
