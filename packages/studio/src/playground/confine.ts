import { badInput } from '../base/bad-input.js';

/** What reaches out of a worker, or keeps something. The policy of the page refuses the network, too. */
const refusedNames = [
  ...['fetch', 'XMLHttpRequest', 'WebSocket', 'WebSocketStream', 'WebTransport', 'EventSource'],
  ...['importScripts', 'Worker', 'SharedWorker', 'BroadcastChannel'],
  ...['indexedDB', 'caches', 'navigator', 'Notification'],
];

/** Takes the network from what runs next in this scope: each use of it is an error that says so. */
export function confine(scope: object = globalThis): void {
  for (const name of refusedNames) {
    for (let at: object | null = scope; at; at = Object.getPrototypeOf(at))
      Reflect.deleteProperty(at, name);
    const refuse = () => {
      throw badInput(
        `'${name}' is refused: what runs here has no network and keeps nothing`,
        'A node sends by emit(send(…)) and waits by after.',
      );
    };
    Object.defineProperty(scope, name, { get: refuse, set: refuse });
  }
}
