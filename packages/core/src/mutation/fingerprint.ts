import type { Protocol } from '../protocol/protocol.js';
import { mutantsOf } from './mutants.js';
import { defaultSystems, type MutationSystem, systemText } from './systems.js';
import { type WalkedSystem, walksText } from './walked.js';

/**
 * A text that changes when a report on `protocol` may be out of date: when its mutants, its
 * properties or the systems have changed. It needs no exploration.
 *
 * @example mutationFingerprint(ricartAgrawala) // '3f0c91d2…'
 */
export function mutationFingerprint(
  protocol: Protocol,
  systems: readonly MutationSystem[] = defaultSystems(protocol),
  walks: readonly WalkedSystem[] = [],
): string {
  const parts = [
    ...mutantsOf(protocol).map(({ id, before, after }) => `${id} ${before} ${after}`),
    ...protocol.properties.map(({ kind, name }) => `${kind} ${name}`),
    ...systems.map(systemText),
    ...walks.map(walksText),
  ];
  return hashText(parts.join('\n'));
}

/** FNV-1a twice, with different offsets: not cryptographic. */
function hashText(text: string): string {
  const hash = (start: number) => {
    let bits = start;
    for (let index = 0; index < text.length; index++)
      bits = Math.imul(bits ^ text.charCodeAt(index), 0x01000193);
    return (bits >>> 0).toString(16).padStart(8, '0');
  };
  return hash(0x811c9dc5) + hash(0x2f9be6cc);
}
