import type { Command } from './node.js';
import type { Protocol } from './protocol.js';

/** The commands of `type` that need no further input: the bare command, or where it has fields, each of its examples. */
export const examplesOf = ({ commands }: Protocol, type: string): readonly Command[] => {
  const { fields = [], examples = fields.length === 0 ? [{}] : [] } = commands[type] ?? {};
  return examples.map((example) => ({ type, ...example }));
};

/**
 * The optional commands of `protocol`, each once; those with fields take their first example.
 *
 * @example optionalCommands(ricartAgrawala) // [{ type: 'acquire' }]
 */
export const optionalCommands = (protocol: Protocol): readonly Command[] =>
  Object.entries(protocol.commands).flatMap(([type, { kind }]) => (kind === 'optional' ? examplesOf(protocol, type).slice(0, 1) : []));
