import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { badInput, ConclaveError } from '../base/error.js';
import { abridged, shown, type Topology } from '../topology/topology.js';
import { checkProperties } from './check-properties.js';
import { matches } from './handles.js';
import { labelKey, NodeHistory } from './history.js';
import { linkLabel } from './link-label.js';
import { boundMicrosteps } from './microsteps.js';
import { notPlain, plainCure } from './plain-data.js';
import { type Protocol, type Role, roleOf } from './protocol.js';
import { hasField } from './stable.js';
import { stateNodes } from './state-nodes.js';
import { start } from './step.js';
import { misfitOf } from './xstate-copy.js';

/** The definition-time checks of `defineProtocol`; the first mistake is thrown. */
export function checkProtocol(protocol: Protocol, hasRoles: boolean): void {
  const refuse = (what: string, cure = ''): never => {
    throw new ConclaveError('bad-protocol', `Protocol '${protocol.name}': ${what}`, cure);
  };
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(protocol.name))
    refuse('its name is not in kebab-case', "Write it like 'ricart-agrawala'.");
  const roles = Object.entries(protocol.roles);
  if (roles.length === 0) refuse('it has no role', 'Give it roles: { node: { machine, input } }.');
  if (!hasRoles)
    refuse(
      'it has several roles but no roleOf',
      'Give it roleOf: (node, topology) => the name of the role that the node plays.',
    );
  const names = new Set(protocol.properties.map(({ name }) => name));
  if (names.size < protocol.properties.length)
    refuse('two of its properties have the same name', 'Rename one of them.');

  const { messages, commands } = protocol;
  const known = new Set([...Object.keys(messages), ...Object.keys(commands), 'chosen']);
  for (const type of Object.keys(messages))
    if (Object.hasOwn(commands, type))
      refuse(`'${type}' is both a message and a command`, 'Rename one of them.');
  for (const [type, { fields = [] }] of [...Object.entries(messages), ...Object.entries(commands)])
    for (const field of ['type', 'from', labelKey, linkLabel])
      if (fields.includes(field))
        refuse(
          `'${type}' has a field '${field}', a name that the host uses itself`,
          'Rename the field.',
        );
  for (const [name, role] of roles) checkMachine(name, role, known, refuse);
  for (const type of known) {
    if (type === 'chosen') continue;
    const listed = roles.some(([, role]) =>
      stateNodes(role.machine).some((node) =>
        [...node.transitions.keys()].some((descriptor) => matches(descriptor, type)),
      ),
    );
    const what = Object.hasOwn(messages, type) ? 'message' : 'command';
    if (!listed)
      refuse(
        `the ${what} '${type}' is handled in no state`,
        `List it under on, or take it out of ${what}s.`,
      );
  }
  for (const [type, { kind, when }] of Object.entries(commands))
    if (kind === 'obligatory' && !when)
      refuse(
        `the obligatory command '${type}' does not say when it comes`,
        "Say so, as in when: ({ tags }) => tags.has('critical').",
      );
  for (const [type, { kind, fields = [], examples = [] }] of Object.entries(commands))
    if (kind === 'obligatory' && fields.length > 0 && examples.length === 0)
      refuse(
        `the obligatory command '${type}' has fields, but no example of them: it would never come`,
        'Give their values as examples.',
      );
  const { crashNotice } = protocol;
  if (
    crashNotice !== undefined &&
    !(Object.hasOwn(messages, crashNotice) && !messages[crashNotice]?.fields?.length)
  )
    refuse(
      `its crash notice '${crashNotice}' is no message without fields`,
      'List it under messages, without fields.',
    );
  const { fence, fenceCondition, properties } = protocol;
  if (
    fence &&
    fenceCondition === undefined &&
    !properties.some((property) => property.kind === 'increases')
  )
    refuse(
      'it has a fence, but no property says that it grows',
      'Add one with increases(…), or give a fenceCondition.',
    );
  checkFirstStates(protocol, refuse);
  checkProperties(protocol, properties);
}

