import { AsyncSubject, merge, type Observable, of, Subscription } from 'rxjs';
import { badInput, ConclaveError } from '../base/error.js';
import type { Message, NodeId } from '../protocol/node.js';
import { textOf } from './embed-errors.js';
import { Inbox, transportClosed } from './inbox.js';
import type {
  Guarantees,
  Incoming,
  PeerStatus,
  RefusalReason,
  Transport,
  TransportStatus,
} from './transport.js';

/** A transport on top of another one, which it owns: it changes what goes through. */
export abstract class TransportLayer implements Transport {
  readonly self: NodeId;
  abstract readonly guarantees: Guarantees;
  readonly received$: Observable<Incoming>;
  readonly errors$: Observable<ConclaveError>;
  readonly status$: Observable<TransportStatus>;
  readonly peers$?: Observable<PeerStatus>;
  protected readonly inbox = new Inbox();
  /** What it hears from the transport below. */
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
    const own =
      error instanceof ConclaveError
        ? error
        : badInput(`Node ${this.self}: ${textOf(error)}`, '', { cause: error });
    const reported = peer === undefined ? own : this.#repeats.due(own, peer);
    if (reported) this.#errors.put(reported);
  }

  /** It is of no use any longer: whoever has it must close it. */
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

/** Whether a refusal is reported: the first, the tenth and so on, so that a flood stays unheard. */
export const isReported = (count: number): boolean => /^10*$/.test(String(count));

/** The error, with how many of its kind there were. */
export const counted = (error: ConclaveError, count: number): ConclaveError =>
  count === 1
    ? error
    : new ConclaveError(error.code, `${error.what} (the ${count}th of its kind)`, error.cure, {
        cause: error.cause ?? error,
      });

/** Who sends under ever new names must not fill the memory. */
const mostKinds = 1000;

/** Counts the errors that messages of peers, or to them, cause: a flood must not flood the reports. */
export class Repeats {
  readonly #counts = new Map<string, number>();

  /** The error, if it is to be reported: the first of its code and its peer, the tenth and so on. */
  due(error: ConclaveError, peer: NodeId): ConclaveError | undefined {
    // what no state handles names state and message, of which there are few
    const kind = error.code === 'unhandled' ? error.what : `${error.code} ${peer}`;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    if (this.#counts.size >= mostKinds) this.#counts.clear();
    this.#counts.set(kind, count);
    return isReported(count) ? counted(error, count) : undefined;
  }
}
