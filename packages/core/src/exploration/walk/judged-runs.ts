import { ConclaveError } from '../../base/error.js';
import { byPlan } from '../../protocol/compiled/stepper.js';
import type { Property } from '../../protocol/property.js';
import { type JudgedRun, RunJudge } from '../run-judge/run-judge.js';
import { standardsOf } from '../run-judge/standard.js';
import type { Witness } from '../verdicts/property-finding.js';
import { headerOf } from '../verdicts/witness/looping-run.js';
import { type Steppable, shrink } from '../verdicts/witness/shrink.js';
import { sameData } from '../worlds/canonical.js';
import { faultIn, nextOrFault } from '../worlds/next-or-fault.js';
import { runLines } from '../worlds/run-lines.js';
import type { Action } from '../worlds/world.js';
import { Worlds } from '../worlds/worlds.js';

/** The run that decides a property. */
export interface Evidence {
  readonly run: readonly Action[];
  /** Whether it violates the property because it ends there. */
  readonly ends: boolean;
}

/** A property, or the name of a standard one. */
type Asked = Property | string;

/** The runs of a system as the judge of runs sees them. */
interface JudgedRuns extends Steppable<JudgedRun, Action> {
  /** Whether a run decides the property. `ends`: if it ends there. */
  decides(end: JudgedRun, ends: boolean): boolean;
}

function judgedRuns(worlds: Worlds, asked: Asked): JudgedRuns {
  const isStandard = typeof asked === 'string';
  const judge = new RunJudge(worlds, isStandard ? [] : [asked]);
  const place = isStandard ? standardsOf(worlds).findIndex(({ name }) => name === asked) : 0;
  return {
    initial: judge.begin(),
    actions: ({ position }) => position.actions,
    next: (before, action) =>
      judge.after(before, action, worlds.next(before.position.world, action)),
    decides: (end, ends) =>
      !isStandard && asked.kind === 'sometimes'
        ? end.standing(place).value === 'true'
        : end.isFalse(place, ends && !isStandard && end.position.mayEnd(asked.kind)),
  };
}

/** Whether it is a run of this system, and decides the property in it. */
export function decidesIn(worlds: Worlds, asked: Asked, { run, ends }: Evidence): boolean {
  const runs = judgedRuns(worlds, asked);
  let end = runs.initial;
  for (const action of run) {
    if (!runs.actions(end).some((possible) => sameData(possible, action))) return false;
    if (nextOrFault(worlds, end.position.world, action) instanceof ConclaveError) return false;
    end = runs.next(end, action);
  }
  return runs.decides(end, ends);
}

/**
 * The run that decides a property, shrunk until no step can be left out. XState takes its steps;
 * most of the rest is left out by plan before, which is faster.
 */
export function witnessOf(worlds: Worlds, asked: Asked, { run, ends }: Evidence): Witness {
  const { protocol, topology, budget } = worlds;
  const planned = new Worlds(protocol, topology, budget, undefined, byPlan);
  const short = [planned, worlds].reduce((longer, system) => {
    const runs = judgedRuns(system, asked);
    return shrink(runs, longer, (end) => runs.decides(end, ends));
  }, run);
  const header = headerOf(worlds);
  const end = short.reduce((world, action) => worlds.next(world, action), worlds.initial);
  const fault = typeof asked === 'string' ? faultIn(worlds, end, asked) : undefined;
  if (fault) header.set('fault', fault.message);
  const { lines, steps } = runLines(worlds, short);
  const loop = ends ? { loopsFrom: lines.length, loopsFromStep: steps.length } : {};
  return { trace: { header, lines }, steps, ...loop, ...(fault && { reason: fault.message }) };
}
