import type { PlainOptions, PlainSystem } from '@conclave/core/exploration';
import { ConclaveError, type Json, type Property } from '@conclave/core/protocol';

/** A system of plain functions with what is asked of it, as a module exports it. */
export type UserSystem = PlainSystem<Json, Json> & { readonly properties: PlainOptions<Json>['properties'] };

/** Whether `value` is meant as a system of plain functions; what is wrong with it, or missing, is told when it is explored. */
export function isSystem(value: unknown): value is PlainSystem<Json, Json> {
  if (typeof value !== 'object' || value === null) return false;
  const { actions, next } = value as Readonly<Record<string, unknown>>;
  return ('initial' in value || 'initials' in value) && typeof actions === 'function' && typeof next === 'function';
}

/** @throws {ConclaveError} `bad-input` for a system without properties, or with some that are none. */
export function withProperties(name: string, system: PlainSystem<Json, Json>): UserSystem {
  const properties = 'properties' in system ? system.properties : undefined;
  if (!Array.isArray(properties))
    throw new ConclaveError(
      'bad-input',
      `The system '${name}' has no properties`,
      "Give it some, as in properties: [always('…', (state) => …)].",
    );
  const wrong = properties.findIndex((property) => !isProperty(property));
  if (wrong >= 0)
    throw new ConclaveError(
      'bad-input',
      `The system '${name}': properties[${wrong}] is no property`,
      'Make it by always, never, sometimes, eventually or leadsTo.',
    );
  return { ...system, properties };
}

/** There are no messages that an `atMost` could count. */
const kinds: readonly unknown[] = ['always', 'never', 'sometimes', 'eventually', 'leadsTo'] satisfies Property['kind'][];

function isProperty(value: unknown): value is UserSystem['properties'][number] {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, name, holds, then } = value as Readonly<Record<string, unknown>>;
  return (
    kinds.includes(kind) && typeof name === 'string' && typeof holds === 'function' && (kind !== 'leadsTo' || typeof then === 'function')
  );
}
