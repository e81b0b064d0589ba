import type { AnyStateMachine, AnyStateNode } from 'xstate';
import type { Topology } from '../topology/topology.js';
import { ConclaveError } from './error.js';
import { matches } from './handles.js';
import { notPlain } from './node.js';
import type { Protocol, Role } from './protocol.js';
import { start } from './step.js';

/** Every state node of a machine, outermost first. */
export function stateNodes(machine: AnyStateMachine): readonly AnyStateNode[] {
  const visit = (node: AnyStateNode): AnyStateNode[] => [node, ...Object.values(node.states).flatMap(visit)];
  return visit(machine.root);
}

/** The definition-time checks of `defineProtocol`; the first mistake is thrown. */
export function checkProtocol(protocol: Protocol, rolesAreTold: boolean): void {
  const refuse = (what: string, cure = ''): never => {
    throw new ConclaveError('bad-protocol', `Protocol '${protocol.name}': ${what}`, cure);
  };
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(protocol.name)) refuse('its name is not in kebab-case', "Write it like 'ricart-agrawala'.");
  const roles = Object.entries(protocol.roles);
  if (roles.length === 0) refuse('it has no role', 'Give it roles: { node: { machine, input } }.');
  if (!rolesAreTold) refuse('it has several roles but no roleOf', 'Say by roleOf(node, topology) which role a node plays.');
  const names = new Set(protocol.properties.map(({ name }) => name));
  if (names.size < protocol.properties.length) refuse('two of its properties have the same name');

  const known = new Set([...Object.keys(protocol.messages), ...Object.keys(protocol.commands), 'chosen']);
  for (const type of Object.keys(protocol.messages)) if (type in protocol.commands) refuse(`'${type}' is both a message and a command`);
  for (const [name, role] of roles) checkMachine(name, role, known, refuse);
  for (const type of known) {
    if (type === 'chosen') continue;
    const listed = roles.some(([, role]) =>
      stateNodes(role.machine).some((node) => [...node.transitions.keys()].some((descriptor) => matches(descriptor, type))),
    );
    const what = type in protocol.messages ? 'message' : 'command';
    if (!listed) refuse(`the ${what} '${type}' is handled in no state`, `List it under on, or take it out of ${what}s.`);
  }
  checkFirstStates(protocol, refuse);
}

type Refuse = (what: string, cure?: string) => never;

function checkMachine(role: string, { machine }: Role, known: ReadonlySet<string>, refuse: Refuse): void {
  const where = (node: AnyStateNode) => `role '${role}', state '${node.id}'`;
  if (Object.keys(machine.implementations.actors).length > 0)
    refuse(`role '${role}' brings actors of its own`, 'A node is one machine; let it emit(send(…)) and wait by after.');
  for (const [name, action] of Object.entries(machine.implementations.actions)) {
    if (typeof action === 'function' && !('resolve' in action) && !('execute' in action))
      refuse(
        `role '${role}': the action '${name}' is a plain function`,
        'A node acts by assign, emit, raise and cancel only; the host does the rest.',
      );
  }
  for (const node of stateNodes(machine)) {
    if (node.invoke.length > 0) refuse(`${where(node)} invokes an actor`, 'A node is one machine; let it emit(send(…)) and wait by after.');
    for (const descriptor of node.transitions.keys()) {
      if (descriptor.includes('*') || descriptor.startsWith('xstate.') || descriptor === '' || known.has(descriptor)) continue;
      if (isRaised(machine, descriptor)) continue;
      refuse(`${where(node)} handles '${descriptor}', which is neither a message nor a command`, `It knows ${[...known].join(', ')}.`);
    }
    const transitions = [...[...node.transitions.values()].flat(), ...(node.always ?? [])];
    for (const action of [...node.entry, ...node.exit, ...transitions.flatMap((transition) => transition.actions)])
      checkAction(action, machine, where(node), refuse);
    for (const { guard } of transitions) {
      const name = typeof guard === 'string' ? guard : undefined;
      if (name !== undefined && !(name in machine.implementations.guards))
        refuse(`${where(node)} asks the guard '${name}', which does not exist`, 'Give it in setup({ guards }).');
    }
  }
}

