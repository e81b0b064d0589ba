/** Unstable: for the packages of this house only, of the same version. */

export { nearest, printError } from './base/error.js';
export { freeHeap, megabytes, mostFitting } from './base/memory.js';
export { Random } from './base/random.js';
export { groupsOf, partialSends } from './channel/partial-sends.js';
export { schemas } from './options/schemas.js';
export { amountFrom, answerOf, numberOf } from './protocol/answer.js';
export { isOwn, raisedBy } from './protocol/bare/environment.js';
export { exportIn } from './protocol/bare/machine-protocol.js';
export { actorsField, isMachine, partOfEnd, stops } from './protocol/bare/modelled.js';
export { readable } from './protocol/bare/readable.js';
export { requireTopology } from './protocol/check.js';
export {
  checkCosts,
  checkProperties,
  systemViewOf,
  viewOfNode,
} from './protocol/check-properties.js';
export { examplesOf, nodesAccepting, optionalCommands } from './protocol/commands.js';
export { byPlan, byXState } from './protocol/compiled/stepper.js';
export { crashNotices, requireReports } from './protocol/crash-notices.js';
export { duringStep, emittedEffect } from './protocol/effects.js';
export * as faults from './protocol/faults.js';
export {
  breaksRules,
  everyMessageHandled,
  matches,
  noStepFails,
  stateText,
  violatedBy,
} from './protocol/handles.js';
export { labelOf, NodeHistory, unlabelled } from './protocol/history.js';
export { requireMessage, requireTag, waitingOf } from './protocol/names.js';
export type { Stimulus } from './protocol/node.js';
export { causeOf, nodeStep } from './protocol/node-step.js';
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
} from './protocol/plain-data.js';
export {
  type FunctionOfProperty,
  functionsOf,
  isOfRuns,
  isOfStates,
  kindOfProperty,
  propertyKinds,
} from './protocol/property.js';
export { roleOf } from './protocol/protocol.js';
export { enterUserCode, leaveUserCode, refuseChance } from './protocol/purity.js';
export { stateNodes } from './protocol/regions.js';
export { requireSend } from './protocol/sends.js';
export { inputAgain } from './protocol/stable.js';
export { fire, start, step, takes, uncheckedSteps, withRecorded } from './protocol/step.js';
export { checkOptions, type Schema, wantedInstead } from './schema/check.js';
export { choices } from './schema/values.js';
export { shortestPaths } from './topology/measures.js';
export { abridged, shown } from './topology/topology.js';
