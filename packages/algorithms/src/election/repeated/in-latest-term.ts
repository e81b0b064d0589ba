/** What a property of one election sees of elections that are held again: the latest of them. */
import {
  ConclaveError,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
  type SystemView,
} from '@conclave/core/protocol';
import { termOf } from '../election.js';
import { type Beginning, electionState } from './repeated.js';

type InFlight = ReturnType<SystemView['inFlight']>[number];
export type Beginnings = (role: string) => Beginning;

/**
 * A property of the single election, for the latest term: there a node of an earlier term has not
 * taken part yet. Undefined for a property of runs, which a later term may cut short.
 */
export function inLatestTerm(property: Property, beginnings: Beginnings): Property | undefined {
  switch (property.kind) {
    case 'atMost':
      return property; // a message belongs to the election that a command started
    case 'leadsTo':
    case 'increases':
    case 'overtaken':
      return undefined;
    case 'everyStep':
      return {
        ...property,
        allows: (step) => isIgnored(step) || property.allows(stepInTerm(step, beginnings)),
      };
    default:
      return {
        ...property,
        holds: (system: SystemView) => property.holds(new LatestTerm(system, beginnings)),
      };
  }
}

/** TM4 */
const isIgnored = ({ after, cause }: NodeStep): boolean =>
  cause.kind === 'message' && 'term' in cause.message && Number(cause.message.term) < termOf(after);

function stepInTerm(step: NodeStep, beginnings: Beginnings): NodeStep {
  const { before, after, cause, sent, notified } = step;
  const term = termOf(after);
  return {
    before: nodeInTerm(term, before, beginnings),
    after: nodeInTerm(term, after, beginnings),
    cause,
    sent,
    notified,
  };
}

/** The node as one of the election of this term. */
export function nodeInTerm(term: number, node: NodeView, beginnings: Beginnings): NodeView {
  const { id, role, crashed, tags, context } = node; // not spread: hosts have views with getters
  if (termOf(node) === term)
    return { id, role, crashed, tags, context, value: electionState(node.value) };
  const first = beginnings(role).state(Object(context.input));
  return {
    id,
    role,
    crashed,
    value: first.value,
    context: first.context,
    tags: new Set(crashed ? [] : first.tags),
  };
}

class LatestTerm implements SystemView {
  readonly nodes: readonly NodeView[];
  readonly #term: number;

  constructor(
    private readonly system: SystemView,
    beginnings: Beginnings,
  ) {
    const all = system.nodes;
    this.#term = Math.max(...all.map(termOf));
    this.nodes = all.map((node) => nodeInTerm(this.#term, node, beginnings));
  }

  get live(): number {
    return this.system.live;
  }

  node(id: NodeId): NodeView {
    const node = this.nodes.find((one) => one.id === id);
    if (!node) throw new ConclaveError('bad-input', `The system has no node '${id}'`);
    return node;
  }

  count(tag: string): number {
    return this.tagged(tag).length;
  }

  tagged(tag: string): readonly NodeView[] {
    return this.nodes.filter(({ tags }) => tags.has(tag));
  }

  distinct(tag: string, field: string): readonly unknown[] {
    return [...new Set(this.tagged(tag).map(({ context }) => context[field]))];
  }

  inFlight(type?: string): readonly InFlight[] {
    return this.system
      .inFlight(type)
      .filter(({ message }) => 'term' in message && message.term === this.#term);
  }
}
