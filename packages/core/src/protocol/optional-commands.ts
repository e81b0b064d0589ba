import type { Command } from './node.js';
import type { Protocol } from './protocol.js';

/** The command `type` of `protocol` as it can be given without more being said: bare, or where it carries something, each example of it. */
export const examplesOf = ({ commands }: Protocol, type: string): readonly Command[] => {
  const { fields = [], examples = fields.length === 0 ? [{}] : [] } = commands[type] ?? {};
  return examples.map((example) => ({ type, ...example }));
};

/**
 * Each wish of `protocol` that can be given without more being said; of those that carry something, the first example.
 *
 * @example wishesOf(ricartAgrawala) // [{ type: 'acquire' }]
 */
export const optionalCommands = (protocol: Protocol): readonly Command[] =>
  Object.entries(protocol.commands).flatMap(([type, { kind }]) => (kind === 'optional' ? examplesOf(protocol, type).slice(0, 1) : []));
