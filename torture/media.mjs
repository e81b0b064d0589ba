import * as nats from './media/nats.mjs';
import * as redis from './media/redis.mjs';
import * as tcp from './media/tcp.mjs';

/** The transports that are tortured, by name. */
export const media = { nats, redis, tcp };
