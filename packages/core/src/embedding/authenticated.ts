import { ConclaveError } from '../base/error.js';
import { authenticatedOptions } from '../options/channel.js';
import type { Message, NodeId } from '../protocol/node.js';
import { checkOptions } from '../schema/check.js';
import { isReported } from './repeats.js';
import {
  type Guarantees,
  type Incoming,
  isRecord,
  type RefusalReason,
  type Transport,
} from './transport.js';
import { TransportLayer } from './transport-layer.js';

/** A message as text, and its code. */
interface Signed extends Message {
  readonly type: 'signed';
  readonly text: string;
  /** HMAC-SHA-256 (RFC 2104) of sender, receiver and text, in hexadecimal. */
  readonly code: string;
}

/**
 * Refuses what was not sent by a node that knows `secret`: each message carries a code of its
 * sender, its receiver and its text. All nodes must wrap their transports. The messages are not
 * encrypted.
 *
 * A node that knows the secret may pretend to be another one. A message that was recorded and is
 * sent again is authentic, so this transport duplicates: `reliable()` above it drops such copies,
 * also those of an earlier incarnation. Give each network a secret of its own, since otherwise
 * messages of one may be sent to another.
 *
 * @throws {ConclaveError} `bad-input` for a secret that is too short.
 * @example embed(protocol, { self, peers, transport: reliable(authenticated(transport, { secret:
 * process.env.SECRET })) });
 */
export function authenticated(
  transport: Transport,
  options: {
    /**
     * Known to the nodes of this network, and to nobody else: at least 16 bytes, or a text of at
     * least 16 characters. Take a random one.
     */
    readonly secret: string | Uint8Array;
  },
): Transport {
  checkOptions('authenticated', authenticatedOptions, options);
  return new AuthenticatedTransport(transport, options.secret);
}

class AuthenticatedTransport extends TransportLayer {
  readonly guarantees: Guarantees;
  readonly clients: boolean;
  readonly #key: ReturnType<typeof keyOf>;
  readonly #refused = { forged: 0, malformed: 0 };
  // The operations of the key are asynchronous: one queue for each direction keeps the order.
  #sending = Promise.resolve();
  #receiving = Promise.resolve();

  constructor(below: Transport, secret: string | Uint8Array) {
    super(below);
    this.guarantees = { ...below.guarantees, duplication: true };
    this.clients = below.clients ?? false;
    this.#key = keyOf(secret);
    this.arrivals.add(
      below.received$.subscribe((incoming) => {
        this.#receiving = this.#receiving
          .then(() => this.#take(incoming))
          .catch((error) => this.report(error, incoming.from));
      }),
    );
  }

  override get refused(): Readonly<Record<RefusalReason, number>> {
    const refused = super.refused;
    const { forged, malformed } = this.#refused;
    return {
      ...refused,
      forged: refused.forged + forged,
      malformed: refused.malformed + malformed,
    };
  }

  send(to: NodeId, message: Message): void {
    this.requireOpen(message);
    this.#sending = this.#sending
      .then(() => this.#sign(to, message))
      .catch((error) => this.report(error, to));
  }

  protected async end(): Promise<void> {
    this.inbox.close();
    await this.#sending;
    this.arrivals.unsubscribe();
    await this.below.close();
  }

  async #sign(to: NodeId, message: Message): Promise<void> {
    const text = JSON.stringify(message);
    const bytes = signedBytes(this.self, to, text);
    const code = await crypto.subtle.sign('HMAC', await this.#key, bytes);
    const signed: Signed = { type: 'signed', text, code: hexOf(new Uint8Array(code)) };
    this.below.send(to, signed);
  }

  async #take({ from, message }: Incoming): Promise<void> {
    if (!isSigned(message)) return this.#refuse(from, 'malformed');
    const isAuthentic = await crypto.subtle.verify(
      'HMAC',
      await this.#key,
      bytesOf(message.code),
      signedBytes(from, this.self, message.text),
    );
    if (!isAuthentic) return this.#refuse(from, 'forged');
    this.inbox.put({ from, message: JSON.parse(message.text) }); // it was made by sign
  }

  #refuse(from: NodeId, reason: 'forged' | 'malformed'): void {
    const count = ++this.#refused[reason];
    if (!isReported(count)) return;
    this.report(
      new ConclaveError(
        'refused',
        `Node ${this.self} has refused ${count} messages as ${reason}, the last one in the name of '${from}'`,
        'Wrap the transports of all nodes by authenticated, with the same secret.',
      ),
    );
  }
}

function keyOf(secret: string | Uint8Array): ReturnType<typeof crypto.subtle.importKey> {
  const bytes =
    typeof secret === 'string' ? new TextEncoder().encode(secret) : Uint8Array.from(secret);
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ]);
}

/** No two triples have the same bytes. */
const signedBytes = (from: NodeId, to: NodeId, text: string) =>
  new TextEncoder().encode(JSON.stringify([from, to, text]));

const isSigned = (message: unknown): message is Signed =>
  isRecord(message) &&
  message.type === 'signed' &&
  typeof message.text === 'string' &&
  typeof message.code === 'string' &&
  /^[0-9a-f]{64}$/.test(message.code);

const hexOf = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const bytesOf = (hex: string) =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
