export type { TcpOptions } from './options.js';
export { tcpTransport } from './tcp-transport.js';
