import type { Embedded } from '@conclave/core/embedding';
import { stateText } from '@conclave/core/internal/protocol';
import type { NodeId } from '@conclave/core/protocol';
import type { LockOptions } from './lock-types.js';

/** How log lines name a lock. */
export const titleOf = (id: NodeId, name: string | undefined): string =>
  name === undefined ? `lock of ${id}` : `lock ${name} of ${id}`;

/** A line for the present state of a lock's node and each later one. */
export function logStates(
  { id, state$ }: Embedded,
  name: string | undefined,
  logger: NonNullable<LockOptions['logger']>,
): void {
  let before: string | undefined;
  state$.subscribe(({ value }) => {
    const now = stateText(value);
    if (now !== before)
      logger.debug(`${titleOf(id, name)}: ${before === undefined ? '' : `${before} → `}${now}`);
    before = now;
  });
}
