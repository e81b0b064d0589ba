export { ConclaveError } from '../base/error.js';
export type { Beside } from './bare/environment.js';
export { machineProtocol } from './bare/machine-protocol.js';
export { type SystemOptions, system } from './bare/system.js';
export {
  type CompiledMachine,
  compile,
  type PlainState,
  type PlainStep,
} from './compiled/compile.js';
export { defineProtocol } from './define-protocol.js';
export type { ChannelFault, ChannelFaults, FaultCounts, MessageFate } from './faults.js';
export type { History } from './history.js';
export {
  type Chosen,
  type Command,
  choose,
  draw,
  type Effect,
  type Json,
  type Message,
  type NodeId,
  notify,
  type Received,
  send,
} from './node.js';
export {
  almostSurely,
  always,
  alwaysEventually,
  atMost,
  eventually,
  everyStep,
  type InFlight,
  increases,
  leadsTo,
  type NodeStep,
  type NodeView,
  never,
  overtaken,
  type Property,
  type PropertyOf,
  type SystemView,
  sometimes,
  type Verdict,
} from './property.js';
export {
  type FencedProtocol,
  type FieldOf,
  type Protocol,
  type ProtocolDefinition,
  type Role,
  role,
  type Shape,
} from './protocol.js';
export type { LocalState, Step } from './step.js';
export type { ExactTime, TimeModel } from './time.js';
