/** Whether a machine was built by an XState that Conclave works with. */
import { type AnyStateMachine, initialTransition, StateMachine } from 'xstate';

/** The versions of XState that Conclave works with; the peer range of the packages. */
const xstateRange = '^5.33.0';

interface Misfit {
  readonly what: string;
  readonly cure: string;
}

const suitable = new WeakMap<object, boolean>();

/**
 * Why `machine` cannot be a node because of the XState that built it; undefined where it can.
 * Another copy of XState is fine as long as its machines behave as ours: XState keeps no state that
 * copies would have to share.
 */
export function misfitOf(machine: AnyStateMachine): Misfit | undefined {
  const { constructor: machineClass }: object = Object(machine);
  if (machineClass === Object)
    return { what: 'is not an XState machine', cure: 'Build it by setup(…).createMachine(…).' };
  const isFine = suitable.get(machineClass) ?? isSuitable(machineClass);
  suitable.set(machineClass, isFine);
  if (isFine) return undefined;
  if (machine instanceof StateMachine)
    return {
      what: `was built by a version of XState that is not ${xstateRange}`,
      cure: `Install xstate@${xstateRange}.`,
    };
  return {
    what: `was built by another copy of XState than the one that Conclave imports, and that copy is not ${xstateRange}`,
    cure: 'See both copies by `npm ls xstate`, and keep the one that Conclave imports.',
  };
}

/**
 * Tries the class with a small machine: before XState 5.32.2 a wildcard took no event that its
 * state lists with a guard that refuses.
 */
function isSuitable(machineClass: object['constructor']): boolean {
  try {
    const probe: AnyStateMachine = Reflect.construct(machineClass, [
      { on: { listed: { guard: () => false }, '*': {} } },
      {},
    ]);
    const [snapshot] = initialTransition(probe);
    return (
      probe.options.maxIterations === Number.POSITIVE_INFINITY &&
      probe.getTransitionData(snapshot, { type: 'listed' }).length === 1
    );
  } catch {
    return false;
  }
}
