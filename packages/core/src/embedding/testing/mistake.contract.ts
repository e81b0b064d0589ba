import type { NetworkTransport } from '../network-transport.js';
import { type Incoming, isRecord, type Transport } from '../transport.js';
import type { Bus } from './bus.contract.js';
import type { Declared } from './test-network.js';

export interface Mistake {
  /** What is wrong with the transport. */
  readonly mistake: string;
  /** The beginning of the name of the check that must fail. */
  readonly check: string;
  readonly error: RegExp;
  readonly changes: (right: NetworkTransport, bus: Bus) => Partial<Transport>;
  readonly declared?: Declared;
}

export const numberOf = ({ message }: Incoming): number =>
  isRecord(message) && typeof message.n === 'number' ? message.n : -1;
