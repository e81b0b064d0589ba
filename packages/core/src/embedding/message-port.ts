import { filter, ReplaySubject } from 'rxjs';
import { badInput, type ConclaveError } from '../base/error.js';
import type { NodeId } from '../protocol/node.js';
import { Inbox, transportClosed } from './inbox.js';
import { differentError } from './session-refusals.js';
import { isOutvoted, sameTerms, type Terms } from './terms.js';
import { isRecord, type Transport, type TransportStatus } from './transport.js';
import { reportWait } from './wall-clock.js';

/**
 * Carries messages over one port per peer: between `worker_threads`, web workers, frames. Closing
 * it closes the ports that are `MessagePort`s.
 *
 * @param ports ends of message channels with event listeners, such as a `MessagePort`, a web
 * `Worker`, the global of a worker, and Node's `MessagePort`; or event emitters: Node's `Worker`.
 *
 * @example messagePortTransport('a', { b: port }) // see portsBetween
 */
export function messagePortTransport(
  self: NodeId,
  ports: Readonly<
    Record<
      NodeId,
      | {
          postMessage(message: unknown): void;
          addEventListener(
            type: 'message',
            listener: (event: { readonly data: unknown }) => void,
          ): void;
          removeEventListener(
            type: 'message',
            listener: (event: { readonly data: unknown }) => void,
          ): void;
          start?(): void;
          close?(): void;
        }
      | {
          postMessage(message: unknown): void;
          on(event: 'message', listener: (message: unknown) => void): unknown;
          off(event: 'message', listener: (message: unknown) => void): unknown;
        }
    >
  >,
): Transport {
  return transportOver(self, ports);
}

type Ports = Parameters<typeof messagePortTransport>[1];

function transportOver(self: NodeId, ports: Ports): Transport {
  const inbox = new Inbox();
  const meeting = new Meeting(self, Object.keys(ports).length + 1);
  let closed = false;
  const detach = Object.entries(ports).map(([from, port]) =>
    listen(port, (message) => {
      const terms = termsIn(message);
      if (terms) meeting.hear(from, terms);
      else inbox.put({ from, message });
    }),
  );
  const close = async () => {
    closed = true;
    for (const stop of detach) stop();
    // nothing else has a start; a worker would end by close
    for (const port of Object.values(ports)) if ('start' in port) port.close?.();
    inbox.close();
    meeting.close();
  };
  return {
    self,
    guarantees: { order: 'fifo', loss: false, duplication: false },
    received$: inbox.items$.pipe(filter(({ from }) => !meeting.refused.has(from))),
    errors$: meeting.errors.items$,
    status$: meeting.status,
    get admitted() {
      return meeting.admitted;
    },
    get awaited() {
      return meeting.awaited;
    },
    meet: (terms, peers, reportWaitAfter) => {
      for (const port of Object.values(ports)) port.postMessage({ terms });
      const among = peers.filter((id) => Object.hasOwn(ports, id));
      meeting.begin(terms, among, reportWaitAfter);
    },
    send: (to, message) => {
      if (closed) throw transportClosed(self, message);
      const port = Object.hasOwn(ports, to) ? ports[to] : undefined;
      if (!port)
        throw badInput(
          `Node ${self} has no port to ${to}`,
          `It has ports to ${Object.keys(ports).join(', ')}.`,
        );
      port.postMessage(message);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Before its first message a node posts its terms. It has no type, unlike all messages. */
const termsIn = (message: unknown): Terms | undefined =>
  isRecord(message) && message.type === undefined && isRecord(message.terms)
    ? (message.terms as Terms) // a structured clone of terms
    : undefined;

/** The terms of this node and of those at the other ends of its ports. */
class Meeting {
  admitted: Promise<void> | undefined;
  awaited: readonly NodeId[] = [];
  readonly errors = new Inbox<ConclaveError>();
  /** Closed where most of the others have other terms. */
  readonly status = new ReplaySubject<TransportStatus>(1);
  /** Those with other terms: nothing of them is received. */
  readonly refused = new Set<NodeId>();
  readonly #heard = new Map<NodeId, Terms>();
  #terms: Terms | undefined;
  #outvoted: ConclaveError | undefined;
  #endReports = () => {};
  #settle:
    | { readonly admit: () => void; readonly refuse: (error: ConclaveError) => void }
    | undefined;

  constructor(
    private readonly self: NodeId,
    private readonly size: number,
  ) {
    this.status.next({ state: 'up' });
  }

  begin(terms: Terms, peers: readonly NodeId[], after: number | undefined): void {
    this.#terms = terms;
    this.awaited = peers;
    if (peers.length > 0) {
      this.admitted = new Promise((admit, refuse) => {
        this.#settle = { admit, refuse };
      });
      const { self, errors } = this;
      const report = (error: ConclaveError) => errors.put(error);
      this.#endReports = reportWait({ self, after, report, awaited: () => this.awaited });
    }
    for (const [from, theirs] of this.#heard) this.#compare(from, theirs);
    if (this.#outvoted) throw this.#outvoted;
    this.#admit();
  }

  hear(from: NodeId, theirs: Terms): void {
    this.#heard.set(from, theirs);
    this.#compare(from, theirs);
    this.#admit();
  }

  close(reason = `node ${this.self} closed it`): void {
    this.#endReports();
    this.errors.close();
    this.status.next({ state: 'closed', reason });
    this.status.complete();
  }

  #admit(): void {
    if (!this.#terms || this.awaited.length > 0) return;
    this.#endReports();
    this.#settle?.admit();
    this.#settle = undefined;
  }

  #compare(from: NodeId, theirs: Terms): void {
    if (!this.#terms) return;
    this.awaited = this.awaited.filter((id) => id !== from);
    if (sameTerms(this.#terms, theirs)) return;
    this.refused.add(from);
    const error = differentError(this.self, this.#terms, from, theirs);
    if (this.#settle) return this.#settle.refuse(error);
    this.errors.put(error);
    if (!isOutvoted(this.refused.size, this.size)) return;
    this.#outvoted = error;
    this.close(error.message);
  }
}

type Port = Parameters<typeof messagePortTransport>[1][NodeId];

function listen(port: Port, receive: (message: unknown) => void): () => void {
  if (!('addEventListener' in port)) {
    port.on('message', receive);
    return () => port.off('message', receive);
  }
  const onMessage = ({ data }: { readonly data: unknown }) => receive(data);
  port.addEventListener('message', onMessage);
  port.start?.();
  return () => port.removeEventListener('message', onMessage);
}

/**
 * A `MessageChannel` between every two of `ids`: for each id, its ports by peer. Pass them to the
 * workers, with the ports in the transfer list.
 *
 * @example
 * for (const [self, ports] of Object.entries(portsBetween(['a', 'b'])))
 * new Worker(file, { workerData: { self, ports }, transferList: Object.values(ports) });
 */
export function portsBetween(
  ids: readonly NodeId[],
): Record<NodeId, Record<NodeId, InstanceType<typeof MessageChannel>['port1']>> {
  const ports = new Map<NodeId, [NodeId, InstanceType<typeof MessageChannel>['port1']][]>(
    ids.map((id) => [id, []]),
  );
  for (const [index, a] of ids.entries()) {
    for (const b of ids.slice(index + 1)) {
      const { port1, port2 } = new MessageChannel();
      ports.get(a)?.push([b, port1]);
      ports.get(b)?.push([a, port2]);
    }
  }
  return Object.fromEntries([...ports].map(([id, its]) => [id, Object.fromEntries(its)]));
}
