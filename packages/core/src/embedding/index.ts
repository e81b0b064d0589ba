export { broadcastChannelTransport } from './broadcast-channel.js';
export { type Embedded, type EmbedOptions, embed } from './embed.js';
export { type HandStepped, handStepped, type Which } from './hand-stepped.js';
export { Inbox } from './inbox.js';
export { type MemoryOptions, memoryNetwork } from './memory.js';
export { type EmitterPort, type EventPort, messagePortTransport, portsBetween } from './message-port.js';
export { type ReliableOptions, reliable } from './reliable.js';
export type { Guarantees, Incoming, Transport } from './transport.js';
export { wallClock } from './wall-clock.js';
