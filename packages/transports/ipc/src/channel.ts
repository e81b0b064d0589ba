/**
 * One end of an IPC channel: `process` in a child, a `ChildProcess` or a worker of `cluster` in its
 * parent.
 */
export interface IpcChannel {
  send?(message: object, callback?: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
  off(event: 'message', listener: (message: unknown) => void): unknown;
  off(event: 'disconnect', listener: () => void): unknown;
}
