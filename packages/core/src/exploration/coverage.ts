import {
  type AnyStateMachine,
  type AnyStateNode,
  type AnyTransitionDefinition,
  createActor,
  type EventObject,
  type InspectionEvent,
} from 'xstate';
import type { Json } from '../protocol/node.js';
import { roleOf } from '../protocol/protocol.js';
import { stateNodes } from '../protocol/state-nodes.js';
import type { LocalState } from '../protocol/step.js';
import type { CompiledWorlds, DistinctStep } from './compiled.js';

/** What of one role's statechart an exploration has never used. */
export interface RoleCoverage {
  readonly role: string;
  /** How many transitions it has, and how many of them were taken. */
  readonly transitions: number;
  readonly taken: number;
  /** Those never taken, such as `released.away: always [tokenIsHere] → released.here`. */
  readonly missed: readonly string[];
}

/**
 * Which transitions of its machines an exploration took. XState tells: each distinct step is repeated by an inspected actor. Steps made
 * while the environment may still act (loss, crash, a choice) are not counted.
 */
export function coverage(compiled: CompiledWorlds): readonly RoleCoverage[] {
  const { protocol, topology } = compiled.worlds;
  const taken = new Set<AnyTransitionDefinition>();
  const inspect = (event: InspectionEvent) => {
    if (event.type === '@xstate.microstep') for (const transition of event._transitions) taken.add(transition);
  };
  const roles = new Map(topology.nodes.map((id) => [id, roleOf(protocol, id, topology)]));
  for (const [id, { machine, input }] of roles) start(machine, input(id, topology), inspect);
  for (const step of compiled.distinctSteps()) {
    const machine = roles.get(step.node)?.machine;
    const event = eventOf(step);
    if (machine && event) repeat(machine, step.state, event, inspect);
  }
  return Object.entries(protocol.roles).map(([role, { machine }]) => {
    const all = stateNodes(machine).flatMap((node) => transitionsOf(node).map((transition) => ({ node, transition })));
    const missed = all.filter(({ transition }) => !taken.has(transition));
    return {
      role,
      transitions: all.length,
      taken: all.length - missed.length,
      missed: missed.map(({ node, transition }) => textOf(node, transition)),
    };
  });
}

function eventOf({ state, action }: DistinctStep): EventObject | undefined {
  switch (action.type) {
    case 'command':
      return action.command;
    case 'deliver':
      return Object.assign({ from: action.from }, action.message);
    case 'timeout':
      return state.timers.find(({ id }) => id === action.timer)?.event;
    default:
      return undefined;
  }
}

const idleClock = { setTimeout: () => undefined, clearTimeout: () => {} };

function start(machine: AnyStateMachine, input: Json, inspect: (event: InspectionEvent) => void): void {
  createActor(machine, { input, inspect, clock: idleClock }).start().stop();
}

function repeat(
  machine: AnyStateMachine,
  { value, context, history }: LocalState,
  event: EventObject,
  inspect: (event: InspectionEvent) => void,
): void {
  const historyValue = Object.fromEntries(
    Object.entries(history).map(([key, ids]) => [key, ids.map((id) => machine.getStateNodeById(`#${id}`))]),
  );
  const actor = createActor(machine, {
    snapshot: machine.resolveState({ value, context, historyValue }),
    input: undefined,
    inspect,
    clock: idleClock,
  });
  actor.start();
  actor.send(event);
  actor.stop();
}

function transitionsOf(node: AnyStateNode): readonly AnyTransitionDefinition[] {
  return [...[...node.transitions.values()].flat(), ...(node.always ?? [])];
}

function textOf(node: AnyStateNode, { eventType, guard, target }: AnyTransitionDefinition): string {
  const pathOf = ({ path, key }: AnyStateNode) => path.join('.') || key;
  const name = typeof guard === 'string' ? guard : typeof guard === 'function' ? guard.name || '(inline)' : guard?.type;
  const on = eventType === '' ? 'always' : eventType;
  return `${pathOf(node)}: ${on}${name ? ` [${name}]` : ''}${target ? ` → ${target.map(pathOf).join(', ')}` : ''}`;
}