function checkAction(action: unknown, machine: AnyStateMachine, where: string, refuse: Refuse): void {
  if (typeof action === 'function') {
    if ('type' in action && ['xstate.spawnChild', 'xstate.sendTo', 'xstate.stopChild'].includes(String(action.type)))
      refuse(`${where} uses ${String(action.type)}`, 'A node is one machine; let it emit(send(…)).');
    if (!('resolve' in action)) refuse(`${where} runs a plain function`, 'A node acts by assign, emit, raise and cancel only.');
    return;
  }
  const name = typeof action === 'string' ? action : String((action as { type: unknown }).type); // XState's two ways to name an action
  if (name.startsWith('xstate.') || name in machine.implementations.actions) return;
  refuse(`${where} runs the action '${name}', which does not exist`, 'Give it in setup({ actions }).');
}

/** Whether the machine raises `type` to itself; only a literal raise can be seen. */
function isRaised(machine: AnyStateMachine, type: string): boolean {
  const raises = (action: unknown) => {
    if (typeof action !== 'function' || !('type' in action) || action.type !== 'xstate.raise' || !('event' in action)) return false;
    return typeof action.event === 'function' || (action.event as { type?: string }).type === type; // the shape of XState's raise
  };
  if (Object.values(machine.implementations.actions).some(raises)) return true;
  return stateNodes(machine).some((node) =>
    [...node.entry, ...node.exit, ...[...node.transitions.values()].flat().flatMap((transition) => transition.actions)].some(raises),
  );
}

/** Starts every node of a small network, so that mistakes of contexts and entry actions show now and not in a run. */
function checkFirstStates(protocol: Protocol, refuse: Refuse): void {
  const topology = protocol.topology.example(3);
  const why = protocol.topology.refuses(topology);
  if (why !== undefined) refuse(`its topology refuses its own example: ${why}`);
  for (const id of topology.nodes) {
    const name = protocol.roleOf(id, topology);
    const role =
      protocol.roles[name] ??
      refuse(`roleOf(${id}) is '${name}', which is not one of its roles`, `It has ${Object.keys(protocol.roles).join(', ')}.`);
    const input = role.input(id, topology);
    const badInput = notPlain(input, 'input');
    if (badInput)
      refuse(`role '${name}': ${badInput} is not plain data`, 'Use numbers, strings, booleans, null, arrays and objects of them.');
    const { state } = start(role.machine, id, input);
    const bad = notPlain(state.context, 'context');
    if (bad) refuse(`role '${name}': ${bad} is not plain data`, 'Use numbers, strings, booleans, null, arrays and objects of them.');
    for (const field of role.stable ?? [])
      if (!(field in state.context)) refuse(`role '${name}' declares '${field}' stable, but its context has no such field`);
  }
}

/**
 * Holds `topology` against what `protocol` needs.
 *
 * @throws {ConclaveError} `bad-topology`, saying what is missing.
 */
export function requireTopology(protocol: Protocol, topology: Topology): void {
  const why = protocol.topology.refuses(topology);
  if (why !== undefined)
    throw new ConclaveError(
      'bad-topology',
      `${protocol.title} needs a ${protocol.topology.name} network; in '${topology.spec}' ${why}`,
      `Try ${protocol.topology.example(Math.max(3, Math.min(topology.nodes.length, 8))).spec}.`,
    );
  for (const id of topology.nodes) {
    const name = protocol.roleOf(id, topology);
    if (!(name in protocol.roles))
      throw new ConclaveError('bad-protocol', `Protocol '${protocol.name}': roleOf(${id}) is '${name}', which is not one of its roles`);
  }
}
