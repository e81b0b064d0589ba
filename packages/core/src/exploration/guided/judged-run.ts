import { ConclaveError } from '../../base/error.js';
import type { Property } from '../../protocol/property.js';
import { type JudgedRun, RunJudge } from '../run-judge/run-judge.js';
import { standardsOf } from '../run-judge/standard.js';
import type { Steppable } from '../verdicts/witness/shrink.js';
import { sameData } from '../worlds/canonical.js';
import { nextOrFault } from '../worlds/next-or-fault.js';
import type { Action } from '../worlds/world.js';
import type { Worlds } from '../worlds/worlds.js';
import type { Evidence } from './questions.js';

/** A property, or the name of a standard one. */
export type Asked = Property | string;

/** The runs of a system as the judge of runs sees them; XState takes their steps. */
export interface JudgedRuns extends Steppable<JudgedRun, Action> {
  /** Whether a run decides the property. `ends`: if it ends there. */
  decides(end: JudgedRun, ends: boolean): boolean;
}

export function judgedRuns(worlds: Worlds, asked: Asked): JudgedRuns {
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
