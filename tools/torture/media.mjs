import * as ipc from './media/ipc.mjs';
import * as nats from './media/nats.mjs';
import * as redis from './media/redis.mjs';
import * as tcp from './media/tcp.mjs';
import * as websocket from './media/websocket.mjs';

/** The transports that are tortured, by name. */
export const media = { nats, redis, websocket, tcp, ipc };
