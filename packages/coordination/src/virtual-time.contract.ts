/** Nodes whose timers run in virtual time: on a slow machine none is late. */
import { afterEach, beforeEach, vi } from 'vitest';

/** For all tests of the file: time passes only while nothing else is to be done. */
export function inVirtualTime(): void {
  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
    }).setTimerTickMode('nextTimerAsync');
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

/** Virtual milliseconds. */
export const pass = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));
