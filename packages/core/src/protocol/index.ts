export { ConclaveError } from '../base/error.js';
export { byId, entriesById, ofNode } from './by-node.js';
export { competes } from './competes.js';
export {
  type CompiledMachine,
  type Configuration,
  compile,
  type PlainEffect,
  type PlainState,
  type PlainStep,
} from './compiled/compile.js';
export { costOf } from './cost.js';
export { defineProtocol } from './define-protocol.js';
export { stateText } from './handles.js';
export type { History, HistoryStep } from './history.js';
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
  send,
} from './node.js';
export { nodesAccepting } from './nodes-accepting.js';
export { optionalCommands } from './optional-commands.js';
export {
  always,
  alwaysEventually,
  atMost,
  eventually,
  everyStep,
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
} from './property.js';
export { type Protocol, type ProtocolDefinition, role, roleOf } from './protocol.js';
export { inputAgain } from './stable.js';
export { fire, type LocalState, start, step, type Timer, takes } from './step.js';
export { interchangeable } from './symmetry.js';
export type { ExactTime, Interval, TimeModel } from './time.js';
