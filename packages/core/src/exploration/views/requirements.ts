/** What a protocol must not have, since views would not show it. */
import type { Protocol } from '../../protocol/protocol.js';
import type { Family } from './family.js';
import { literalsOf } from './source-literals.js';
import { Unprovable } from './unprovable.js';

export function requireNoHistory({ history }: Protocol): void {
  if (history)
    throw new Unprovable('its properties speak of the past of nodes, which views do not have');
}

/**
 * The source of the machines must not have a number that only a larger network than `nodes` reaches,
 * nor the name of a node.
 */
export function requireNoSpecialCase({ protocol, largest }: Family, nodes: number): void {
  for (const [role, { machine }] of Object.entries(protocol.roles)) {
    const { numbers, texts } = literalsOf(machine);
    // a queue of so many needs some nodes more
    const number = [...numbers].find((each) => each > nodes / 2);
    const name = largest.nodes.find((id) => texts.has(id));
    const special = number ?? (name === undefined ? undefined : `'${name}'`);
    if (special !== undefined)
      throw new Unprovable(
        `the source of a guard or action of role '${role}' has ${special}: networks of up to ${nodes} nodes do not show what larger ones do there`,
      );
  }
}