type Refuse = (what: string, cure?: string) => never;

const oneMachine = 'A node is one machine; let it emit(send(…)) and wait by after.';

function checkMachine(
  role: string,
  { machine }: Role,
  known: ReadonlySet<string>,
  refuse: Refuse,
): void {
  const misfit = misfitOf(machine);
  if (misfit) refuse(`the machine of role '${role}' ${misfit.what}`, misfit.cure);
  boundMicrosteps(machine);
  const where = (node: AnyStateNode) => `role '${role}', state '${node.id}'`;
  if (Object.keys(machine.implementations.actors).length > 0)
    refuse(`role '${role}' brings actors of its own`, oneMachine);
  for (const [name, action] of Object.entries(machine.implementations.actions))
    checkAction(action, machine, `role '${role}', action '${name}'`, refuse);
  for (const node of stateNodes(machine)) {
    if (node.invoke.length > 0) refuse(`${where(node)} invokes an actor`, oneMachine);
    for (const descriptor of node.transitions.keys()) {
      if (
        descriptor.includes('*') ||
        descriptor.startsWith('xstate.') ||
        descriptor === '' ||
        known.has(descriptor)
      )
        continue;
      if (isRaised(machine, descriptor)) continue;
      refuse(
        `${where(node)} handles '${descriptor}', which is neither a message nor a command`,
        `It knows ${[...known].join(', ')}.`,
      );
    }
    for (const action of actionsOf(node)) checkAction(action, machine, where(node), refuse);
    for (const { guard } of transitionsOf(node)) checkGuard(guard, machine, where(node), refuse);
  }
}

const transitionsOf = (node: AnyStateNode) => [
  ...[...node.transitions.values()].flat(),
  ...(node.always ?? []),
];

const actionsOf = (node: AnyStateNode): readonly unknown[] => [
  ...node.entry,
  ...node.exit,
  ...transitionsOf(node).flatMap(({ actions }) => actions),
  ...node.initial.actions,
];

/** What XState keeps of a built-in action or of a combined guard: a function with fields. */
interface BuiltIn {
  readonly type?: string;
  readonly resolve?: unknown;
  readonly event?: unknown;
  readonly delay?: unknown;
  readonly id?: unknown;
  readonly guards?: readonly unknown[];
}

function builtIn(made: unknown): BuiltIn | undefined {
  // XState's own shape of them
  return typeof made === 'function' ? (made as unknown as BuiltIn) : undefined;
}

const forbidden = ['xstate.spawnChild', 'xstate.sendTo', 'xstate.stopChild'];

function checkAction(
  action: unknown,
  machine: AnyStateMachine,
  where: string,
  refuse: Refuse,
): void {
  const made = builtIn(action);
  if (made) {
    const { type = '', resolve, event, delay, id } = made;
    if (forbidden.includes(type))
      refuse(`${where} uses ${type}`, 'A node is one machine; let it emit(send(…)).');
    if (!resolve)
      refuse(
        `${where} runs a plain function`,
        'A node acts by assign, emit, raise and cancel only; the host does the rest.',
      );
    if (type !== 'xstate.raise' || delay === undefined) return;
    if (typeof delay === 'string' && !Object.hasOwn(machine.implementations.delays, delay))
      refuse(
        `${where} waits for the delay '${delay}', which does not exist`,
        'Give it in setup({ delays }).',
      );
    if (id === undefined)
      refuse(
        `${where} raises '${nameOf(event)}' after a delay, but without an id`,
        'Give the delayed raise one: raise(event, { delay, id }).',
      );
    return;
  }
  const name = nameOf(action);
  if (!Object.hasOwn(machine.implementations.actions, name))
    refuse(
      `${where} runs the action '${name}', which does not exist`,
      'Give it in setup({ actions }).',
    );
}

