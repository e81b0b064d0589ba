export type { Address, TcpOptions } from './options.js';
export { type TcpTransport, tcpTransport } from './tcp-transport.js';
