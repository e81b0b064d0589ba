export type { IpcChannel } from './channel.js';
export { type IpcHub, ipcHub } from './ipc-hub.js';
export { type IpcOptions, ipcTransport } from './ipc-transport.js';
