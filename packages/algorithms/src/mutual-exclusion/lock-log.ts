import type { embed } from '@conclave/core/embedding';
import { type NodeId, stateText } from '@conclave/core/protocol';
import type { LockLogger } from './lock-types.js';

/** How log lines name a lock. */
export const titleOf = (id: NodeId, name: string | undefined): string =>
  name === undefined ? `lock of ${id}` : `lock ${name} of ${id}`;

/** A line for the present state of a lock's node and each later one. */
export function logStates(
  { id, state$ }: ReturnType<typeof embed>,
  name: string | undefined,
  logger: LockLogger,
): void {
  let before: string | undefined;
  state$.subscribe(({ value }) => {
    const now = stateText(value);
    if (now !== before)
      logger.debug(`${titleOf(id, name)}: ${before === undefined ? '' : `${before} → `}${now}`);
    before = now;
  });
}
