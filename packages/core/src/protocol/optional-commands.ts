import type { Command } from './node.js';
import type { CommandShape, Protocol } from './protocol.js';

/**
 * The commands of `type` that need no further input: the bare command, or where it has fields, each
 * of its examples.
 */
export const examplesOf = ({ commands }: Protocol, type: string): readonly Command[] => {
  const { fields = [], examples = fields.length === 0 ? [{}] : [] } = commands[type] ?? {};
  return examples.map((example) => ({ type, ...example }));
};

/** The commands of `kind` of a protocol: those without fields, and all examples of the others. */
export const commandsOf = (protocol: Protocol, kind: CommandShape['kind']): readonly Command[] =>
  Object.entries(protocol.commands).flatMap(([type, shape]) =>
    shape.kind === kind ? examplesOf(protocol, type) : [],
  );

/**
 * The optional commands of `protocol`: of those with fields, all examples.
 *
 * @example optionalCommands(ricartAgrawala) // [{ type: 'acquire' }]
 */
export const optionalCommands = (protocol: Protocol): readonly Command[] =>
  commandsOf(protocol, 'optional');
