import type { AnyStateMachine, AnyStateNode, StateValue } from 'xstate';
import { memo } from '../base/memo.js';

/** A timer that a state arms when it is entered. */
interface AfterTimer {
  /** Its id in a world. */
  readonly timer: string;
  readonly state: AnyStateNode;
  /** As the machine writes it: `timeout`, `500 ms`. */
  readonly delay: string;
}

/** The timers of the `after` of all states of a machine, each once. */
export const afterTimers = memo(({ root }: AnyStateMachine): readonly AfterTimer[] => {
  const timers = stateNodes(root).flatMap((state) =>
    state.after.map(({ eventType: timer }) => ({ timer, state, delay: delayIn(timer, state) })),
  );
  return [...new Map(timers.map((one) => [one.timer, one])).values()];
});

/** XState names the timer of `after: { retry: … }` in the state `m.s` `xstate.after.retry.m.s`. */
function delayIn(timer: string, { id }: AnyStateNode): string {
  const delay = timer.slice('xstate.after.'.length, -id.length - 1);
  return /^\d+$/.test(delay) ? `${delay} ms` : delay;
}

const stateNodes = (node: AnyStateNode): readonly AnyStateNode[] => [
  node,
  ...Object.values(node.states).flatMap(stateNodes),
];

/** The states without inner ones, as texts; a state of several regions is none of them. */
export const leafTexts = memo(({ root }: AnyStateMachine): readonly string[] =>
  stateNodes(root).flatMap(({ path, states }) =>
    Object.keys(states).length === 0 ? [path.join('.')] : [],
  ),
);

/** The states that are active in `value`, outermost first. */
export function activeStates(machine: AnyStateMachine, value: StateValue): readonly AnyStateNode[] {
  const inside = (node: AnyStateNode, part: StateValue | undefined): readonly AnyStateNode[] => {
    if (part === undefined) return [node];
    const parts = typeof part === 'string' ? { [part]: undefined } : part;
    return [
      node,
      ...Object.entries(parts).flatMap(([key, inner]) =>
        node.states[key] ? inside(node.states[key], inner) : [],
      ),
    ];
  };
  return inside(machine.root, value);
}

/** The outermost states in which something takes events of `type`. */
export const regionsTaking = (machine: AnyStateMachine, type: string): readonly string[] =>
  stateNodes(machine.root).flatMap(({ path, transitions }) =>
    transitions.has(type) ? path.slice(0, 1) : [],
  );
