export type { IpcChannel } from './channel.js';
export { type IpcHub, type IpcHubOptions, ipcHub } from './ipc-hub.js';
export { type IpcOptions, type IpcTransport, ipcTransport } from './ipc-transport.js';
