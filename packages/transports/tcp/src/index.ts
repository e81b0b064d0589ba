export type { TcpOptions } from './mesh.js';
export { tcpTransport } from './tcp-transport.js';
