import type { Json, Message, NodeId } from '../protocol/node.js';
import type { Terms } from './terms.js';
import { isRecord } from './wire.js';

/**
 * `another`: of another storage; `different`: of other terms; `replaced`: there is a later start of
 * the same storage.
 */
export type RegistrationRefusal = 'another' | 'different' | 'replaced';

/** Which start of which storage. */
export interface Start {
  /** Empty for a node without storage. */
  readonly storage: string;
  /** Larger at each start. */
  readonly incarnation: number;
}

export type RegistrationMessage =
  | (Start & {
      readonly type: 'hello';
      readonly name: NodeId;
      readonly terms: Terms;
      readonly kept: Json;
    })
  /** `addressed` has noted the storage of the hello that it answers. */
  | {
      readonly type: 'welcome';
      readonly name: NodeId;
      readonly addressed: Start;
      readonly storage: string;
      readonly kept: Json;
    }
  | {
      readonly type: 'refusal';
      readonly name: NodeId;
      readonly addressed: Start;
      readonly reason: RegistrationRefusal;
      readonly terms: Terms;
    };

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
  isRecord(frame) &&
  frame.type === 'sealed' &&
  typeof frame.seal === 'string' &&
  isRecord(frame.message)
    ? (frame as unknown as Sealed) // as was looked at
    : undefined;

/** What a peer sent, if it is a message of the registration whose fields the machine can take. */
export function asRegistration(frame: unknown): RegistrationMessage | undefined {
  if (!isRecord(frame) || typeof frame.name !== 'string') return undefined;
  const isOne =
    (frame.type === 'hello' && isStart(frame) && isRecord(frame.terms) && 'kept' in frame) ||
    (frame.type === 'welcome' &&
      typeof frame.storage === 'string' &&
      isStart(frame.addressed) &&
      'kept' in frame) ||
    (frame.type === 'refusal' &&
      isStart(frame.addressed) &&
      isRecord(frame.terms) &&
      reasons.includes(String(frame.reason)));
  return isOne ? (frame as unknown as RegistrationMessage) : undefined; // as was looked at
}

const reasons = ['another', 'different', 'replaced'];

const isStart = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value.storage === 'string' &&
  Number.isSafeInteger(value.incarnation) &&
  Number(value.incarnation) > 0;
