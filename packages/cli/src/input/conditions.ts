import { type Conditions, conditions, type Delay } from '@conclave/core/channel';
import { ConclaveError, type Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { abridged } from './network.js';

interface ConditionOptions {
  readonly delay?: Delay | undefined;
  readonly order?: 'fifo' | 'any' | undefined;
  readonly loss?: number | undefined;
  readonly duplicate?: number | undefined;
}

/**
 * What the channels of this run do. Default: the links' own delays where the network has them, otherwise 1 ms; in order; nothing lost or
 * doubled.
 *
 * @throws {ConclaveError} `bad-input`: `geo` on a network without delays.
 */
export function conditionsFor({ links, spec }: Topology, { delay, order = 'fifo', loss = 0, duplicate = 0 }: ConditionOptions): Conditions {
  const mute = links.find((link) => link.delay === undefined);
  if (delay?.kind === 'link' && mute)
    throw new ConclaveError(
      'bad-input',
      `--delay geo takes the delays of the links, and in '${abridged(spec)}' ${mute.from}→${mute.to} has none`,
      'Use a backbone (abilene, nsfnet, geant), an edge list with delays, or another --delay.',
    );
  const usual: Delay = mute || links.length === 0 ? { kind: 'fixed', ms: 1 } : { kind: 'link' };
  return conditions({ delay: delay ?? usual, order, loss, duplication: duplicate });
}

/** What these channels do that the protocol does not reckon with; to drop an assumption is how to see what it is for. */
export function beyondAssumptions(
  { title, channels }: Protocol,
  { order, loss, duplication, partitions = 0 }: Pick<Conditions, 'order' | 'loss' | 'duplication'> & { readonly partitions?: number },
): readonly string[] {
  return [
    ...(channels.order === 'fifo' && order === 'any' ? [`${title} assumes channels that keep the order; --order any does not.`] : []),
    ...(!channels.loss && loss > 0 ? [`${title} assumes channels that lose nothing; --loss ${loss} does.`] : []),
    ...(!channels.duplication && duplication > 0
      ? [`${title} assumes channels that deliver once; --duplicate ${duplication} does not.`]
      : []),
    ...(!channels.loss && partitions > 0 ? [`${title} assumes channels that lose nothing; what crosses a split network is lost.`] : []),
  ];
}
