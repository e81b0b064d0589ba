import type { Protocol } from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { partCounters, partShapes, partStable } from '../../composition/part.js';

/**
 * The network, the nodes and the messages of a protocol whose `machine` has the machine of `group`
 * as its region `group`.
 */
export function overGroup(
  group: Protocol,
  machine: Protocol['roles'][string]['machine'],
): Pick<Protocol, 'topology' | 'channels' | 'crashNotice' | 'roles' | 'messages'> {
  const { node } = group.roles;
  return {
    topology: needs.complete,
    channels: group.channels,
    crashNotice: `group-${group.crashNotice}`,
    roles: {
      node: {
        machine,
        input: (self, topology) => ({ self, group: node?.input(self, topology) ?? null }),
        stable: partStable('group', node),
        counters: partCounters('group', node),
      },
    },
    messages: partShapes('group', group.messages),
  };
}
