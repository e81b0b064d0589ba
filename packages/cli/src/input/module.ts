/**
 * Modules of the user's own: finding the protocol or system that one exports. Its shape decides, not
 * its class, since a module may import another copy of Conclave than this command.
 */

import { statSync } from 'node:fs';
import { parse } from 'node:path';
import type { exploreSystem } from '@conclave/check';
import { isMachine, exportIn as ownExport } from '@conclave/core/internal';
import type { Json, Protocol } from '@conclave/core/protocol';
import { badInput } from '../errors.js';
import { loadModule } from './load-module.js';

/** Whether an argument names a module rather than a protocol of the catalogue. */
export const looksLikePath = (argument: string): boolean => /[\\/]|\.[cm]?[jt]s$/.test(argument);

type Parts = Parameters<typeof exploreSystem<Json, Json>>;
type PlainSystem = Parts[0];

/**
 * A system of plain functions with its properties, as a module exports it, and what its steps cost
 * for `conclave expected`, by name.
 */
export type UserSystem = PlainSystem & {
  readonly properties: Parts[1]['properties'];
  readonly rewards?: Readonly<Record<string, unknown>>;
};

/** What `check` can explore. */
export type Checkable =
  | { readonly kind: 'protocol'; readonly protocol: Protocol }
  | { readonly kind: 'system'; readonly name: string; readonly system: UserSystem };

/**
 * The protocol that the module at `path` exports: the one called `exportName`, else the default
 * export, else the only one. A bare statechart is one, too; without `asks`, it is only drawn.
 *
 * @throws {ConclaveError} `bad-input`: no such file, a module that fails to load, no protocol in
 * it, or several.
 */
export async function protocolIn(
  path: string,
  exportName?: string,
  asks = true,
): Promise<Protocol> {
  return (await exportIn(path, protocolWanted, exportName, asks)).value;
}

/**
 * All protocols that the module exports, each once, by the name of its export; with `exportName`
 * that one.
 *
 * @throws {ConclaveError} `bad-input`, as {@link protocolIn}, but several are fine.
 */
export async function protocolsIn(
  path: string,
  exportName?: string,
): Promise<Readonly<Record<string, Protocol>>> {
  const found = await allIn(path, protocolWanted, exportName);
  return Object.fromEntries(
    found
      .filter(({ value }, at) => found.findIndex((other) => other.value === value) === at)
      .map(({ name, value }) => [name, value]),
  );
}

/**
 * The protocol or system of plain functions that the module exports, chosen in the same way. A
 * module whose exports have the names of a system's parts is itself a system, with the name of its
 * file.
 *
 * @throws {ConclaveError} `bad-input`, as {@link protocolIn}.
 */
export async function checkableIn(path: string, exportName?: string): Promise<Checkable> {
  const is = (value: unknown) => isProtocol(value) || isSystem(value);
  const cure = `Export a statechart of XState, what defineProtocol returns, an object with initial, actions, next and properties, or these by name: ${yourMachine}.`;
  const wanted = { is, one: 'protocol or system', several: 'protocols and systems', cure };
  const { name, value } = await exportIn(path, wanted, exportName);
  return isProtocol(value)
    ? { kind: 'protocol', protocol: value }
    : { kind: 'system', name, system: withProperties(name, value) };
}

/** How a file with a machine is taken. */
export const yourMachine = 'https://github.com/conclave-ts/conclave/blob/main/docs/your-machine.md';

const protocolWanted: Wanted<Protocol> = {
  is: isProtocol,
  one: 'protocol',
  several: 'protocols',
  cure: `Export a statechart of XState, or what defineProtocol returns: ${yourMachine}.`,
};

/** What to find in a module, and its name in errors. */
interface Wanted<T> {
  readonly is: (value: unknown) => value is T;
  readonly one: string;
  readonly several: string;
  readonly cure: string;
}

interface Found<T> {
  readonly name: string;
  readonly value: T;
}

