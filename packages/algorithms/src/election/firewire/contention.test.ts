/** Contention: where it may be, and how it ends. */
import { explore } from '@conclave/core/exploration';
import { almostSurely, always, type NodeId, type SystemView } from '@conclave/core/protocol';
import { chain } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect } from 'vitest';
import { propertyNamed } from '../../contract/findings.js';
import { labelledTrees } from '../../mutual-exclusion/token/building-blocks/labelled-graphs.contract.js';
import { firewire } from './protocol.js';

const isDecided = (system: SystemView) => system.count('decided') === system.live;
const [random, byId] = [firewire(), firewire({ tieBreak: 'id' })];

describe('contention of firewire, at any speed of messages and timers', () => {
  proof('may be at each edge: each two neighbours can ask each other', () => {
    for (const topology of labelledTrees(3))
      for (const { from, to } of topology.links) {
        const never = `${from} and ${to} never ask each other`;
        const asks = (system: SystemView, id: NodeId, other: NodeId) => {
          const { tags, context } = system.node(id);
          return (
            tags.has('asking') &&
            Array.isArray(context.children) &&
            !context.children.includes(other)
          );
        };
        const property = always(
          never,
          (system) => !(asks(system, from, to) && asks(system, to, from)),
        );
        expect(
          propertyNamed(explore(random, topology, { properties: [property] }).properties, never)
            .verdict,
        ).toBe('violated');
      }
  });

  proof(
    'ends in every fair run with tieBreak id, and need not end with random waits, whatever is drawn',
    () => {
      expect(
        propertyNamed(explore(byId, chain(2)).properties, 'every live node knows the one leader')
          .verdict,
      ).toBe('holds');
      const ends = almostSurely('the election ends', isDecided);
      const { states, properties } = explore(random, chain(2), { properties: [ends] });
      expect([states, propertyNamed(properties, ends.name).verdict]).toEqual([123, 'violated']);
    },
  );
});
