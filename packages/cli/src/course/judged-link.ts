/** Whether a link solves an exercise of the course. */

import { loadProtocol } from '@conclave/algorithms/load';
import { fittingTime, nextOrFault, RunJudge, Worlds } from '@conclave/core/internal/exploration';
import { ConclaveError } from '@conclave/core/protocol';
import { topology } from '@conclave/core/topology';
import { type Exercise, labs } from '@conclave/studio/internal/page';
import { say } from '@conclave/studio/internal/texts';
import { type Link, linkText } from '@conclave/studio/link';

/** An exercise and its place in the course. */
export interface Placed {
  /** `3.2`: the second exercise of the third lab. */
  readonly number: string;
  readonly lab: string;
  readonly exercise: Exercise;
  /** What links of the same system have in common. */
  readonly key: string;
}

export type Judgement =
  | { readonly result: 'solved'; readonly steps: number }
  /** The property is not violated by as many steps as are allowed. */
  | { readonly result: 'not solved' }
  /** This step is not possible there. */
  | { readonly result: 'not a run'; readonly step: number };

/** All exercises, in the order of the course. */
export const placedExercises = async (): Promise<readonly Placed[]> =>
  Promise.all(
    labs.flatMap(({ title, exercises }, lab) =>
      exercises.map(async (exercise, index) => ({
        ...{ number: `${lab + 1}.${index + 1}`, lab: say(title), exercise },
        key: await keyOf(exercise.link),
      })),
    ),
  );

/** The text that links of the same system share; with the network that is usual without one. */
export async function keyOf({ setup }: Pick<Link, 'setup'>): Promise<string> {
  const { name, topology: needed } = await loadProtocol(setup.protocol, setup.options);
  const spec = setup.topology ?? needed.example(3).spec;
  return linkText({
    setup: { ...setup, protocol: name, topology: spec },
    view: 'world',
    steps: [],
  });
}

/** Takes the steps of a link, as many as the exercise allows, and judges them. */
export async function judgedLink({ setup, steps }: Link, { link }: Exercise): Promise<Judgement> {
  const { property, within } = link.goal;
  const protocol = await loadProtocol(setup.protocol, setup.options);
  const network = topology(setup.topology ?? protocol.topology.example(3).spec);
  const time = fittingTime(protocol, network, setup.budget);
  const worlds = new Worlds(protocol, network, { ...setup.budget, time });
  const judge = new RunJudge(worlds);
  let run = judge.begin();
  let world = worlds.initial;
  const isViolated = () =>
    run.standings.some(({ name, value }) => name === property && value === 'false');
  for (const [index, number] of steps.slice(0, within).entries()) {
    const action = worlds.actions(world)[number];
    if (!action) return { result: 'not a run', step: index + 1 };
    const next = nextOrFault(worlds, world, action);
    run = judge.after(run, action, next);
    if (isViolated()) return { result: 'solved', steps: index + 1 };
    if (next instanceof ConclaveError) break;
    world = next;
  }
  return { result: 'not solved' };
}
