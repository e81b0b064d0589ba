import type { AnyMachineSnapshot, AnyStateMachine, AnyStateNode, StateValue } from 'xstate';
import { stateNodes } from './state-nodes.js';

const parallel = new WeakMap<AnyStateMachine, boolean>();

/**
 * `snapshot` with the regions of its parallel states in document order. XState 5.33 keeps them, and asks them, in the order in which they
 * were entered, which neither `value` nor JSON tells apart: two equal local states would act differently.
 */
export function inOrder<S extends AnyMachineSnapshot>(snapshot: S): S {
  if (!hasRegions(snapshot.machine)) return snapshot;
  snapshot._nodes.sort((a, b) => a.order - b.order);
  const value = inDocumentOrder(snapshot.machine.root, snapshot.value);
  snapshot.value = value;
  return snapshot;
}

function hasRegions(machine: AnyStateMachine): boolean {
  const known = parallel.get(machine);
  if (known !== undefined) return known;
  const found = stateNodes(machine).some(({ type }) => type === 'parallel');
  parallel.set(machine, found);
  return found;
}

/** A state value of `node` with its regions in document order. */
export function inDocumentOrder(node: AnyStateNode, value: StateValue): StateValue {
  if (typeof value === 'string') return value;
  const entries = Object.keys(node.states).flatMap((key) => {
    const child = node.states[key];
    const inner = value[key];
    return child && inner !== undefined ? [[key, inDocumentOrder(child, inner)] as const] : [];
  });
  return Object.fromEntries(entries);
}
