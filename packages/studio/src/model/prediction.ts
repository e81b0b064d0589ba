/** What happens next? The reader says it before a step of a run is shown. */
import { nextOrFault } from '@conclave/check/internal';
import { roleOf, stateText } from '@conclave/core/internal';
import { ConclaveError, type NodeId } from '@conclave/core/protocol';
import { actorOf } from './rules.js';
import type { Session } from './session.js';
import { leafTexts, wordsOf } from './words.js';

type Prediction =
  | {
      readonly kind: 'question';
      /** What happens, and to whom. */
      readonly what: string;
      readonly node: NodeId;
      /** The states in which the node may be then. */
      readonly states: readonly string[];
      readonly right: string;
      readonly number: number;
    }
  /** A step that changes no node, such as a loss, or into several states at once. */
  | { readonly kind: 'step'; readonly what: string; readonly number: number }
  /** The run that is shown is another one. */
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'end' };

/** @param run the numbers of its actions, from the beginning */
export function predictionAt(session: Session, run: readonly number[]): Prediction {
  const { system, now } = session;
  const { value: moment } = now;
  const taken = session.run.path(moment).flatMap(({ step }) => (step ? [step.number] : []));
  if (taken.some((number, index) => number !== run[index])) return { kind: 'elsewhere' };
  const number = run[moment.depth];
  const action = number === undefined ? undefined : session.run.actions(moment)[number];
  if (number === undefined || !action) return { kind: 'end' };
  const what = wordsOf(system, moment.world, action);
  const node = actorOf({ action });
  const next = nextOrFault(system.worlds, moment.world, action);
  const after = next instanceof ConclaveError || node === undefined ? undefined : next.nodes[node];
  if (node === undefined || !after) return { kind: 'step', what, number };
  const right = stateText(after.value);
  const states = leafTexts(roleOf(system.protocol, node, system.topology).machine);
  return states.includes(right) && states.length > 1
    ? { kind: 'question', what, node, states, right, number }
    : { kind: 'step', what, number };
}
