export type { WebSocketOptions } from './options.js';
export type { Socket, SocketClass } from './socket.js';
export { type WebSocketTransport, webSocketTransport } from './web-socket-transport.js';
