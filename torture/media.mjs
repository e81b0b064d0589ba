import * as nats from './media/nats.mjs';
import * as relay from './media/relay.mjs';

/** The transports that are tortured, by name. */
export const media = { relay, nats };
