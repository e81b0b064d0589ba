export { authenticated } from './authenticated.js';
export { broadcastChannelTransport } from './broadcast-channel.js';
export { embed } from './embed.js';
export type { Embedded, EmbedOptions, Surroundings } from './embedded.js';
export { Inbox } from './inbox.js';
export type { Journal } from './journal.js';
export { memoryNetwork } from './memory.js';
export { messagePortTransport, portsBetween } from './message-port.js';
export { type Medium, type NetworkOptions, NetworkTransport } from './network-transport.js';
export { reliable } from './reliable.js';
export { memoryStorage, type StableRecord, type StableStorage } from './storage.js';
export type {
  Transport,
  TransportStatus,
} from './transport.js';
export type { Clock } from './wall-clock.js';
