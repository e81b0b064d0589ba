export { broadcastChannelTransport } from './broadcast-channel.js';
export { embed } from './embed.js';
export { handStepped } from './hand-stepped.js';
export { Inbox } from './inbox.js';
export { memoryNetwork } from './memory.js';
export { messagePortTransport, portsBetween } from './message-port.js';
export { reliable } from './reliable.js';
export type { Transport } from './transport.js';
