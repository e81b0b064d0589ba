export { type Host, NodeActor, type Stimulus } from './actor.js';
export { requireTopology } from './check.js';
export { costOf } from './cost.js';
export { ConclaveError, type ErrorCode } from './error.js';
export { handles, stateText } from './handles.js';
export {
  type Choose,
  type Chosen,
  type Command,
  choose,
  type Effect,
  type Json,
  type Message,
  type NodeId,
  type Notify,
  notify,
  type Received,
  type Send,
  send,
} from './node.js';
export type { TimerClock } from './node-timers.js';
export { nodesAccepting } from './nodes-accepting.js';
export { examplesOf, optionalCommands } from './optional-commands.js';
export {
  type AtMost,
  always,
  atMost,
  type Cause,
  type EveryStep,
  eventually,
  everyStep,
  type Increases,
  type InFlight,
  increases,
  isOfRuns,
  type LeadsTo,
  leadsTo,
  type NodeStep,
  type NodeView,
  never,
  type Overtaken,
  overtaken,
  type Property,
  type PropertyOptions,
  type SystemProperty,
  type SystemView,
  sometimes,
  type Verdict,
} from './property.js';
export {
  type ChannelAssumptions,
  type CommandShape,
  type Cost,
  defineProtocol,
  type Protocol,
  type ProtocolDefinition,
  type Role,
  role,
  roleOf,
  type Shape,
  type TopologyNeed,
} from './protocol.js';
export { stateNodes } from './state-nodes.js';
export { fire, type HostEffect, type LocalState, type Step, start, step, type Timer, takes } from './step.js';
export { interchangeable, type Permutation, rotations } from './symmetry.js';
