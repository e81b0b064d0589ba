/** What the transport needs of a WebSocket: the browser's own, Node's, and that of `ws` have it. */
export interface Socket {
  binaryType: string;
  readonly bufferedAmount: number;
  readonly readyState: number;
  onopen: (() => void) | null;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null;
  onerror: ((event: { readonly message?: string }) => void) | null;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  /** Node only: ends it at once. */
  terminate?(): void;
}

type SocketClass = new (url: string) => Socket;

/**
 * The platform's WebSocket; where it has none, that of `ws`. A browser bundle takes the stub of
 * `ws`, which is never loaded.
 */
export async function platformSocket(): Promise<SocketClass> {
  // not in the types of Node 20
  const { WebSocket: own } = globalThis as { readonly WebSocket?: SocketClass };
  if (own) return own;
  const { WebSocket } = await import('ws');
  return WebSocket as unknown as SocketClass; // its handlers are typed by classes of its own
}
