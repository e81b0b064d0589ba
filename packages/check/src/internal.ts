/** Unstable: for the packages of this house only, of the same version. */
export { type Resumable, runToEnd } from './base/resumable.js';
export { readJournalHeader } from './conform/conform.js';
export { exploreResumably } from './explore/explore.js';
export { overtaking } from './explore/overtaking.js';
export { exportAut } from './export/aut.js';
export { exportPromela } from './export/promela-model.js';
export { budgetOf } from './follow/budget-of.js';
export { follow } from './follow/follow.js';
export { mutantsOf } from './mutation/mutants.js';
export { chosenMutants, mutatePart } from './mutation/mutate.js';
export { allOperators } from './mutation/operators.js';
export { mergedReport, openQuestions } from './mutation/report.js';
export { defaultSystems } from './mutation/systems.js';
export { RunJudge } from './run-judge/run-judge.js';
export { schedule } from './run-judge/schedule.js';
export { transitionsOf } from './verdicts/coverage.js';
export {
  joinedWalks,
  walksOfSeed,
} from './walk/walk.js';
export { canonical } from './worlds/canonical.js';
export { usualCommands } from './worlds/commands.js';
export { fittingTime } from './worlds/fitting-time.js';
export { actionLines } from './worlds/run-lines.js';
export { noDeadlock } from './worlds/standard-properties.js';
export { stepOf } from './worlds/world.js';
export { worldKey } from './worlds/world-key.js';
export { nextOrFault, Worlds } from './worlds/worlds.js';
