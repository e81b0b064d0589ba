/** For the packages of this repository, of the same version: without promise. */
export { nearest } from '../base/error.js';
export { amountFrom, answerOf, numberFrom } from './answer.js';
export { exportIn } from './bare/machine-protocol.js';
export { actorsField, isMachine, partOfEnd } from './bare/modelled.js';
export { requireTopology } from './check.js';
export { checkProperties, systemViewOf, viewOfNode } from './check-properties.js';
export { byPlan, byXState } from './compiled/stepper.js';
export {
  crashNotices,
  requireReports,
} from './contract-errors.js';
export { checkCosts } from './cost.js';
export { duringStep, emittedEffect } from './effects.js';
export {
  breaksRules,
  everyMessageHandled,
  examplesOf,
  matches,
  nodesAccepting,
  noStepFails,
  optionalCommands,
  stateText,
  violatedBy,
} from './handles.js';
export { labelOf, NodeHistory, unlabelled } from './history.js';
export { requireMessage, requireTag, waitingOf } from './names.js';
export type { Stimulus } from './node.js';
export { causeOf, nodeStep } from './node-step.js';
export {
  changesFrozen,
  copyOf,
  differenceOf,
  freeze,
  frozenData,
  identical,
  impure,
  notPlain,
  placeOf,
  plainCure,
  plainData,
} from './plain-data.js';
export {
  isOfRuns,
  isOfStates,
  reliesOnCommands,
} from './property-schema.js';
export { lossesTolerated, roleOf } from './protocol.js';
export { enterUserCode, leaveUserCode, refuseChance } from './purity.js';
export { stateNodes } from './regions.js';
export { requireSend } from './sends.js';
export { inputAgain } from './stable.js';
export { fire, start, step, takes, uncheckedSteps, withRecorded } from './step.js';
