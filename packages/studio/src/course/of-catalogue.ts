/** What an exercise in code names of the catalogue. */
import { loadProtocol } from '@conclave/algorithms/load';
import { mutantsOf } from '@conclave/core/internal/mutation';
import type { Protocol } from '@conclave/core/protocol';
import { badInput } from '../base/bad-input.js';
import type { CodeExercise } from './code-exercise.js';

/** @throws {ConclaveError} `bad-input` for a role that is not there. */
export async function protocolIn({ protocol: name, role }: CodeExercise): Promise<Protocol> {
  const protocol = await loadProtocol(name);
  if (protocol.roles[role]) return protocol;
  throw badInput(
    `${protocol.title} has no role '${role}'`,
    `Its roles: ${Object.keys(protocol.roles).join(', ')}.`,
  );
}

/** @throws {ConclaveError} `bad-input` for a mutant that is not there. */
export function mutantIn(protocol: Protocol, id: string): ReturnType<typeof mutantsOf>[number] {
  const mutant = mutantsOf(protocol).find((one) => one.id === id);
  if (mutant) return mutant;
  throw badInput(
    `${protocol.title} has no mutant '${id}'`,
    `conclave mutate ${protocol.name} --json lists them.`,
  );
}
