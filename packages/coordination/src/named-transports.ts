import { Inbox, type Transport } from '@conclave/core/embedding';
import { isReported } from '@conclave/core/internal/embedding';
import { ConclaveError, type NodeId } from '@conclave/core/protocol';

type Incoming = Parameters<Inbox['put']>[0];

/** What travels: the message of a name, and the name. */
interface NamedFrame {
  readonly type: 'named';
  readonly name: string;
  readonly message: object;
}

const mostBytes = 200;
const namePattern = /^[\p{L}\p{N}][\p{L}\p{N}._:@-]*$/u;

/**
 * Whether it can name something: letters, digits and `._:@-`, a letter or digit first, at most 200
 * bytes in UTF-8. No name is a path.
 */
export const isName = (name: unknown): name is string =>
  typeof name === 'string' &&
  name.length <= mostBytes &&
  namePattern.test(name) &&
  new TextEncoder().encode(name).length <= mostBytes;

/** Why what arrived reached no name: no frame, or the reason of `accept`. */
export interface NameOwner {
  /**
   * Called with a name that has no transport, when its first message arrives: makes one, or says
   * why not.
   */
  accept(name: string): string | undefined;
  report(error: ConclaveError): void;
}

/**
 * Transports over one, each for a name: what they send carries the name. All nodes must split their
 * transports in this way.
 */
export class NamedTransports {
  readonly #inboxes = new Map<string, Inbox<Incoming>>();
  #arrivals: { unsubscribe(): void } | undefined;
  #refused = 0;

  constructor(
    private readonly transport: Transport,
    private readonly owner: NameOwner,
  ) {}

  /** Takes what arrives, and at once what has arrived before: the owner is called from here on. */
  start(): void {
    this.#arrivals = this.transport.received$.subscribe((incoming) => this.#receive(incoming));
  }

  /** How many messages reached no name. */
  get refused(): number {
    return this.#refused;
  }

  /** The transport of `name`, which has one at a time. @param closed called when it is closed */
  open(name: string, closed: () => void): Transport {
    const { transport } = this;
    const { self, guarantees, peers$, admitted, verified = false } = transport;
    const inbox = new Inbox<Incoming>();
    this.#inboxes.set(name, inbox);
    const close = async () => {
      if (this.#inboxes.get(name) !== inbox) return;
      this.#inboxes.delete(name);
      inbox.close();
      closed();
    };
    return {
      self,
      guarantees,
      received$: inbox.items$,
      ...(peers$ && { peers$ }),
      ...(admitted && { admitted }),
      verified,
      get awaited() {
        return transport.awaited ?? [];
      },
      send: (to, message) => {
        const frame: NamedFrame = { type: 'named', name, message };
        transport.send(to, frame);
      },
      close,
      [Symbol.asyncDispose]: close,
    };
  }

  close(): Promise<void> {
    this.#arrivals?.unsubscribe();
    return this.transport.close();
  }

  #receive({ from, message: frame }: Incoming): void {
    if (!isFrame(frame)) return this.#refuse(from, 'it carries no valid name');
    const { name, message } = frame;
    const why = this.#inboxes.has(name) ? undefined : this.owner.accept(name);
    if (why === undefined) this.#inboxes.get(name)?.put({ from, message });
    else this.#refuse(from, why);
  }

  /**
   * Reports the first, and then each time that their number is a power of ten: a flood must not
   * flood the application.
   */
  #refuse(from: NodeId, why: string): void {
    const count = ++this.#refused;
    if (isReported(count))
      this.owner.report(
        new ConclaveError(
          'refused',
          `Node ${this.transport.self} refused a message of ${from}, the ${count}. of all: ${why}`,
        ),
      );
  }
}

const isFrame = (frame: unknown): frame is NamedFrame =>
  isObject(frame) &&
  'type' in frame &&
  frame.type === 'named' &&
  'name' in frame &&
  isName(frame.name) &&
  'message' in frame &&
  isObject(frame.message);

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
