import type { Message, NodeId } from '../protocol/node.js';
import type { Incoming, RefusalReason } from './transport.js';
import { isMessage } from './wire.js';

/** The version of the frame format. */
const version = 1;

/**
 * The text that carries `message` from one node of `network` to another. A frame is taken only if
 * it is this text, byte for byte.
 *
 * Such as `[1,"shop","a","b",{"type":"request","ts":1}]`.
 */
export const frameOf = (network: string, from: NodeId, to: NodeId, message: Message): string =>
  JSON.stringify([version, network, from, to, message]);

/** Who reads frames, and which. */
export interface FrameReader {
  readonly self: NodeId;
  readonly peers: ReadonlySet<NodeId>;
  /** Whether others may send, too. */
  readonly clients?: boolean;
  readonly network: string;
  readonly maxBytes: number;
}

/**
 * What a frame says, or why it is refused, and who it claims to be from.
 *
 * @param known the sender, where the medium itself knows it
 */
export function readFrame(
  { self, peers, clients = false, network, maxBytes }: FrameReader,
  frame: string | Uint8Array,
  known: NodeId | undefined,
): Incoming | { readonly refuse: RefusalReason; readonly claims?: NodeId } {
  if (typeof frame === 'string' ? isLonger(frame, maxBytes) : frame.length > maxBytes)
    return { refuse: 'too-large' };
  const { text, value } = jsonOf(frame);
  if (!Array.isArray(value) || value.length !== 5) return malformed;
  const [itsVersion, itsNetwork, from, to, message] = value as readonly unknown[];
  if (itsVersion !== version)
    return typeof itsVersion === 'number' ? { refuse: 'version' } : malformed;
  if (
    typeof itsNetwork !== 'string' ||
    typeof from !== 'string' ||
    typeof to !== 'string' ||
    !isMessage(message)
  )
    return malformed;
  const claims = from;
  if (itsNetwork !== network) return { refuse: 'network', claims };
  if (to !== self) return { refuse: 'misaddressed', claims };
  if (!clients && !peers.has(from)) return { refuse: 'stranger', claims };
  if (known !== undefined && known !== from) return { refuse: 'forged', claims };
  return isExact(value, text) ? { from, message } : malformed;
}

const malformed = { refuse: 'malformed' } as const;

/** Whether `text` takes more than `bytes` in UTF-8, where a UTF-16 unit takes one to three. */
export const isLonger = (text: string, bytes: number): boolean =>
  text.length > bytes || (text.length * 3 > bytes && new TextEncoder().encode(text).length > bytes);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Nothing where `frame` is no JSON in UTF-8. */
function jsonOf(frame: string | Uint8Array): { readonly text?: string; readonly value?: unknown } {
  try {
    const text = typeof frame === 'string' ? frame : utf8.decode(frame);
    return { text, value: JSON.parse(text) };
  } catch {
    return {};
  }
}

/**
 * Whether `text` is how `JSON.stringify` writes `value`: there is one text for the same data, and
 * no key comes twice.
 */
function isExact(value: unknown, text: string | undefined): boolean {
  try {
    return JSON.stringify(value) === text;
  } catch {
    return false; // nested too deeply
  }
}