function checkGuard(guard: unknown, machine: AnyStateMachine, where: string, refuse: Refuse): void {
  if (guard === undefined) return;
  const made = builtIn(guard);
  if (made) {
    for (const inner of made.guards ?? []) checkGuard(inner, machine, where, refuse);
    return;
  }
  const name = nameOf(guard);
  if (!Object.hasOwn(machine.implementations.guards, name))
    refuse(
      `${where} uses the guard '${name}', which does not exist`,
      'Give it in setup({ guards }).',
    );
}

/** XState names an action, a guard or an event by a string, or by an object with a type. */
const nameOf = (named: unknown): string =>
  typeof named === 'object' && named !== null && 'type' in named
    ? String(named.type)
    : typeof named === 'string'
      ? named
      : '…';

/**
 * Whether the machine raises `type` to itself. A raise whose event is computed counts as any type.
 * What `enqueueActions` raises cannot be seen from outside: the state that handles it lists it, as
 * in `meta: { raises: ['overdue'] }`.
 */
function isRaised(machine: AnyStateMachine, type: string): boolean {
  if (stateNodes(machine).some(({ meta }) => [Object(meta).raises].flat().includes(type)))
    return true;
  const raises = (action: unknown) => {
    const made = builtIn(action);
    return (
      made?.type === 'xstate.raise' &&
      (typeof made.event === 'function' || nameOf(made.event) === type)
    );
  };
  return [
    ...Object.values(machine.implementations.actions),
    ...stateNodes(machine).flatMap(actionsOf),
  ].some(raises);
}

/**
 * Starts every node of a small network: mistakes in contexts and entry actions show now, and not in
 * a run.
 */
function checkFirstStates(protocol: Protocol, refuse: Refuse): void {
  const topology = protocol.topology.example(3);
  const why = protocol.topology.refuses(topology);
  if (why !== undefined) refuse(`its topology refuses its own example: ${why}`);
  for (const id of topology.nodes) {
    const { name, ...role } = roleOf(protocol, id, topology);
    const input = role.input(id, topology);
    const badInput = notPlain(input, 'input');
    if (badInput) refuse(`role '${name}': ${badInput} is not plain data`, plainCure);
    const { state } = attempt(
      () => start(role.machine, id, input),
      (what, cure) => refuse(`role '${name}': ${what}`, cure),
    );
    attempt(() => NodeHistory.of(protocol, topology, id)?.initial(), refuse);
    if (
      role.stable?.length &&
      (typeof input !== 'object' || input === null || Array.isArray(input))
    )
      refuse(
        `role '${name}' declares stable fields, but its input is no object that could carry them after a restart`,
      );
    for (const field of role.stable ?? [])
      if (!hasField(state.context, field))
        refuse(`role '${name}' declares '${field}' stable, but its context has no such field`);
  }
}

function attempt<T>(run: () => T, refuse: Refuse): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof ConclaveError) refuse(error.what, error.cure);
    throw error;
  }
}

/**
 * Checks that `protocol` can run on `topology`.
 *
 * @throws {ConclaveError} `bad-topology`, saying what is missing; `bad-input` where an option names
 * a node that is not there.
 */
export function requireTopology(protocol: Protocol, topology: Topology): void {
  const { named } = protocol.topology;
  if (named && !topology.has(named.node))
    throw badInput(
      `${protocol.title}: the option ${named.option} names the node '${shown(named.node)}', which '${shown(topology.spec)}' does not have`,
      `It has ${abridged(topology.nodes)}.`,
    );
  const why = protocol.topology.refuses(topology);
  if (why !== undefined)
    throw new ConclaveError(
      'bad-topology',
      `${protocol.title} needs a ${protocol.topology.name} network; in '${topology.spec}' ${why}`,
      `Try ${protocol.topology.example(Math.max(3, Math.min(topology.nodes.length, 8))).spec}.`,
    );
  for (const id of topology.nodes) roleOf(protocol, id, topology);
}
