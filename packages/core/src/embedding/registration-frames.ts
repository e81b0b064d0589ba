import type { Message } from '../protocol/node.js';
import type { RegistrationMessage, Start } from './registration-machine.js';

/** A message of the protocol, from a start of a node with these terms. */
export interface Sealed {
  readonly type: 'sealed';
  /** As {@link sealOf} writes it. */
  readonly seal: string;
  readonly message: Message;
}

/** Which start of which storage, with which terms. */
export interface Seal extends Start {
  readonly digest: string;
}

export const sealOf = ({ digest, storage, incarnation }: Seal): string =>
  `${digest}.${storage}.${incarnation}`;

/** @returns undefined for a text that is no seal */
export function parsedSeal(text: string): Seal | undefined {
  const [, digest, storage, incarnation] =
    /^([0-9a-f]{16})\.([0-9a-f]*)\.([1-9][0-9]{0,15})$/.exec(text) ?? [];
  return digest === undefined || storage === undefined
    ? undefined
    : { digest, storage, incarnation: Number(incarnation) };
}

/** What a peer sent, if it is sealed. */
export const asSealed = (frame: unknown): Sealed | undefined =>
  isObject(frame) &&
  frame.type === 'sealed' &&
  typeof frame.seal === 'string' &&
  isObject(frame.message)
    ? (frame as unknown as Sealed) // as was looked at
    : undefined;

/** What a peer sent, if it is a message of the registration whose fields the machine can take. */
export function asRegistration(frame: unknown): RegistrationMessage | undefined {
  if (!isObject(frame) || typeof frame.name !== 'string') return undefined;
  const isOne =
    (frame.type === 'hello' && isStart(frame) && isObject(frame.terms) && 'kept' in frame) ||
    (frame.type === 'welcome' &&
      typeof frame.storage === 'string' &&
      isStart(frame.addressed) &&
      'kept' in frame) ||
    (frame.type === 'refusal' &&
      isStart(frame.addressed) &&
      isObject(frame.terms) &&
      reasons.includes(String(frame.reason)));
  return isOne ? (frame as unknown as RegistrationMessage) : undefined; // as was looked at
}

const reasons = ['another', 'different', 'replaced'];

const isStart = (value: unknown): boolean =>
  isObject(value) &&
  typeof value.storage === 'string' &&
  Number.isSafeInteger(value.incarnation) &&
  Number(value.incarnation) > 0;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
