import type { Message } from '../protocol/node.js';
import type { Greeting } from './session-machine.js';
import { isRecord } from './wire.js';

/** A message of the protocol, between two incarnations. */
export interface Payload {
  readonly type: 'payload';
  readonly incarnation: number;
  readonly addressed: number;
  readonly message: Message;
}

/** What a peer sent, if it is a payload. */
export function asPayload(frame: unknown): Payload | undefined {
  if (!isRecord(frame) || frame.type !== 'payload') return undefined;
  return isIncarnation(frame.incarnation) &&
    isIncarnation(frame.addressed) &&
    isRecord(frame.message)
    ? (frame as unknown as Payload)
    : undefined; // as was looked at
}

/** What a peer sent, if it is a greeting whose fields the machine can take. */
export function asGreeting(frame: unknown): Greeting | undefined {
  if (!isRecord(frame) || !isIncarnation(frame.incarnation) || !isKnown(frame.known))
    return undefined;
  const isOne =
    frame.type === 'welcome' ||
    (isRecord(frame.terms) &&
      (frame.type === 'hello' ||
        (frame.type === 'refusal' && isIncarnation(frame.addressed) && isReason(frame.reason))));
  return isOne ? (frame as unknown as Greeting) : undefined; // as was looked at
}

const isIncarnation = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0;

const isKnown = (value: unknown): boolean =>
  isRecord(value) && Object.values(value).every(isIncarnation);

const isReason = (value: unknown): boolean =>
  value === 'restarted' || value === 'replaced' || value === 'different';
