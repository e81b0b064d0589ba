/** What a node says while others do not admit it: those that do not list it never will. */
import { ConclaveError } from '../base/error.js';
import type { NodeId } from '../protocol/node.js';
import type { TimerClock } from '../protocol/node-timers.js';
import { wallClock } from './wall-clock.js';

const longestPause = 3_600_000;

interface Wait {
  readonly self: NodeId;
  /** Those that have not admitted it. */
  readonly awaited: () => readonly NodeId[];
  readonly isUnreachable?: (id: NodeId) => boolean;
  readonly report: (error: ConclaveError) => void;
  /** As `reportWaitAfter` of `embed`. */
  readonly after: number | undefined;
  readonly clock?: TimerClock | undefined;
}

/**
 * Reports for whom a node waits after some seconds, and again after pauses that grow.
 *
 * @returns what ends it
 */
export function reportWait({
  self,
  awaited,
  isUnreachable = () => false,
  report,
  after = 5000,
  clock = wallClock,
}: Wait): () => void {
  let timer: unknown;
  const pause = (ms: number, before: number) => {
    const late = () => {
      const names = awaited();
      if (names.length > 0)
        report(notAdmitted(self, before + ms, names, names.filter(isUnreachable)));
      pause(Math.min(2 * ms, longestPause), before + ms);
    };
    timer = clock.setTimeout(late, ms, 'wait');
  };
  pause(Math.max(1, after), 0);
  return () => clock.clearTimeout(timer);
}

function notAdmitted(
  self: NodeId,
  ms: number,
  awaited: readonly NodeId[],
  unreachable: readonly NodeId[],
): ConclaveError {
  const reach = unreachable.length > 0 ? `; it cannot reach ${unreachable.join(', ')} now` : '';
  return new ConclaveError(
    'timed-out',
    `Node ${self} is not admitted after ${ms} ms: it waits for ${awaited.join(', ')}${reach}`,
    `Check that they are up, that they list ${self}, and that all have the same network.`,
  );
}
