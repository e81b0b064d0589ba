export { requireTopology } from './check.js';
export { costOf } from './cost.js';
export { defineProtocol } from './define-protocol.js';
export { ConclaveError, type ErrorCode } from './error.js';
export {
  type Chosen,
  type Command,
  choose,
  type Effect,
  type Json,
  type Message,
  type NodeId,
  notify,
  type Received,
  type Send,
  send,
} from './node.js';
export type { TimerClock } from './node-timers.js';
export { nodesAccepting } from './nodes-accepting.js';
export { optionalCommands } from './optional-commands.js';
export {
  always,
  atMost,
  type EveryStep,
  eventually,
  everyStep,
  type InFlight,
  increases,
  isOfRuns,
  leadsTo,
  type NodeStep,
  type NodeView,
  never,
  overtaken,
  type Property,
  type SystemView,
  sometimes,
  type Verdict,
} from './property.js';
export {
  type CommandShape,
  type Cost,
  type Protocol,
  type ProtocolDefinition,
  type Role,
  role,
  roleOf,
  type Shape,
  type TopologyNeed,
} from './protocol.js';
export { stateNodes } from './state-nodes.js';
export { fire, type LocalState, type Step, start, step, takes } from './step.js';
export { interchangeable, type Permutation, rotations } from './symmetry.js';
