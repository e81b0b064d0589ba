import { type AnyStateMachine, log } from 'xstate';
import { transitionKey } from '../../../chart/reaction.js';
import { byPlan } from '../../../protocol/compiled/stepper.js';
import type { NodeId } from '../../../protocol/node.js';
import type { Protocol } from '../../../protocol/protocol.js';
import { stateNodes } from '../../../protocol/state-nodes.js';
import type { LocalState } from '../../../protocol/step.js';
import { breaksRules } from '../../../protocol/unhandled-messages.js';
import type { Topology } from '../../../topology/topology.js';
import { LocalNode } from '../../worlds/local-node.js';
import { type Action, stepOf } from '../../worlds/world.js';

/** A protocol that behaves the same and records the transitions that its machines take. */
interface Recording {
  readonly protocol: Protocol;
  readonly taken: string[];
}

const recordings = new WeakMap<Protocol, Recording>();

/**
 * The transitions that node `id` takes, from `state`, in a step by one of its actions, in XState's
 * order. Each has the key of its reaction in the chart: source, event and position among the
 * alternatives, such as `wanted request 1`. An action of each transition records it, so one that
 * another region pre-empts is not there. Where the machine fails, those up to then. For a machine
 * that is not compiled (see `compile`): also those that lead on from its first state.
 */
export function transitionsOf(
  protocol: Protocol,
  topology: Topology,
  id: NodeId,
  state: LocalState,
  action: Action,
): readonly string[] {
  const recording = recordings.get(protocol) ?? recordingOf(protocol);
  recordings.set(protocol, recording);
  // XState would begin at the start, and take what leads on from there
  const node = new LocalNode(id, recording.protocol, topology, byPlan);
  // Compiling takes transitions, too; the second time, the plan is there.
  for (const _ of ['compile', 'take']) {
    recording.taken.length = 0;
    try {
      node.perform(state, stepOf(action) ?? action); // a crash in the middle of a step has taken it
    } catch (error) {
      if (!breaksRules(error)) throw error;
    }
  }
  return [...recording.taken];
}

function recordingOf(protocol: Protocol): Recording {
  const taken: string[] = [];
  const roles = Object.entries(protocol.roles).map(([name, role]) => [
    name,
    { ...role, machine: recordMachine(role.machine, taken) },
  ]);
  return { protocol: { ...protocol, roles: Object.fromEntries(roles) }, taken };
}

function recordMachine(original: AnyStateMachine, taken: string[]): AnyStateMachine {
  const machine = original.provide({});
  for (const node of stateNodes(machine))
    for (const choices of [node.always ?? [], ...node.transitions.values()])
      for (const [index, transition] of choices.entries()) {
        const key = transitionKey(transition, index);
        // log is the only action that changes nothing, not even whether XState regards the state as
        // changed.
        const take = log(() => {
          taken.push(key);
        });
        transition.actions = [take, ...transition.actions];
      }
  return machine;
}
