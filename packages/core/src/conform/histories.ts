import { labelOf, NodeHistory } from '../protocol/history.js';
import type { Json, Message } from '../protocol/node.js';
import type { NodeStep } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import type { Topology } from '../topology/topology.js';

/** Histories grow, and properties of them take longer with each step. */
const longest = 500;

/** The history variables of the nodes, by place; none where the protocol has none. */
export class Histories {
  readonly #histories: readonly (NodeHistory | undefined)[];
  readonly #recorded: (Json | undefined)[];
  #steps = 0;
  /** Why they are not known from here on; undefined where they are, or where there are none. */
  forgot: string | undefined;

  constructor(protocol: Protocol, topology: Topology) {
    this.#histories = topology.nodes.map((id) => NodeHistory.of(protocol, topology, id));
    this.#recorded = this.#histories.map((history) => history?.initial());
  }

  of(place: number): Json | undefined {
    return this.#recorded[place];
  }

  /** Counts a step of a node. */
  count(place: number): void {
    if (++this.#steps > longest && this.#histories[place])
      this.forgot ??= `histories are kept for ${longest} steps`;
  }

  /** Keeps what a node remembers of a step. `received`: the message, as it was sent. */
  record(place: number, step: NodeStep, received: Message | undefined): void {
    const history = this.#histories[place];
    const recorded = this.#recorded[place];
    if (!history || recorded === undefined || this.forgot !== undefined) return;
    if (step.cause.kind === 'message' && !received) {
      this.forgot = 'a message arrived whose sending, and so its past, is not known';
      return;
    }
    const label = received && labelOf(received);
    this.#recorded[place] = history.after(
      recorded,
      label === undefined ? step : { ...step, label },
    );
  }

  /** A message that a node sends now, as its history labels it. */
  labelled(place: number, message: Message): Message {
    const history = this.#histories[place];
    const recorded = this.#recorded[place];
    return history && recorded !== undefined && this.forgot === undefined
      ? history.labelled(message, recorded)
      : message;
  }
}
