import { isInCatalogue } from '@conclave/algorithms/internal/load';
import { loadProtocol } from '@conclave/algorithms/load';
import type { Json, Protocol } from '@conclave/core/protocol';
import { badInput } from '../errors.js';
import { protocolFor } from './protocol.js';

/** What a recorded run says about its protocol. */
export interface Recorded {
  /** What it is, such as `run.trace is a trace`. */
  readonly what: string;
  readonly name: string;
  readonly options: Readonly<Record<string, Json>>;
}

/** The module of a protocol that is not in the catalogue. */
export interface ModuleChoice {
  readonly protocol?: string;
  readonly export?: string;
}

/**
 * The protocol of a recorded run.
 * @throws {ConclaveError} `bad-input` where it is not in the catalogue and no module is given, or
 * another one.
 */
export async function recordedProtocol(
  { what, name, options }: Recorded,
  { protocol: path, ...choice }: ModuleChoice,
): Promise<Protocol> {
  if (path === undefined) {
    if (isInCatalogue(name)) return loadProtocol(name, options);
    throw badInput(
      `${what} of '${name}', which is not in the catalogue`,
      'Name its module: --protocol ./module.ts.',
    );
  }
  const protocol = await protocolFor(path, choice);
  if (protocol.name === name) return protocol;
  throw badInput(
    `${what} of '${name}', but '${path}' is '${protocol.name}'`,
    `Give the module of '${name}'.`,
  );
}
