import { AsyncSubject, merge, type Observable, of, Subscription } from 'rxjs';
import { badInput, ConclaveError } from '../base/error.js';
import type { Message, NodeId } from '../protocol/node.js';
import { textOf } from './embed-errors.js';
import { Inbox, transportClosed } from './inbox.js';
import { Repeats } from './repeats.js';
import type {
  Guarantees,
  Incoming,
  PeerStatus,
  RefusalReason,
  Transport,
  TransportStatus,
} from './transport.js';

/**
 * A transport on top of another one, which it owns: it changes what goes through. What does not
 * concern it, such as peers and refusals, is that of the transport below; an error of its own joins
 * the errors from below, and one that it cannot survive ends its `status$`.
 */
export abstract class TransportLayer implements Transport {
  readonly self: NodeId;
  abstract readonly guarantees: Guarantees;
  readonly received$: Observable<Incoming>;
  readonly errors$: Observable<ConclaveError>;
  readonly status$: Observable<TransportStatus>;
  readonly peers$?: Observable<PeerStatus>;
  protected readonly inbox = new Inbox();
  /** Its subscriptions to the transport below. */
  protected readonly arrivals = new Subscription();
  readonly #errors = new Inbox<ConclaveError>();
  readonly #repeats = new Repeats();
  readonly #ended$ = new AsyncSubject<TransportStatus>();
  #closed: Promise<void> | undefined;

  constructor(protected readonly below: Transport) {
    const { self, errors$, status$ = of<TransportStatus>({ state: 'up' }), peers$ } = below;
    this.self = self;
    this.received$ = this.inbox.items$;
    this.errors$ = errors$ ? merge(errors$, this.#errors.items$) : this.#errors.items$;
    this.status$ = merge(status$, this.#ended$);
    if (peers$) this.peers$ = peers$;
  }

  get refused(): Readonly<Record<RefusalReason, number>> {
    return this.below.refused ?? noRefusals;
  }

  get peers(): readonly NodeId[] | undefined {
    return this.below.peers;
  }

  get admitted(): Promise<void> | undefined {
    return this.below.admitted;
  }

  get awaited(): readonly NodeId[] {
    return this.below.awaited ?? [];
  }

  meet(...of: Parameters<NonNullable<Transport['meet']>>): void {
    this.below.meet?.(...of);
  }

  abstract send(to: NodeId, message: Message): void;

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Closes the transport below, after what is still to be done. */
  protected abstract end(): Promise<void>;

  protected get hasFailed(): boolean {
    return this.#ended$.isStopped;
  }

  protected requireOpen(message: Message): void {
    if (this.#closed) throw transportClosed(this.self, message);
  }

  /** @param peer whose message caused it, or for whom that is: its next ones are counted */
  protected report(error: unknown, peer?: NodeId): void {
    const conclaveError =
      error instanceof ConclaveError
        ? error
        : badInput(`Node ${this.self}: ${textOf(error)}`, '', { cause: error });
    const reported = peer === undefined ? conclaveError : this.#repeats.due(conclaveError, peer);
    if (reported) this.#errors.put(reported);
  }

  /** Ends its use: whoever has it must close it. */
  protected fail(error: ConclaveError): void {
    if (this.hasFailed) return;
    this.report(error);
    this.#ended$.next({ state: 'closed', reason: error.message });
    this.#ended$.complete();
  }

  async #close(): Promise<void> {
    await this.end();
    this.#ended$.complete();
    this.#errors.close();
  }
}

/** Of a transport that refuses nothing. */
export const noRefusals: Readonly<Record<RefusalReason, number>> = {
  malformed: 0,
  version: 0,
  network: 0,
  stranger: 0,
  misaddressed: 0,
  forged: 0,
  'too-large': 0,
};
