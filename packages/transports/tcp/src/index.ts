export { type TcpOptions, tcpTransport } from './tcp-transport.js';
