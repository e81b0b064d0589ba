import { ConclaveError, type Protocol } from '@conclave/core/protocol';
import { acknowledgedMulticast } from './acknowledged-multicast/protocol.js';
import { causalMulticast } from './causal-multicast/protocol.js';
import { negativeMulticast } from './negative-multicast/protocol.js';
import { totalMulticast } from './total-multicast/protocol.js';

type MulticastOptions = {
  /** In which order members deliver: that of each sender, causal order, or one order for all members. Default `fifo`. */
  readonly order?: 'fifo' | 'causal' | 'total';
  /**
   * What makes up for lost messages: acknowledgements, negative acknowledgements, or `channels` that lose none, such as the links of `reliable`.
   * Default `acknowledged` for `fifo`, and `channels`, the only choice, for the others.
   */
  readonly reliability?: 'acknowledged' | 'negative' | 'channels';
};

const protocols: Readonly<Record<string, Readonly<Record<string, () => Protocol>>>> = {
  fifo: {
    acknowledged: () => acknowledgedMulticast(),
    negative: () => negativeMulticast(),
    channels: () => causalMulticast({ order: 'fifo' }),
  },
  causal: { channels: () => causalMulticast() },
  total: { channels: () => totalMulticast() },
};

/**
 * The protocol for multicasts in this order, over a network that is as reliable as this.
 *
 * @throws {ConclaveError} `bad-input` for a combination that there is not.
 * @example multicast({ order: 'causal' })
 */
export function multicast({
  order = 'fifo',
  reliability = order === 'fifo' ? 'acknowledged' : 'channels',
}: MulticastOptions = {}): Protocol {
  const offered = Object.hasOwn(protocols, order) ? protocols[order] : undefined;
  if (!offered) throw new ConclaveError('bad-input', `multicast: order '${order}'`, `Give ${Object.keys(protocols).join(', ')}.`);
  const make = Object.hasOwn(offered, reliability) ? offered[reliability] : undefined;
  if (!make)
    throw new ConclaveError(
      'bad-input',
      `multicast: there is no order '${order}' with reliability '${reliability}'`,
      `Give ${Object.keys(offered).join(', ')}${order === 'fifo' ? '' : '; the links of reliable lose nothing'}.`,
    );
  return make();
}
