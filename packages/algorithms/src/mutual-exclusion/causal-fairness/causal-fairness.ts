/** Whether a lock grants entry in the causal order of the requests. Rules CF1–CF5: README.md */

import {
  always,
  type History,
  type Json,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
  type Protocol,
} from '@conclave/core/protocol';
import { ofNode } from '../../by-node.js';
import { inOrder, merged, type VectorClock } from '../../clocks/clock.js';
import { type OptionSchemas, part } from '../../options.js';
import { inCriticalSection } from '../mutual-exclusion.js';

export type Options = {
  /** The lock that is judged. Default: Lamport's, whose paper states the condition. */
  readonly lock?: Protocol;
};

export const causalFairnessOptions: OptionSchemas<Options> = {
  lock: part('the lock that is judged: ricart-agrawala, raymond?greedy=2'),
};

/** What the judge remembers about the past of a node. */
type Requests = {
  /** By node: how many of its requests happened before the last step of this node, or in it. */
  readonly known: VectorClock;
  /** `known` at the node's own request, until it leaves its critical section; else empty. */
  readonly atRequest: VectorClock;
  /**
   * How many of its requests have ended: it has entered, or has made another request, as after a
   * crash.
   */
  readonly entries: number;
};

const isRequest = ({ cause }: NodeStep): boolean =>
  cause.kind === 'command' && cause.command.type === 'acquire';

/**
 * Which requests happened before each step, in Lamport's relation over all messages of the
 * protocol.
 */
export const requestsBefore: History<Requests> = {
  initial: () => ({ known: {}, atRequest: {}, entries: 0 }),
  after: (history, step) => {
    const { before, after, label } = step;
    const earlier = ofNode(history.known, after.id) ?? 0;
    const own = isRequest(step) ? { [after.id]: earlier + 1 } : {}; // CF1
    const known = inOrder(merged(merged(history.known, vectorIn(label)), own)); // CF3
    const isInside = inCriticalSection(after);
    const isPending = isInside || after.tags.has('waiting');
    return {
      known,
      atRequest: isRequest(step) ? known : isPending ? history.atRequest : {}, // CF1
      entries:
        (isRequest(step) ? earlier : history.entries) +
        (isInside && !inCriticalSection(before) ? 1 : 0), // CF4
    };
  },
  label: ({ known }) => known, // CF2
};

const vectorIn = (label: Json | undefined): VectorClock => Object(label ?? {});

/** The history of a node of a protocol with {@link requestsBefore}. */
function historyOf({ history }: Pick<NodeView, 'history'>): Requests {
  const { known, atRequest, entries } = Object(history ?? {});
  return { known: vectorIn(known), atRequest: vectorIn(atRequest), entries: Number(entries ?? 0) };
}

/**
 * The nodes that still wait although a request of theirs happened before the request of this node.
 * A crash ends a request.
 */
function passed(node: NodeView, nodes: readonly NodeView[]): readonly NodeId[] {
  const { atRequest } = historyOf(node);
  const waits = ({ id, tags, history }: NodeView) =>
    tags.has('waiting') && historyOf({ history }).entries < (ofNode(atRequest, id) ?? 0);
  return nodes.flatMap((other) => (other.id !== node.id && waits(other) ? [other.id] : []));
}

/** A node enters only after all nodes whose requests happened before its own. */
export const respectsHappenedBefore: Property = always(
  'entries follow the order in which their requests happened before each other',
  // CF5
  (system) => system.tagged('critical').every((node) => passed(node, system.nodes).length === 0),
);
