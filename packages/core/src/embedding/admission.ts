import { AsyncSubject, merge, type Observable, of } from 'rxjs';
import { ConclaveError } from '../base/error.js';
import type { NodeId } from '../protocol/node.js';
import { Inbox } from './inbox.js';
import type { Transport, TransportStatus } from './transport.js';

/** The life of a transport on which a node takes part only when the others have admitted it. */
export class Admission {
  phase: 'joining' | 'admitted' | 'ended' = 'joining';
  readonly inbox = new Inbox();
  readonly admitted: Promise<void>;
  readonly errors$: Observable<ConclaveError>;
  readonly status$: Observable<TransportStatus>;
  readonly #errors = new Inbox<ConclaveError>();
  readonly #ended$ = new AsyncSubject<TransportStatus>();
  #settle:
    | { readonly resolve: () => void; readonly reject: (error: ConclaveError) => void }
    | undefined;

  constructor(
    private readonly self: NodeId,
    { errors$, status$ = of<TransportStatus>({ state: 'up' }) }: Transport,
  ) {
    this.errors$ = errors$ ? merge(errors$, this.#errors.items$) : this.#errors.items$;
    this.status$ = merge(status$, this.#ended$);
    this.admitted = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.admitted.catch(() => {}); // whether it is waited for or not
  }

  report(error: ConclaveError): void {
    this.#errors.put(error);
  }

  admit(): void {
    this.phase = 'admitted';
    this.#settle?.resolve();
    this.#settle = undefined;
  }

  /** This node may not start, or not go on. */
  fail(error: ConclaveError): void {
    if (this.phase === 'ended') return;
    this.phase = 'ended';
    if (this.#settle) {
      this.#settle.reject(error);
      this.#settle = undefined;
      return;
    }
    this.#errors.put(error);
    this.#ended$.next({ state: 'closed', reason: error.message });
    this.#ended$.complete();
  }

  /** The transport is closed by the application. `closing` closes the one below. */
  async end(closing: () => Promise<void>): Promise<void> {
    this.phase = 'ended';
    this.#settle?.reject(
      new ConclaveError('closed', `Node ${this.self} was closed before all had admitted it`),
    );
    this.inbox.close();
    await closing();
    this.#ended$.complete();
    this.#errors.close();
  }
}
