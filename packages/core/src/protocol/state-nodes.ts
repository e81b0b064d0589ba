import type { AnyStateMachine, AnyStateNode } from 'xstate';

/** Every state node of a machine, outermost first. */
export function stateNodes(machine: AnyStateMachine): readonly AnyStateNode[] {
  const visit = (node: AnyStateNode): AnyStateNode[] => [
    node,
    ...Object.values(node.states).flatMap(visit),
  ];
  return visit(machine.root);
}
