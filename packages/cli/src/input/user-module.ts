import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConclaveError, type Protocol } from '@conclave/core/protocol';
import { oneLine } from '../output/error-line.js';

/** Whether an argument names a module rather than a protocol of the catalogue. */
export const looksLikePath = (argument: string): boolean => /[\\/]|\.[cm]?[jt]s$/.test(argument);

/**
 * The protocol that the module at `path` exports: the one called `exportName`, else the default export, else the only one.
 *
 * @throws {ConclaveError} `bad-input`: no such file, a module that fails to load, no protocol in it, or several.
 */
export async function protocolIn(path: string, exportName?: string): Promise<Protocol> {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw new ConclaveError('bad-input', `There is no file '${path}'`);
  const exported = await importModule(path);
  const found = Object.entries(exported)
    .filter((entry): entry is [string, Protocol] => isProtocol(entry[1]))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const names = found.map(([name]) => name);
  if (exportName !== undefined) {
    const [, chosen] = found.find(([name]) => name === exportName) ?? [];
    if (chosen) return chosen;
    throw new ConclaveError(
      'bad-input',
      `'${path}' exports no protocol called '${exportName}'`,
      `Its protocols: ${names.join(', ') || 'none'}.`,
    );
  }
  const protocols = new Set(found.map(([, protocol]) => protocol));
  const [only] = protocols.size === 1 ? protocols : found.filter(([name]) => name === 'default').map(([, protocol]) => protocol);
  if (only) return only;
  if (found.length > 0)
    throw new ConclaveError(
      'bad-input',
      `'${path}' exports several protocols: ${names.join(', ')}`,
      `Choose one, as in --export ${names[0]}.`,
    );
  const others = Object.keys(exported).join(', ') || 'nothing';
  throw new ConclaveError('bad-input', `'${path}' exports no protocol (it exports ${others})`, 'Export what defineProtocol returns.');
}

async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  const url = pathToFileURL(resolve(path)).href;
  try {
    if (!/\.[cm]?ts$/.test(path)) return await import(url);
    const { tsImport } = await import('tsx/esm/api');
    return await tsImport(url, import.meta.url);
  } catch (error) {
    const why = oneLine(error instanceof Error ? error.message : String(error));
    throw new ConclaveError('bad-input', `'${path}' fails to load: ${why}`, '', { cause: error });
  }
}

/** By its shape: the module may have been given another copy of Conclave than this command. */
function isProtocol(value: unknown): value is Protocol {
  if (typeof value !== 'object' || value === null) return false;
  const parts = ['name', 'title', 'problem', 'topology', 'channels', 'roles', 'messages', 'commands', 'properties'];
  return parts.every((part) => part in value) && 'roleOf' in value && typeof value.roleOf === 'function';
}
