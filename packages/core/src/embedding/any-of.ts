import type { Json } from '../protocol/node.js';

/** One of them, each equally likely. */
export function anyOf(options: readonly Json[]): Json {
  return options[Math.floor(Math.random() * options.length)] ?? null;
}
