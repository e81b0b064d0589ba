import { nextOrFault } from '@conclave/core/internal/exploration';
import { ConclaveError, type NodeId } from '@conclave/core/protocol';
import { batch } from '@preact/signals';
import type { Setup } from '../../link/setup.js';
import type { Finding } from '../../model/conclusion.js';
import { actorOf } from '../../model/last-step.js';
import { badges } from '../../model/properties.js';
import type { Session } from '../../model/session.js';
import { attempt, begin, session, view } from '../studio.js';

/** The fault, with which a run ends, is in its trace, or said. */
type Found = Pick<Finding, 'name' | 'steps' | 'loopsFromStep' | 'trace'> & {
  readonly fault?: string;
};

/**
 * Shows the run of a finding in the world view, as a branch of the session of that setup: at its
 * beginning, with the node chosen that is to blame at its end.
 */
export function openRun(setup: Setup, finding: Found): Promise<void> {
  return attempt(async () => {
    if (session.peek()?.system.setup !== setup) await begin(setup, 'check');
    const shown = session.peek();
    const {
      steps = [],
      loopsFromStep: loopsFrom,
      fault = finding.trace?.header.get('fault'),
    } = finding;
    if (!shown) return;
    batch(() => {
      const run = fault === undefined ? steps : withFault(shown, steps, fault);
      shown.show(run, loopsFrom === undefined ? {} : { loopsFrom });
      shown.node.value = guiltyNode(shown, finding.name) ?? shown.node.value;
      shown.goTo(shown.run.start);
      view.value = 'world';
    });
  });
}

/** The node that a property blames where the run ends, or the one that acted last there. */
function guiltyNode(shown: Session, property: string): NodeId | undefined {
  const [blamed] = badges(shown).value.find(({ name }) => name === property)?.nodes ?? [];
  const { step } = shown.tip.value;
  return blamed ?? (step && actorOf(step));
}

/** With the step that fails: its node cannot take it. */
function withFault(
  { system: { worlds } }: Session,
  steps: readonly number[],
  fault: string,
): readonly number[] {
  let world = worlds.initial;
  for (const number of steps) {
    const action = worlds.actions(world)[number];
    if (action) world = worlds.next(world, action);
  }
  const failing = worlds.actions(world).findIndex((action) => {
    const next = nextOrFault(worlds, world, action);
    return next instanceof ConclaveError && next.message === fault;
  });
  return failing < 0 ? steps : [...steps, failing];
}
