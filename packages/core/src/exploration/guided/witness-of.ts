import type { Property } from '../../protocol/property.js';
import { type JudgedRun, RunJudge } from '../run-judge/run-judge.js';
import { standardsOf } from '../run-judge/standard.js';
import type { Witness } from '../verdicts/property-finding.js';
import { headerOf } from '../verdicts/witness/looping-run.js';
import { type Steppable, shrink } from '../verdicts/witness/shrink.js';
import { faultIn } from '../worlds/next-or-fault.js';
import { runLines } from '../worlds/run-lines.js';
import type { Action } from '../worlds/world.js';
import type { Worlds } from '../worlds/worlds.js';
import type { Evidence } from './questions.js';

/**
 * The run that decides a property, or the standard property of this name, shrunk. XState takes its
 * steps, and the judge of runs judges it.
 */
export function witnessOf(
  worlds: Worlds,
  property: Property | string,
  { run, ends }: Evidence,
): Witness {
  const isStandard = typeof property === 'string';
  const judge = new RunJudge(worlds, isStandard ? [] : [property]);
  const place = isStandard ? standardsOf(worlds).findIndex(({ name }) => name === property) : 0;
  const system: Steppable<JudgedRun, Action> = {
    initial: judge.begin(),
    actions: ({ position }) => position.actions,
    next: (before, action) =>
      judge.after(before, action, worlds.next(before.position.world, action)),
  };
  const short = shrink(system, run, (end) =>
    !isStandard && property.kind === 'sometimes'
      ? end.standing(place).value === 'true'
      : end.isFalse(place, ends && !isStandard && end.position.mayEnd(property.kind)),
  );
  const header = headerOf(worlds);
  const end = short.reduce((world, action) => worlds.next(world, action), worlds.initial);
  const fault = isStandard ? faultIn(worlds, end, property) : undefined;
  if (fault) header.set('fault', fault.message);
  const { lines, steps } = runLines(worlds, short);
  const loop = ends ? { loopsFrom: lines.length, loopsFromStep: steps.length } : {};
  return { trace: { header, lines }, steps, ...loop };
}
