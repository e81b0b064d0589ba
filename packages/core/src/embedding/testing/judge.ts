import type { NodeId } from '../../protocol/node.js';
import type { Guarantees, Incoming } from '../transport.js';
import { isRecord } from '../wire.js';
import type { Endpoint, Numbered } from './endpoint.js';

/** What is compared with what was sent: whether loss, duplication and another order are allowed. */
export type Allowed = Pick<Guarantees, 'order' | 'loss' | 'duplication'>;

/**
 * Checks what `at` has from `from`, which sent it messages numbered from 0 to `sent`.
 * @throws where more happened than is allowed
 */
export function judge(from: NodeId, at: Endpoint, sent: number, allowed: Allowed): void {
  const numbers = numbersFrom(from, at);
  const where = `of ${sent} messages from ${from} to ${at.id}`;
  const beyond = numbers.find((n) => !Number.isInteger(n) || n < 0 || n >= sent);
  if (beyond !== undefined) throw new Error(`${where}: ${beyond} arrived, which was never sent`);
  const firsts = [...new Set(numbers)];
  if (!allowed.loss && firsts.length < sent)
    throw new Error(`${where}: ${sent - firsts.length} are lost, ${firstMissing(firsts)} first`);
  if (!allowed.duplication && firsts.length < numbers.length)
    throw new Error(`${where}: ${numbers.length - firsts.length} arrived twice`);
  const early =
    allowed.order === 'fifo'
      ? firsts.findIndex((n, index) => index > 0 && n < (firsts[index - 1] ?? 0))
      : -1;
  if (early >= 0) throw new Error(`${where}: ${firsts[early]} arrived after ${firsts[early - 1]}`);
}

/**
 * Checks that all numbered messages at `at` were sent to it, by the sender that the transport
 * names.
 */
export function judgeSenders(at: Endpoint): void {
  for (const incoming of at.received) {
    const { from, message } = incoming;
    if (isNumbered(message) && (message.from !== from || message.to !== at.id))
      throw new Error(
        `Node ${at.id} got ${JSON.stringify(message)} from ${from}, which is not what ${from} sent to it`,
      );
  }
}

/** Waits until everything has arrived, where nothing may get lost. */
export async function allArrived(from: NodeId, at: Endpoint, sent: number): Promise<void> {
  const seen = new Set<number>();
  let looked = 0;
  const all = () => {
    for (; looked < at.received.length; looked++) {
      const incoming = at.received[looked];
      if (incoming?.from === from && isNumbered(incoming.message)) seen.add(incoming.message.n);
    }
    return seen.size >= sent;
  };
  await at.until(`the arrival of ${sent} messages from ${from}`, all, () => ({
    arrived: seen.size,
    firstMissing: firstMissing([...seen]),
    statuses: at.statuses,
  }));
}

export const numbersFrom = (from: NodeId, at: Endpoint): readonly number[] =>
  at.received.flatMap((incoming: Incoming) =>
    incoming.from === from && isNumbered(incoming.message) ? [incoming.message.n] : [],
  );

const isNumbered = (message: unknown): message is Numbered =>
  isRecord(message) && message.type === 'numbered';

function firstMissing(numbers: readonly number[]): number {
  const present = new Set(numbers);
  for (let n = 0; ; n++) if (!present.has(n)) return n;
}
