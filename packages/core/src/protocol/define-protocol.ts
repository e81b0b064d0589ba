import * as v from 'valibot';
import { ConclaveError } from '../base/error.js';
import { mistakeIn, optionsOf, type Schema } from '../schema/check.js';
import {
  bound,
  byName,
  callback,
  choices,
  flag,
  isRecord,
  listOf,
  measure,
  oneOf,
  optional,
  text,
  texts,
  whole,
} from '../schema/values.js';
import type { TopologyNeed } from '../topology/needs.js';
import type { Topology } from '../topology/topology.js';
import { checkProtocol } from './check.js';
import type { Command, Message, NodeId } from './node.js';
import { properties } from './property-schema.js';
import type {
  CommandShape,
  FencedProtocol,
  Protocol,
  ProtocolDefinition,
  Role,
  Shape,
} from './protocol.js';
import { timeModel } from './time.js';

/**
 * Puts statecharts, messages, network, assumptions and properties together, and checks that they
 * fit.
 *
 * @throws {ConclaveError} `bad-protocol`: a field that is missing, misspelt or of another type, a
 * machine that invokes or spawns actors or acts by plain functions, a context that is not plain data,
 * an unknown target or event, a message that is handled nowhere.
 */
export function defineProtocol<M extends Message, C extends Command>(
  definition: ProtocolDefinition<M, C> & Pick<FencedProtocol, 'fence'>,
): FencedProtocol<C>;
export function defineProtocol<M extends Message, C extends Command>(
  definition: ProtocolDefinition<M, C>,
): Protocol<C>;
export function defineProtocol<M extends Message, C extends Command>(
  definition: ProtocolDefinition<M, C>,
): Protocol<C> {
  checkDefinition(definition);
  const [onlyRole, ...moreRoles] = Object.keys(definition.roles);
  const { name } = definition;
  const protocol: Protocol<C> = {
    ...definition,
    roles: Object.fromEntries(
      Object.entries(definition.roles).map(([role, { input, ...others }]) => [
        role,
        { ...others, input: answering(`Protocol '${name}': input of role '${role}'`, input) },
      ]),
    ),
    roleOf: definition.roleOf
      ? answering(`Protocol '${name}': roleOf`, definition.roleOf)
      : () => onlyRole ?? '',
  };
  checkProtocol(protocol, definition.roleOf !== undefined || moreRoles.length === 0);
  return protocol;
}

/** A function of a node that says its name where it throws. */
const answering =
  <T>(name: string, answer: (id: NodeId, topology: Topology) => T) =>
  (id: NodeId, topology: Topology): T => {
    try {
      return answer(id, topology);
    } catch (error) {
      if (error instanceof ConclaveError) throw error;
      const why = error instanceof Error ? error.message : String(error);
      throw new ConclaveError(
        'bad-protocol',
        `${name} fails for node ${id} of '${topology.spec}': ${why}`,
        'Let it answer for every node of every network that the protocol takes.',
        { cause: error },
      );
    }
  };

const anything: Schema = v.unknown();
const example = 'an object with the values of its fields';
const shape = {
  ...{ fields: optional(texts), optionalFields: optional(texts), counters: optional(texts) },
  meaning: text,
};

const definition = optionsOf<ProtocolDefinition<Message, Command>>({
  id: optional(text),
  name: text,
  title: text,
  problem: text,
  citation: text,
  options: optional(byName(anything, 'the options by name')),
  times: optional(
    byName(
      optionsOf({ ms: bound('milliseconds'), least: measure('milliseconds') }),
      'times by option',
    ),
  ),
  version: optional(whole(0)),
  topology: v.looseObject(
    {
      ...{ name: text, refuses: callback, example: callback, overlay: callback },
      named: optional(optionsOf<NonNullable<TopologyNeed['named']>>({ option: text, node: text })),
    },
    'a network that it needs, such as needs.complete',
  ),
  channels: optionsOf<ProtocolDefinition<Message, Command>['channels']>({
    order: oneOf(choices.order),
    ...{ loss: flag, duplication: flag }, // the table of faults is no part of a node
    losses: optional(whole(0)),
    time: optional(timeModel),
    sameProcess: optional(callback),
  }),
  roles: byName(
    optionsOf<Role>({
      ...{ machine: anything, input: callback },
      ...{ stable: optional(texts), counters: optional(texts) },
    }),
    'the roles by name, such as { node: { machine, input } }',
  ),
  roleOf: optional(callback),
  messages: byName(optionsOf<Shape>(shape), 'the messages by type'),
  commands: byName(
    optionsOf<CommandShape>({
      ...shape,
      kind: oneOf(['optional', 'obligatory']),
      when: optional(callback),
      examples: optional(listOf(byName(anything, example), 'a list of examples')),
    }),
    'the commands by type',
  ),
  properties,
  crashNotice: optional(text),
  tolerates: optional(listOf(oneOf(['crash', 'restart']), "a list of 'crash' and 'restart'")),
  succession: optional(optionsOf({ bindsFor: measure('milliseconds'), fields: callback })),
  clients: optional(optionsOf({ servedBy: text, messages: texts })),
  cost: optional(
    optionsOf<NonNullable<ProtocolDefinition<Message, Command>['cost']>>({
      per: oneOf([
        'entry',
        'election',
        'initiator',
        'wave',
        'multicast',
        'transaction',
        'snapshot',
        'detection',
        'ballot',
        'period',
        'run',
      ]),
      command: optional(text),
      of: optional(texts),
      formula: text,
      remark: optional(text),
      messages: callback,
      average: optional(callback),
    }),
  ),
  rewards: optional(byName(callback, 'functions by name')),
  fence: optional(callback),
  fenceCondition: optional(text),
  drawn: optional(byName(anything, 'the machines by role')),
  assumes: optional(texts),
  leases: optional(callback),
  floor: optional(callback),
  waiting: optional(v.union([callback, v.literal(false)], 'a function, or false')),
  waitsFor: optional(callback),
  contenders: optional(callback),
  perpetual: optional(flag),
  history: optional(
    v.looseObject(
      { initial: callback, after: callback, label: optional(callback) },
      'a history variable, with initial and after',
    ),
  ),
});

/**
 * What a compiler finds in TypeScript: a field that is missing, misspelt, or of another type.
 * @throws {ConclaveError} `bad-protocol`.
 */
function checkDefinition(given: unknown): void {
  const own = ownFieldsOf(given);
  const mistake = mistakeIn(definition, own, 'field');
  if (!mistake) return;
  const [what, cure] = mistake;
  const isNamed = typeof own === 'object' && own !== null && 'name' in own;
  const name = isNamed ? `Protocol '${own.name}'` : 'The protocol';
  throw new ConclaveError('bad-protocol', `${name}: ${what}`, cure);
}

/** Without what a definition and its roles inherit: that would be lost where they are copied. */
function ownFieldsOf(given: unknown): unknown {
  if (typeof given !== 'object' || given === null) return given;
  const own: Record<string, unknown> = { ...given };
  if (!isRecord(own.roles)) return own;
  const roles = Object.entries(own.roles).map(([name, role]) => [
    name,
    typeof role === 'object' && role !== null ? { ...role } : role,
  ]);
  return { ...own, roles: Object.fromEntries(roles) };
}