async function exportIn<T>(
  path: string,
  wanted: Wanted<T>,
  exportName?: string,
  asks = true,
): Promise<Found<T>> {
  const { several } = wanted;
  const found = await allIn(path, wanted, exportName, asks);
  const isOne = new Set(found.map(({ value }) => value)).size === 1;
  const only = isOne ? found[0] : found.find(({ name }) => name === 'default');
  if (only) return only;
  const names = found.map(({ name }) => name).join(', ');
  throw badInput(
    `'${path}' exports several ${several}: ${names}`,
    `Choose one, as in --export ${found[0]?.name}.`,
  );
}

/** All exports that are wanted, at least one; with `exportName` that one. */
async function allIn<T>(
  path: string,
  { is, one, several, cure }: Wanted<T>,
  exportName?: string,
  asks = true,
): Promise<readonly Found<T>[]> {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw badInput(`There is no file '${path}'`, 'Is the path relative to this folder?');
  const exported = withProtocols(await loadModule(path), {
    ...{ file: parse(path).name, exportName, asks },
  });
  const found = [...Object.entries(exported), [parse(path).name, { ...exported }] as const]
    .flatMap(([name, value]) => (is(value) ? [{ name, value }] : []))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  if (exportName !== undefined) {
    const chosen = found.find(({ name }) => name === exportName);
    if (chosen) return [chosen];
    const names = found.map(({ name }) => name).join(', ');
    throw badInput(
      `'${path}' exports no ${one} called '${exportName}'`,
      `Its ${several}: ${names || 'none'}.`,
    );
  }
  if (found.length > 0) return found;
  throw badInput(
    `'${path}' exports no ${one} (it exports ${Object.keys(exported).join(', ') || 'nothing'})`,
    cure,
  );
}

/**
 * Where a module exports neither a protocol nor a system: each statechart in it as a protocol of one
 * node, with what the module says beside it. Where `exportName` is given, that one alone.
 */
function withProtocols(
  exported: Exports,
  { file, exportName, asks }: { file: string; exportName: string | undefined; asks: boolean },
): Exports {
  if ([exported, ...Object.values(exported)].some((one) => isProtocol(one) || isSystem(one)))
    return exported;
  const made = new Map<unknown, unknown>(); // a default export may have a name as well
  const protocolOf = (name: string, value: unknown) => {
    const protocol = made.get(value) ?? ownExport(exported, name, { file, asks });
    made.set(value, protocol);
    return protocol;
  };
  return Object.fromEntries(
    Object.entries(exported).map(([name, value]) => [
      name,
      isMachine(value) && (exportName ?? name) === name ? protocolOf(name, value) : value,
    ]),
  );
}

type Exports = Readonly<Record<string, unknown>>;

/** Its shape decides: the module may import another copy of Conclave than this command. */
function isProtocol(value: unknown): value is Protocol {
  if (typeof value !== 'object' || value === null) return false;
  const parts = [
    'name',
    'title',
    'problem',
    'topology',
    'channels',
    'roles',
    'messages',
    'commands',
    'properties',
  ];
  return (
    parts.every((part) => part in value) && 'roleOf' in value && typeof value.roleOf === 'function'
  );
}

const isFunction = (value: unknown): boolean => typeof value === 'function';

/**
 * Whether `value` is meant as a system of plain functions; the explorer reports what is wrong with
 * it, or missing.
 */
function isSystem(value: unknown): value is PlainSystem {
  if (typeof value !== 'object' || value === null || !('initial' in value || 'initials' in value))
    return false;
  return (
    'actions' in value && 'next' in value && isFunction(value.actions) && isFunction(value.next)
  );
}

/**
 * @throws {ConclaveError} `bad-input` for a system without properties; the explorer refuses what is
 * not one.
 */
function withProperties(name: string, system: PlainSystem): UserSystem {
  const properties = 'properties' in system ? system.properties : undefined;
  if (!Array.isArray(properties))
    throw badInput(
      `The system '${name}' has no properties`,
      "Give it some, as in properties: [always('…', (state) => …)].",
    );
  return { ...system, properties };
}
