import { defineProtocol, type Message, type Property, type Protocol } from '@conclave/core/protocol';
import { needs } from '@conclave/core/topology';
import { partShapes, partStable } from '../../composition/part.js';
import { membership } from '../../groups/membership/protocol.js';
import { type Command, commands, decision, inTerms, terms } from '../election.js';
import { rules } from './properties.js';
import { machine } from './view-leader.js';

/** Nodes start in their first view: without a crash nothing changes. */
const maybeVacuous = (property: Property): Property =>
  property.kind === 'always' || property.kind === 'eventually'
    ? { ...property, vacuous: 'without a crash the view stays, and its leader with it' }
    : property;

/** B17: election over a group. The leader of each view is its smallest member; the term is the number of the view. */
export function viewLeader(): Protocol<Message, Command> {
  const group = membership();
  const { node } = group.roles;
  return defineProtocol<Message, Command>({
    id: 'B17',
    name: 'view-leader',
    title: 'Election over a group',
    problem: 'election',
    citation: 'K. P. Birman, T. A. Joseph: Exploiting Virtual Synchrony in Distributed Systems. SOSP 1987, 123–138',
    topology: needs.complete,
    channels: group.channels,
    crashNotice: `group-${group.crashNotice}`,
    roles: {
      node: {
        machine,
        input: (self, topology) => ({ self, group: node?.input(self, topology) ?? null }),
        stable: partStable('group', node),
      },
    },
    messages: partShapes('group', group.messages),
    commands,
    properties: [...decision.map((property) => inTerms(property) ?? property), ...terms, ...rules].map(maybeVacuous),
    cost: {
      per: 'election',
      formula: '0',
      remark: 'the view after a crash costs 3(n−2)',
      messages: () => ({ least: 0, most: 0 }),
    },
  });
}
