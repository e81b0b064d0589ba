import { statSync } from 'node:fs';
import { parse } from 'node:path';
import { ConclaveError, type Protocol } from '@conclave/core/protocol';
import { loadModule } from './load-module.js';
import { isSystem, type UserSystem, withProperties } from './user-system.js';

/** Whether an argument names a module rather than a protocol of the catalogue. */
export const looksLikePath = (argument: string): boolean => /[\\/]|\.[cm]?[jt]s$/.test(argument);

/** What `check` can look at. */
export type Checkable =
  | { readonly kind: 'protocol'; readonly protocol: Protocol }
  | { readonly kind: 'system'; readonly name: string; readonly system: UserSystem };

/**
 * The protocol that the module at `path` exports: the one called `exportName`, else the default export, else the only one.
 *
 * @throws {ConclaveError} `bad-input`: no such file, a module that fails to load, no protocol in it, or several.
 */
export async function protocolIn(path: string, exportName?: string): Promise<Protocol> {
  const wanted = { is: isProtocol, one: 'protocol', several: 'protocols', cure: 'Export what defineProtocol returns.' };
  return (await exportIn(path, wanted, exportName)).value;
}

/**
 * The same, of the protocols and the systems of plain functions that it exports; it may be a system itself, by the names of its exports, and is
 * then called like its file.
 *
 * @throws {ConclaveError} `bad-input`, as {@link protocolIn}.
 */
export async function checkableIn(path: string, exportName?: string): Promise<Checkable> {
  const is = (value: unknown) => isProtocol(value) || isSystem(value);
  const cure = 'Export what defineProtocol returns, an object with initial, actions, next and properties, or these by name.';
  const wanted = { is, one: 'protocol or system', several: 'protocols and systems', cure };
  const { name, value } = await exportIn(path, wanted, exportName);
  return isProtocol(value) ? { kind: 'protocol', protocol: value } : { kind: 'system', name, system: withProperties(name, value) };
}

/** What is looked for in a module, and its name in errors. */
interface Wanted<T> {
  readonly is: (value: unknown) => value is T;
  readonly one: string;
  readonly several: string;
  readonly cure: string;
}

interface Export<T> {
  readonly name: string;
  readonly value: T;
}

async function exportIn<T>(path: string, { is, one, several, cure }: Wanted<T>, exportName?: string): Promise<Export<T>> {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw new ConclaveError('bad-input', `There is no file '${path}'`);
  const exported = await loadModule(path);
  const found = [...Object.entries(exported), [parse(path).name, { ...exported }] as const]
    .flatMap(([name, value]): Export<T>[] => (is(value) ? [{ name, value }] : []))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const names = found.map(({ name }) => name).join(', ');
  if (exportName !== undefined) {
    const chosen = found.find(({ name }) => name === exportName);
    if (chosen) return chosen;
    throw new ConclaveError('bad-input', `'${path}' exports no ${one} called '${exportName}'`, `Its ${several}: ${names || 'none'}.`);
  }
  const isOne = new Set(found.map(({ value }) => value)).size === 1;
  const only = isOne ? found[0] : found.find(({ name }) => name === 'default');
  if (only) return only;
  if (found[0])
    throw new ConclaveError('bad-input', `'${path}' exports several ${several}: ${names}`, `Choose one, as in --export ${found[0].name}.`);
  const others = Object.keys(exported).join(', ') || 'nothing';
  throw new ConclaveError('bad-input', `'${path}' exports no ${one} (it exports ${others})`, cure);
}

/** By its shape: the module may have been given another copy of Conclave than this command. */
function isProtocol(value: unknown): value is Protocol {
  if (typeof value !== 'object' || value === null) return false;
  const parts = ['name', 'title', 'problem', 'topology', 'channels', 'roles', 'messages', 'commands', 'properties'];
  return parts.every((part) => part in value) && 'roleOf' in value && typeof value.roleOf === 'function';
}
