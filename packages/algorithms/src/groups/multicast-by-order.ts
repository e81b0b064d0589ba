import { schemas } from '@conclave/core/internal';
import { ConclaveError, type Protocol } from '@conclave/core/protocol';
import { validOptions } from '../options.js';
import { acknowledgedMulticast } from './acknowledged-multicast/protocol.js';
import { causalMulticast } from './causal-multicast/protocol.js';
import { negativeMulticast } from './negative-multicast/protocol.js';
import { totalMulticast } from './total-multicast/protocol.js';

const protocols = {
  fifo: {
    acknowledged: () => acknowledgedMulticast(),
    negative: () => negativeMulticast(),
    channels: () => causalMulticast({ order: 'fifo' }),
  },
  causal: { channels: () => causalMulticast() },
  total: { channels: () => totalMulticast() },
};

const multicastOptions = {
  order: { schema: schemas.oneOf(Object.keys(protocols)) },
  reliability: { schema: schemas.oneOf(Object.keys(protocols.fifo)) },
};

/**
 * The protocol for multicasts in this order, over a network that is as reliable as this.
 *
 * @throws {ConclaveError} `bad-input` for another option, and a combination that there is not.
 * @example multicast({ order: 'causal' })
 */
export function multicast(
  options: {
    /**
     * In which order members deliver: that of each sender, causal order, or one order for all
     * members. Default `fifo`.
     */
    readonly order?: 'fifo' | 'causal' | 'total';
    /**
     * What makes up for lost messages: acknowledgements, negative acknowledgements, or `channels`
     * that lose none, such as the links of `reliable`. Default `acknowledged` for `fifo`, and
     * `channels`, the only choice, for the others.
     */
    readonly reliability?: 'acknowledged' | 'negative' | 'channels';
  } = {},
): Protocol {
  const { order = 'fifo', reliability = order === 'fifo' ? 'acknowledged' : 'channels' } =
    validOptions('multicast', multicastOptions, options);
  const offered: Partial<Record<typeof reliability, () => Protocol>> = protocols[order];
  const make = offered[reliability];
  if (!make)
    throw new ConclaveError(
      'bad-input',
      `multicast: there is no order '${order}' with reliability '${reliability}'`,
      `Give ${Object.keys(offered).join(', ')}${order === 'fifo' ? '' : '; the links of reliable lose nothing'}.`,
    );
  return make();
}
