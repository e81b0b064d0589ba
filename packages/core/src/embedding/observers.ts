import { BehaviorSubject, type Observable, Subject } from 'rxjs';
import type { StateValue } from 'xstate';
import { badInput, ConclaveError } from '../base/error.js';
import type { LiveNode, Moment } from '../protocol/compiled/live-node.js';
import type { Message, NodeId } from '../protocol/node.js';
import type { NodeView } from '../protocol/property.js';
import { textOf } from './embed-errors.js';
import { Repeats } from './refusal-counts.js';

/**
 * What the application observes of a node. Observers are called between steps, one after the
 * other, so that an observer may send to the node at once. One that throws does not keep the others
 * from being called: its error becomes an uncaught one of the application, as in RxJS.
 */
export class Observers {
  readonly state$: Observable<NodeView>;
  readonly notifications$: Observable<Message>;
  readonly errors$: Observable<ConclaveError>;
  /** The last one, which the observers may not have heard of yet. */
  state: NodeView;
  readonly #id: NodeId;
  readonly #states: BehaviorSubject<NodeView>;
  readonly #notifications = new Subject<Message>();
  readonly #errors = new Subject<ConclaveError>();
  readonly #due: (() => void)[] = [];
  readonly #repeats = new Repeats();
  /** True at first, so that the application can subscribe before the first call. */
  #isCalling = true;

  /** @param onError is called with each error while `errors$` has no subscriber */
  constructor(
    node: LiveNode,
    isAdmitted: boolean,
    private readonly onError: (error: ConclaveError) => void = console.error,
  ) {
    const first = viewOf(node);
    this.#id = node.id;
    this.state = isAdmitted ? first : { ...first, tags: new Set() };
    this.#states = new BehaviorSubject(this.state);
    this.state$ = this.#states.asObservable();
    this.notifications$ = this.#notifications.asObservable();
    this.errors$ = this.#errors.asObservable();
  }

  /** The node has taken a step, which may have changed its state. */
  stepped(moment: Moment): void {
    const { value, context } = moment;
    const { state } = this;
    if (context !== state.context || !isSameValue(value, state.value)) this.become(moment);
  }

  become(moment: Moment): void {
    const state = viewOf(moment);
    this.state = state;
    this.#due.push(() => this.#states.next(state));
  }

  notify(notification: Message): void {
    this.#due.push(() => this.#notifications.next(notification));
  }

  /** @param peer whose message caused it, or for whom that is: its next ones are counted */
  report(error: unknown, peer?: NodeId): void {
    const own =
      error instanceof ConclaveError
        ? error
        : badInput(`Node ${this.#id}: ${textOf(error)}`, '', { cause: error });
    const reported = peer === undefined ? own : this.#repeats.due(own, peer);
    if (!reported) return;
    this.#due.push(() =>
      this.#errors.observed ? this.#errors.next(reported) : this.onError(reported),
    );
  }

  complete(): void {
    this.#due.push(() => {
      for (const subject of [this.#states, this.#notifications, this.#errors]) subject.complete();
    });
    this.run();
  }

  /** The application may have subscribed after this turn of the event loop. */
  open(): void {
    if (this.#due.length === 0) this.#isCalling = false;
    else
      queueMicrotask(() => {
        this.#isCalling = false;
        this.run();
      });
  }

  /** Does `work`; what becomes due in it waits for the next `run`. */
  hold(work: () => void): void {
    const isCalling = this.#isCalling;
    this.#isCalling = true;
    try {
      work();
    } finally {
      this.#isCalling = isCalling;
    }
  }

  /** Calls those that are due, unless that is under way. */
  run(): void {
    if (this.#isCalling) return;
    this.#isCalling = true;
    for (let call = this.#due.shift(); call; call = this.#due.shift()) {
      try {
        call();
      } catch (error) {
        setTimeout(() => {
          throw error;
        });
      }
    }
    this.#isCalling = false;
  }
}

function viewOf({ id, role, value, context, tags }: Moment): NodeView {
  return { id, role, value, context, tags, crashed: false };
}

function isSameValue(a: StateValue | undefined, b: StateValue | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => isSameValue(a[key], b[key]));
}
