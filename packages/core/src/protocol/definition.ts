import * as v from 'valibot';
import { ConclaveError } from '../base/error.js';
import { mistakeIn, optionsOf, type Schema } from '../schema/check.js';
import {
  callback,
  choices,
  flag,
  listOf,
  measure,
  oneOf,
  optional,
  text,
  whole,
} from '../schema/values.js';
import type { TopologyNeed } from '../topology/needs.js';
import type { History } from './history.js';
import type { Command, Message } from './node.js';
import { properties } from './property-schema.js';
import type { CommandShape, ProtocolDefinition, Role, Shape } from './protocol.js';
import { timeModel } from './time-schema.js';

const anything: Schema = v.unknown();
const texts = listOf(text, 'a list of texts');
const byName = (item: Schema, wanted: string): Schema => v.record(v.string(), item, wanted);
const shape = { fields: optional(texts), meaning: text };

const definition = optionsOf<ProtocolDefinition<Message, Command>>({
  id: optional(text),
  name: text,
  title: text,
  problem: text,
  citation: text,
  options: optional(byName(anything, 'the options by name')),
  times: optional(
    byName(
      optionsOf({ ms: measure('milliseconds'), least: measure('milliseconds') }),
      'times by option',
    ),
  ),
  version: optional(whole(0)),
  topology: v.looseObject(
    { name: text, refuses: callback, example: callback, overlay: callback },
    'a network that it needs, such as needs.complete',
  ) satisfies Schema<unknown> as Schema<TopologyNeed>,
  channels: optionsOf<ProtocolDefinition<Message, Command>['channels']>({
    order: oneOf(choices.order),
    loss: flag,
    duplication: flag,
    time: optional(timeModel),
  }),
  roles: byName(
    optionsOf<Role>({ machine: anything, input: callback, stable: optional(texts) }),
    'the roles by name, such as { node: { machine, input } }',
  ),
  roleOf: optional(callback),
  messages: byName(optionsOf<Shape>(shape), 'the messages by type'),
  commands: byName(
    optionsOf<CommandShape>({
      ...shape,
      kind: oneOf(['optional', 'obligatory']),
      when: optional(callback),
      examples: optional(listOf(anything, 'a list of examples')),
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
      per: oneOf(['entry', 'election', 'initiator', 'wave', 'multicast', 'period', 'run']),
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
  leases: optional(callback),
  floor: optional(callback),
  waiting: optional(v.union([callback, v.literal(false)], 'a function, or false')),
  waitsFor: optional(callback),
  contenders: optional(callback),
  perpetual: optional(flag),
  symmetry: optional(callback),
  history: optional(
    optionsOf<History>({ initial: callback, after: callback, label: optional(callback) }),
  ),
});

/**
 * What a compiler finds in TypeScript: a field that is missing, misspelt, or of another type.
 * @throws {ConclaveError} `bad-protocol`.
 */
export function checkDefinition(given: { readonly name?: unknown }): void {
  const mistake = mistakeIn(definition, given, 'field');
  if (!mistake) return;
  const [what, cure] = mistake;
  const name = typeof given?.name === 'string' ? `Protocol '${given.name}'` : 'The protocol';
  throw new ConclaveError('bad-protocol', `${name}: ${what}`, cure);
}
