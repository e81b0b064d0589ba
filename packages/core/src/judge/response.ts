import { ConclaveError } from '../base/error.js';
import { answerOf } from '../protocol/answer.js';
import { stateText } from '../protocol/handles.js';
import type { NodeId } from '../protocol/node.js';
import type { LeadsTo, NodeView, SystemView } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import { waitingOf } from '../protocol/waiting.js';
import { listed } from './blame.js';
import { isTrue, type Loop, type Outcome, Tracker } from './tracker.js';

/** `leadsTo`: the nodes whose trigger has no response yet. */
export class Response extends Tracker {
  constructor(
    readonly property: LeadsTo,
    private readonly pending = new Set<NodeId>(),
  ) {
    super();
  }

  override begin({ nodes }: SystemView): void {
    for (const node of nodes) this.node(node);
  }

  override node(node: NodeView): void {
    if (this.#responds(node)) this.pending.delete(node.id);
    else if (answerOf(this.property, this.property.holds, node)) this.pending.add(node.id);
  }

  copy(): Response {
    return new Response(this.property, new Set(this.pending));
  }

  now(system: SystemView): Outcome {
    return this.pending.size === 0
      ? isTrue('No node is waited for.')
      : awaiting('undecided', system, this.pending, '.');
  }

  ended(system: SystemView): Outcome {
    return this.pending.size === 0
      ? isTrue('No node is waited for where the run ends.')
      : awaiting('false', system, this.pending, ' where the run ends.');
  }

  repeated(_first: Tracker, { system, systems }: Loop): Outcome {
    const starved = [...this.pending].filter(
      (id) => !systems.some((one) => this.#responds(one.node(id))),
    );
    return starved.length === 0
      ? isTrue('Each is answered again and again.')
      : awaiting('false', system, new Set(starved), ' forever.');
  }

  #responds(node: NodeView): boolean {
    return node.crashed || answerOf(this.property, this.property.then, node);
  }
}

/** `nodes` are told in the order of the topology. */
const awaiting = (
  value: Outcome['value'],
  system: SystemView,
  nodes: ReadonlySet<NodeId>,
  end: string,
): Outcome => ({
  value,
  because: (protocol) => {
    const waiting = system.nodes.filter(({ id }) => nodes.has(id));
    return {
      reason: waitText(protocol, waiting) + end,
      nodes: waiting.map(({ id }) => id),
    };
  },
});

/**
 * `b waits`, `a and b wait`, or where they do not wait in the sense of the protocol:
 * `b in 'voted' is awaited`.
 */
function waitText(protocol: Protocol, nodes: readonly NodeView[]): string {
  const isOne = nodes.length === 1;
  if (nodes.every((node) => isSaidToWait(protocol, node)))
    return `${listed(
      nodes.map(({ id }) => id),
      'and',
    )} ${isOne ? 'waits' : 'wait'}`;
  const named = nodes.map(({ id, value }) => `${id} in '${stateText(value)}'`);
  return `${listed(named, 'and')} ${isOne ? 'is' : 'are'} awaited`;
}

/**
 * Whether the protocol says that a node waits; not if what says it fails, which is an error of
 * another property.
 */
function isSaidToWait(protocol: Protocol, node: NodeView): boolean {
  const waiting = waitingOf(protocol);
  try {
    return waiting !== undefined && answerOf({ name: 'waiting' }, waiting, node);
  } catch (error) {
    if (error instanceof ConclaveError) return false;
    throw error;
  }
}
