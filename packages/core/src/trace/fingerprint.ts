import type { AnyStateNode } from 'xstate';
import type { Protocol } from '../protocol/protocol.js';
import { stateNodes } from '../protocol/state-nodes.js';
import { textSum } from './state-hash.js';

const known = new WeakMap<Protocol['roles'], string>();

/**
 * 16 hexadecimal digits that differ between two versions of a protocol whose charts, messages or
 * stable fields differ. The bodies of guards and actions do not count: they change with each build.
 */
export function protocolFingerprint({ roles, messages, commands }: Protocol): string {
  const before = known.get(roles);
  if (before !== undefined) return before;
  const text = JSON.stringify([
    Object.entries(roles).map(([name, { machine, stable = [] }]) => [
      name,
      stable,
      stateNodes(machine).map(partsOf),
    ]),
    fieldsOf(messages),
    fieldsOf(commands),
  ]);
  const made = textSum(text) + textSum([...text].reverse().join(''));
  known.set(roles, made);
  return made;
}

const fieldsOf = (shapes: Protocol['messages']) =>
  Object.entries(shapes).map(([type, { fields = [] }]) => [type, fields]);

const partsOf = (node: AnyStateNode) => [
  node.id,
  node.type,
  node.tags,
  node.entry.map(nameOf),
  node.exit.map(nameOf),
  [...[...node.transitions.values()].flat(), ...(node.always ?? [])].map(
    ({ eventType, target, guard, actions }) => [
      eventType,
      (target ?? []).map(({ id }) => id),
      nameOf(guard),
      actions.map(nameOf),
    ],
  ),
];

/** What XState knows an action or a guard by; the functions of its own have a type. */
const nameOf = (part: unknown): string => {
  if (typeof part === 'string') return part;
  const isNamed =
    (typeof part === 'object' || typeof part === 'function') && part !== null && 'type' in part;
  return isNamed ? String(part.type) : typeof part;
};
