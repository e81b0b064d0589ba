import { badInput, ConclaveError } from '../base/error.js';
import { abridged, shown, type Topology } from '../topology/topology.js';
import { checkMachine } from './check-machine.js';
import { checkProperties } from './check-properties.js';
import { fieldOfCounter } from './counters.js';
import { matches } from './handles.js';
import { labelKey, NodeHistory } from './history.js';
import { notPlain, plainCure } from './plain-data.js';
import { type Protocol, roleOf } from './protocol.js';
import { stateNodes } from './regions.js';
import { hasField } from './stable.js';
import { start } from './step.js';

type Refuse = (what: string, cure?: string) => never;

/** The definition-time checks of `defineProtocol`; the first mistake is thrown. */
export function checkProtocol(protocol: Protocol, hasRoles: boolean): void {
  const refuse: Refuse = (what, cure = '') => {
    throw new ConclaveError('bad-protocol', `Protocol '${protocol.name}': ${what}`, cure);
  };
  const roles = Object.entries(protocol.roles);
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(protocol.name))
    refuse('its name is not in kebab-case', "Write it like 'ricart-agrawala'.");
  if (roles.length === 0) refuse('it has no role', 'Give it roles: { node: { machine, input } }.');
  if (!hasRoles)
    refuse(
      'it has several roles but no roleOf',
      'Give it roleOf: (node, topology) => the name of the role that the node plays.',
    );
  const names = new Set(protocol.properties.map(({ name }) => name));
  if (names.size < protocol.properties.length)
    refuse('two of its properties have the same name', 'Rename one of them.');
  checkTypes(protocol, refuse);
  const types = [...Object.keys(protocol.messages), ...Object.keys(protocol.commands)];
  for (const [name, role] of roles) checkMachine(name, role, new Set([...types, 'chosen']), refuse);
  for (const type of types) checkHandled(protocol, type, refuse);
  checkCommands(protocol, refuse);
  checkNotice(protocol, refuse);
  checkFence(protocol, refuse);
  checkFirstStates(protocol, refuse);
  checkProperties(protocol, protocol.properties);
}

function checkTypes({ messages, commands, roles, drawn }: Protocol, refuse: Refuse): void {
  for (const type of Object.keys(messages))
    if (!drawn && Object.hasOwn(commands, type))
      // machines of an application may forward one
      refuse(`'${type}' is both a message and a command`, 'Rename one of them.');
  for (const [type, { fields = [] }] of [...Object.entries(messages), ...Object.entries(commands)])
    for (const field of ['type', 'from', labelKey, linkLabel])
      if (fields.includes(field))
        refuse(
          `'${type}' has a field '${field}', a name that the host uses itself`,
          'Rename the field.',
        );
  const counted = [...Object.entries(messages), ...Object.entries(commands)].map(
    ([type, { fields, counters }]) => [`'${type}'`, fields, counters] as const,
  );
  const stored = Object.entries(roles).map(
    ([role, { stable, counters }]) =>
      [`the stable storage of role '${role}'`, stable?.map(fieldOfCounter), counters] as const,
  );
  for (const [where, fields = [], counters = []] of [...counted, ...stored])
    for (const path of counters)
      if (!fields.includes(fieldOfCounter(path)))
        refuse(`${where} has a counter '${path}', which is in none of its fields`, cure(fields));
}

const cure = (fields: readonly string[]) =>
  fields.length === 0 ? 'List its fields.' : `It has ${fields.join(', ')}.`;

function checkHandled({ roles, messages }: Protocol, type: string, refuse: Refuse): void {
  const isListed = Object.values(roles).some(({ machine }) =>
    stateNodes(machine).some(({ transitions }) =>
      [...transitions.keys()].some((descriptor) => matches(descriptor, type)),
    ),
  );
  const what = Object.hasOwn(messages, type) ? 'message' : 'command';
  if (!isListed)
    refuse(
      `the ${what} '${type}' is handled in no state`,
      `List it under on, or take it out of ${what}s.`,
    );
}

function checkCommands({ commands }: Protocol, refuse: Refuse): void {
  const obligatory = Object.entries(commands).filter(([, { kind }]) => kind === 'obligatory');
  for (const [type, { when }] of obligatory)
    if (!when)
      refuse(
        `the obligatory command '${type}' does not say when it comes`,
        "Say so, as in when: ({ tags }) => tags.has('critical').",
      );
  for (const [type, { fields = [], examples = [] }] of obligatory)
    if (fields.length > 0 && examples.length === 0)
      refuse(
        `the obligatory command '${type}' has fields, but no example of them: it would never come`,
        'Give their values as examples.',
      );
  for (const [type, { fields = [], optionalFields = [], examples = [] }] of Object.entries(
    commands,
  ))
    for (const example of examples) {
      const bad = notPlain(example, 'example');
      if (bad) refuse(`the command '${type}': ${bad} is not plain data`, plainCure);
      const keys = Object.keys(example);
      const isKnown = keys.every((key) => fields.includes(key));
      const isWhole = fields.every((key) => keys.includes(key) || optionalFields.includes(key));
      if (keys.includes('type') || (fields.length > 0 && !(isKnown && isWhole)))
        refuse(
          `an example of the command '${type}' has the fields '${keys.join("', '")}'`,
          `Give '${fields.join("', '")}'.`,
        );
    }
}

function checkNotice({ crashNotice, messages }: Protocol, refuse: Refuse): void {
  if (crashNotice === undefined) return;
  if (!Object.hasOwn(messages, crashNotice) || messages[crashNotice]?.fields?.length)
    refuse(
      `its crash notice '${crashNotice}' is no message without fields`,
      'List it under messages, without fields.',
    );
}

function checkFence({ fence, fenceCondition, properties }: Protocol, refuse: Refuse): void {
  if (fence && fenceCondition === undefined && !properties.some(({ kind }) => kind === 'increases'))
    refuse(
      'it has a fence, but no property says that it grows',
      'Add one with increases(…), or give a fenceCondition.',
    );
}

/**
 * Starts every node of a small network: mistakes in contexts and entry actions show now, and not in
 * a run.
 */
function checkFirstStates(protocol: Protocol, refuse: Refuse): void {
  const topology = protocol.topology.example(3);
  if (!Array.isArray(topology?.nodes))
    refuse('the example of its topology is no network', "Make one, as topology('ring:3') does.");
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
    if (!isRecord(state.context))
      refuse(
        `role '${name}': its context is ${JSON.stringify(state.context)}, and no object`,
        'Give it fields, as in context: { count: 0 }.',
      );
    attempt(() => NodeHistory.of(protocol, topology, id)?.initial(), refuse);
    if (role.stable?.length && !isRecord(input))
      refuse(
        `role '${name}' declares stable fields, but its input is no object that could carry them after a restart`,
      );
    for (const field of role.stable ?? [])
      if (!hasField(state.context, field))
        refuse(`role '${name}' declares '${field}' stable, but its context has no such field`);
  }
}

const isRecord = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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

/**
 * The field under which an embedded node with a journal numbers what it sends on a link:
 * `incarnation.number`, from 1. It travels with the message; the host that receives it takes it
 * off.
 */
export const linkLabel = '#';
