import { merge } from 'rxjs';
import { ConclaveError } from '../base/error.js';
import { authenticatedOptions } from '../options/channel.js';
import { checkOptions } from '../options/check.js';
import type { Message, NodeId } from '../protocol/node.js';
import { Inbox } from './inbox.js';
import { noRefusals } from './refusal-counts.js';
import type { Incoming, RefusalReason, Transport } from './transport.js';

export interface AuthenticatedOptions {
  /**
   * Known to the nodes of this network, and to nobody else: at least 16 bytes, or a text of at
   * least 16 characters. Take a random one.
   */
  readonly secret: string | Uint8Array;
}

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
export function authenticated(transport: Transport, options: AuthenticatedOptions): Transport {
  checkOptions('authenticated', authenticatedOptions, options);
  const { self, guarantees, errors$, status$, peers$, admitted } = transport;
  const key = keyOf(options.secret);
  const inbox = new Inbox();
  const errors = new Inbox<ConclaveError>();
  let forged = 0;
  let malformed = 0;
  let closed: Promise<void> | undefined;

  const refuse = (from: NodeId, reason: RefusalReason, count: number) => {
    // the first, the tenth and so on: a flood must not flood the application
    if (!/^10*$/.test(String(count))) return;
    const what = `Node ${self} has refused ${count} messages as ${reason}, the last one in the name of '${from}'`;
    errors.put(
      new ConclaveError(
        'refused',
        what,
        'Wrap the transports of all nodes by authenticated, with the same secret.',
      ),
    );
  };
  const sign = async (to: NodeId, message: Message) => {
    const text = JSON.stringify(message);
    const code = await crypto.subtle.sign('HMAC', await key, signedBytes(self, to, text));
    const signed: Signed = { type: 'signed', text, code: hexOf(new Uint8Array(code)) };
    transport.send(to, signed);
  };
  const take = async ({ from, message }: Incoming) => {
    if (!isSigned(message)) return refuse(from, 'malformed', ++malformed);
    const isAuthentic = await crypto.subtle.verify(
      'HMAC',
      await key,
      bytesOf(message.code),
      signedBytes(from, self, message.text),
    );
    if (!isAuthentic) return refuse(from, 'forged', ++forged);
    if (!closed) inbox.put({ from, message: JSON.parse(message.text) }); // it was made by sign
  };

  // The operations of the key are asynchronous: one queue for each direction keeps the order.
  const report = (error: unknown) => errors.put(asError(self, error));
  let sending = Promise.resolve();
  let receiving = Promise.resolve();
  const arrivals = transport.received$.subscribe((incoming) => {
    receiving = receiving.then(() => take(incoming)).catch(report);
  });
  const end = async () => {
    inbox.close();
    await sending;
    arrivals.unsubscribe();
    await transport.close();
    errors.close();
  };
  const close = () => {
    closed ??= end();
    return closed;
  };
  return {
    self,
    guarantees: { ...guarantees, duplication: true },
    received$: inbox.items$,
    errors$: errors$ ? merge(errors$, errors.items$) : errors.items$,
    ...(status$ && { status$ }),
    ...(peers$ && { peers$ }),
    ...(admitted && { admitted }),
    get refused() {
      const { refused = noRefusals } = transport;
      return {
        ...refused,
        forged: refused.forged + forged,
        malformed: refused.malformed + malformed,
      };
    },
    send: (to, message) => {
      if (closed)
        throw new ConclaveError(
          'closed',
          `The transport of node ${self} is closed; it takes no '${message.type}'`,
        );
      sending = sending.then(() => sign(to, message)).catch(report);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
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
  typeof message === 'object' &&
  message !== null &&
  'type' in message &&
  message.type === 'signed' &&
  'text' in message &&
  typeof message.text === 'string' &&
  'code' in message &&
  typeof message.code === 'string' &&
  /^[0-9a-f]{64}$/.test(message.code);

const hexOf = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const bytesOf = (hex: string) =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

const asError = (self: NodeId, error: unknown): ConclaveError =>
  error instanceof ConclaveError
    ? error
    : new ConclaveError(
        'bad-input',
        `Node ${self}: ${error instanceof Error ? error.message : String(error)}`,
        '',
        { cause: error },
      );
