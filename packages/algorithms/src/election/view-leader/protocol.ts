import {
  always,
  defineProtocol,
  everyStep,
  type Message,
  type NodeView,
  type Property,
  type Protocol,
} from '@conclave/core/protocol';
import { overGroup } from '../../composition/part.js';
import { membership } from '../../detectors/membership/protocol.js';
import { validOptions } from '../../options.js';
import { type Command, commands, decision, inTerms, termOf, terms } from '../election.js';
import { machine } from './view-leader.js';

export type { Command };

const viewOf = ({
  context,
}: NodeView): { readonly number: number; readonly members: readonly string[] } =>
  Object(context.group);

/** What the rules say. */
const rules: readonly Property[] = [
  always(
    'the leader that a node knows is the smallest member of its view, and the term the number of that view',
    (system) =>
      system
        .tagged('decided')
        .every(
          (node) =>
            node.context.leader === viewOf(node).members[0] && termOf(node) === viewOf(node).number,
        ),
  ),
  always('a node in a view is the leader exactly if it is the smallest member', ({ nodes }) =>
    nodes.every((node) => {
      if (node.crashed || viewOf(node).number === 0) return true;
      return (
        node.tags.has('decided') &&
        node.tags.has('leader') === (viewOf(node).members[0] === node.id)
      );
    }),
  ),
  everyStep(
    'a node changes its leader only with its view',
    ({ before, after }) =>
      before.context.leader === after.context.leader ||
      viewOf(before).number < viewOf(after).number,
  ),
];

/** Nodes start in their first view: without a crash nothing changes. */
const maybeVacuous = (property: Property): Property =>
  property.kind === 'always' || property.kind === 'eventually'
    ? { ...property, vacuous: 'without a crash the view stays, and its leader with it' }
    : property;

/**
 * B17: election over a group. The leader of each view is its smallest member; the term is the
 * number of the view.
 *
 * @throws {ConclaveError} `bad-input` for an option: there is none.
 */
export function viewLeader(options: Readonly<Record<string, never>> = {}): Protocol<Command> {
  validOptions('viewLeader', {}, options);
  return defineProtocol<Message, Command>({
    id: 'B17',
    name: 'view-leader',
    title: 'Election over a group',
    problem: 'election',
    citation:
      'K. P. Birman, T. A. Joseph: Exploiting Virtual Synchrony in Distributed Systems. SOSP 1987, 123–138',
    ...overGroup(membership(), machine),
    commands,
    properties: [
      ...decision.map((property) => inTerms(property) ?? property),
      ...terms,
      ...rules,
    ].map(maybeVacuous),
    cost: {
      per: 'election',
      formula: '0',
      remark: 'the view after a crash costs 3(n−2)',
      messages: () => ({ least: 0, most: 0 }),
    },
  });
}
