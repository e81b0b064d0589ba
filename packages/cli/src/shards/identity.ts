/** What a part of a sweep is known by, and what it has found. */
import type { Json } from '@conclave/core/protocol';

/** Shard `index`, from 1, of `of`. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** Results with the same identity are the same bytes, whoever computes them. */
export interface Identity {
  /** Its version, and a hash of what is installed. */
  readonly conclave: string;
  readonly xstate: string;
  /** The major version: another one may compute logarithms in another way. */
  readonly node: string;
  /** A hash of the user's module with all that it imports by a path, and of a network's file. */
  readonly sources: string;
  /** The command line without what says where it is done, and how it is printed. */
  readonly command: readonly string[];
}

export interface Part {
  readonly shard: Shard;
  readonly identity: Identity;
  /** In the command's own form. */
  readonly found: Json;
}
