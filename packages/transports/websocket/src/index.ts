export type { WebSocketOptions } from './socket.js';
export { webSocketTransport } from './web-socket-transport.js';
