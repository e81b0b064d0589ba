import { optionalCommands } from '@conclave/core/internal/protocol';
import type { Command, Protocol } from '@conclave/core/protocol';

/** Of each optional command its first example, for systems that are too large with all of them. */
export function oneExample(protocol: Protocol): readonly Command[] {
  const all = optionalCommands(protocol);
  return all.filter(({ type }, index) => all.findIndex((one) => one.type === type) === index);
}
