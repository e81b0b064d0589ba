import { badInput } from '../../base/error.js';
import type { Protocol } from '../../protocol/protocol.js';
import type { Topology } from '../../topology/topology.js';
import type { ExploreOptions } from '../explore/options.js';
import type { Budget } from '../worlds/budget.js';
import { timeOf } from '../worlds/time.js';

/** What is exported, and the limits of its exploration. */
export interface ExportOptions
  extends Budget,
    Pick<ExploreOptions, 'properties' | 'limits' | 'onProgress'> {
  /** Lines for the head of the file, such as who has written it. */
  readonly head?: readonly string[];
}

/** @throws {ConclaveError} `bad-input` for what only the explorer knows. */
export function requireWithin(protocol: Protocol, options: ExportOptions): void {
  const lacks = 'and a model for another tool has none';
  if (timeOf(protocol, options) !== 'untimed')
    throw badInput(
      `${protocol.title} is explored in exact time, ${lacks}`,
      "Try time: 'untimed', in the CLI --time untimed: each timer may then fire at any moment.",
    );
  if ((options.partitions ?? 0) > 0)
    throw badInput(`The budget has partitions, ${lacks}`, 'Leave them out; losses are there.');
  if (options.unsent)
    throw badInput(
      'The budget has unsent, a crash that loses what was sent before, and a model for another tool has none',
      'Leave it out; a crash in the middle of a step is there.',
    );
}

/** The error for a system that was not searched to the end. */
export const tooLarge = ({ spec }: Topology, why: string) =>
  badInput(
    `The system on '${spec}' ${why}: there is no complete model of it`,
    'Take a smaller network, fewer commands and faults, or a higher limit.',
  );
