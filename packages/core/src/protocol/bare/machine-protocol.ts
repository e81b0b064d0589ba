/**
 * A bare machine as a protocol of one node: its events are commands of the application, and what it
 * invokes is the environment, but for other machines: each is a node beside it.
 *
 * The user is asked for nothing that the machine shows, such as its events. Which fields an event
 * has, no machine shows: examples.ts. What the user declares beside the machine is taken as it is.
 */
import { type AnyStateMachine, createMachine } from 'xstate';
import { complete } from '../../topology/generators.js';
import type { TopologyNeed } from '../../topology/needs.js';
import { defineProtocol } from '../define-protocol.js';
import type { Protocol } from '../protocol.js';
import { misfitOf } from '../xstate-version.js';
import {
  assumedOf,
  assuming,
  type Beside,
  endsOf,
  eventsOf,
  kebabCase,
  refusal,
} from './environment.js';
import { inputRead, requireExamples, requireKnown } from './examples.js';
import { familyOf } from './invoked.js';
import { isMachine, modelled } from './modelled.js';
import { system } from './system.js';

const oneNode: TopologyNeed = {
  name: 'one-node',
  refuses: ({ nodes }) => (nodes.length === 1 ? undefined : `there are ${nodes.length} nodes`),
  example: () => complete(1),
  overlay: () => complete(1),
};

/**
 * `machine` as a protocol of one node, and of one more for each machine that it invokes.
 *
 * `name`: of the protocol; default: the id of the machine. `asks`: whether fields without an example
 * are asked for, which need not be where the machine is only drawn; default true. `isAlone`: whether
 * the machines that it invokes are the environment as well; default false.
 *
 * @throws {ConclaveError} `bad-protocol`: an event or an output is read whose fields have no example,
 * an example of what there is not, or what {@link defineProtocol} refuses.
 */
export function machineProtocol(
  machine: AnyStateMachine,
  beside: Beside = {},
  {
    name = machine.id,
    asks = true,
    isAlone = !asks,
  }: { readonly name?: string; readonly asks?: boolean; readonly isAlone?: boolean } = {},
): Protocol {
  const misfit = misfitOf(machine);
  if (misfit) throw refusal(name ?? 'machine', misfit.what, misfit.cure);
  const protocolName = kebabCase(name);
  if (!isAlone && familyOf(machine, protocolName, new Set(), beside).length > 1) {
    const { input, ...others } = beside;
    const inputs = input === undefined ? {} : { [protocolName]: input };
    return system({ [protocolName]: machine }, { ...others, inputs, name });
  }
  const { machine: model, actors, effects } = modelled(machine);
  const commands = { ...eventsOf(model, beside), ...endsOf(actors, beside) };
  requireKnown(protocolName, [model], commands, actors, beside);
  if (asks) requireExamples(protocolName, model, commands, actors, beside);
  const isDrawn = !asks; // then it need not start, for which its input may be missing
  const protocol = defineProtocol({
    name: protocolName,
    title: name,
    problem: 'own',
    citation: 'none',
    topology: oneNode,
    channels: { order: 'fifo', loss: false, duplication: false },
    roles: {
      node: { machine: isDrawn ? createMachine({}) : model, input: () => beside.input ?? null },
    },
    messages: {},
    commands: isDrawn ? {} : commands,
    waiting: false,
    properties: beside.properties ?? [],
    drawn: { node: machine },
  });
  const ofInput =
    beside.input === undefined && inputRead(model).isRead
      ? ['that it gets no input: export const input = { … } gives it one']
      : [];
  return assuming(protocol, () => [...assumedOf(actors, effects, beside), ...ofInput]);
}

/**
 * The export `name` of a module: a machine as a protocol, with what the module says beside it;
 * anything else as it is. `file`: the name of a machine without a name.
 */
export function exportIn(
  exported: Readonly<Record<string, unknown>>,
  name: string,
  { file, asks = true }: { readonly file: string; readonly asks?: boolean },
): unknown {
  const machine = exported[name];
  if (!isMachine(machine)) return machine;
  const beside = Object.fromEntries(
    ['examples', 'actors', 'input', 'properties'].flatMap((part) =>
      exported[part] === undefined ? [] : [[part, exported[part]]],
    ),
  );
  const own = machine.id === '(machine)' ? (name === 'default' ? file : name) : machine.id;
  return machineProtocol(machine, beside, { name: own, asks });
}
