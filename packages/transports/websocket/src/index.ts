export type { WebSocketOptions } from './options.js';
export type { Socket } from './socket.js';
export { webSocketTransport } from './web-socket-transport.js';
