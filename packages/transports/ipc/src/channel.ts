/**
 * One end of an IPC channel: `process` in a child, a `ChildProcess` or a worker of `cluster` in its
 * parent.
 */
export interface IpcChannel {
  send?(message: object, callback?: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'disconnect' | 'exit', listener: () => void): unknown;
  off(event: 'message', listener: (message: unknown) => void): unknown;
  off(event: 'disconnect' | 'exit', listener: () => void): unknown;
}

/** What a process that has ended has sent is read within this time. In milliseconds. */
const grace = 1000;

/**
 * Calls `gone` when the process at the other end has disconnected or ended; maybe more than once.
 *
 * Deno tells no 'disconnect' of a process that is killed before it has read all: there a child is
 * gone by its 'exit', and a parent where this process has got another one.
 *
 * @returns what ends it
 */
export function whenGone(channel: IpcChannel, gone: () => void): () => void {
  channel.on('disconnect', gone);
  if (!('Deno' in globalThis)) return () => channel.off('disconnect', gone);
  const timers: NodeJS.Timeout[] = [];
  const ended = () => void timers.push(setTimeout(gone, grace));
  channel.on('exit', ended);
  const parent = process.ppid;
  const look = () => process.ppid === parent || gone();
  if (channel === process) timers.push(setInterval(look, grace).unref());
  return () => {
    channel.off('disconnect', gone);
    channel.off('exit', ended);
    for (const timer of timers) clearInterval(timer);
  };
}
