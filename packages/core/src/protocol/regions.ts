/**
 * The tree of a statechart's states as XState has it: all state nodes, and configurations of several
 * regions brought into one order, so that equal states are the same data.
 */
import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  and,
  not,
  or,
  type StateValue,
  stateIn,
} from 'xstate';
import { ConclaveError } from '../base/error.js';

/** Every state node of a machine, outermost first. */
export function stateNodes(machine: AnyStateMachine): readonly AnyStateNode[] {
  const visit = (node: AnyStateNode): AnyStateNode[] => [
    node,
    ...Object.values(node.states).flatMap(visit),
  ];
  return visit(machine.root);
}

const forked = new WeakMap<AnyStateMachine, boolean>();

/**
 * `snapshot` with the regions of its parallel states in document order. XState 5.33 keeps them, and
 * asks them, in the order in which they were entered, which neither `value` nor JSON tells apart:
 * two equal local states would act differently.
 *
 * @throws {ConclaveError} `bad-protocol` for an illegal configuration, which XState 5.33 leaves
 * after some transitions out of nested parallel states: neither `value` nor JSON tells it from a
 * legal one.
 */
export function inOrder<S extends AnyMachineSnapshot>(snapshot: S): S {
  if (!mayFork(snapshot.machine) || snapshot.status === 'error') return snapshot;
  snapshot._nodes.sort((a, b) => a.order - b.order);
  requireLegal(snapshot.machine, snapshot._nodes);
  const value = inDocumentOrder(snapshot.machine.root, snapshot.value);
  snapshot.value = value;
  return snapshot;
}

/** Whether more than one state inside another may be active. */
function mayFork(machine: AnyStateMachine): boolean {
  const known = forked.get(machine);
  if (known !== undefined) return known;
  const found = stateNodes(machine).some(
    ({ type, transitions, always = [] }) =>
      type === 'parallel' ||
      [...transitions.values(), always].some((all) =>
        all.some(({ target = [] }) => target.length > 1),
      ),
  );
  forked.set(machine, found);
  return found;
}

/**
 * @throws {ConclaveError} `bad-protocol` where these active state nodes, outermost first, are no
 * legal configuration.
 */
export function requireLegal(machine: AnyStateMachine, nodes: readonly AnyStateNode[]): void {
  const illegal = illegalIn(nodes);
  if (illegal === undefined) return;
  throw new ConclaveError(
    'bad-protocol',
    `Machine '${machine.id}' reaches an illegal configuration: ${illegal}`,
    'XState leaves it so after some transitions out of nested parallel states, or to several targets. Enter or leave the parallel state as a whole.',
  );
}

/**
 * Why these active state nodes, outermost first, are no legal configuration; undefined where they
 * are.
 */
function illegalIn(nodes: readonly AnyStateNode[]): string | undefined {
  const inside = new Map<AnyStateNode | undefined, number>();
  for (const { parent } of nodes) inside.set(parent, (inside.get(parent) ?? 0) + 1);
  if (!inside.has(undefined)) return 'the root is not active';
  for (const node of nodes) {
    const count = inside.get(node) ?? 0;
    inside.delete(node);
    const expected = node.type === 'compound' ? 1 : node.type === 'parallel' ? regionsOf(node) : 0;
    if (count !== expected)
      return `${count} of the states in '${node.id}' are active, not ${expected}`;
  }
  inside.delete(undefined);
  const [orphaned] = inside.keys();
  return orphaned && `states in '${orphaned.id}' are active, but not '${orphaned.id}'`;
}

const regionsOf = ({ states }: AnyStateNode): number => {
  let count = 0;
  for (const key in states) if (states[key]?.type !== 'history') count++;
  return count;
};

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

/** A machine that takes more transitions than this in one step is in an endless loop. */
const mostMicrosteps = 1000;

/**
 * Bounds the `always` transitions of a step, unless the machine does: an endless loop of them
 * fails.
 */
export function boundMicrosteps(machine: AnyStateMachine): void {
  if (machine.options.maxIterations === Infinity)
    machine.options = { ...machine.options, maxIterations: mostMicrosteps };
}

/** XState's own shape of `and`, `or`, `not` and `stateIn`: each has a `check` of its kind. */
interface Combined {
  readonly check?: unknown;
  readonly name: string;
}

const checkOf = (made: unknown): unknown => (made as Combined).check; // they have one
const isTrue = () => true;

/**
 * By kind, what tells a combined guard of this copy of XState. Its name does not: bundlers change
 * the names of functions.
 */
export const checks = {
  and: checkOf(and([isTrue])),
  or: checkOf(or([isTrue])),
  not: checkOf(not(isTrue)),
  stateIn: checkOf(stateIn('')),
};

/**
 * `and`, `or` or `not`: how a combined guard was made. For one of another copy of XState: the name
 * of its function.
 */
export const combinedBy = ({ check, name }: Combined): string =>
  Object.entries(checks).find(([, known]) => known === check)?.[0] ?? name;
