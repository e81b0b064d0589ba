import { again, withCommand } from '../output/again.js';
import { speed } from '../output/check-summary.js';
import { counted, number } from '../output/numbers.js';
import { Progress } from '../output/progress.js';
import type { Session } from '../session.js';

type OnProgress = (states: number, transitions: number, depth: number) => void;

/** Makes a search that shows its progress, and whose errors tell how to see them again. */
export function exploring<T>(session: Session, search: (onProgress: OnProgress) => T): T {
  const progress = new Progress(session);
  try {
    return search((states, transitions, depth) =>
      progress.show((seconds) => {
        const found = `${counted(states, 'state')}, ${counted(transitions, 'transition')}, depth ${depth}`;
        return `checking: ${found}, ${number(speed(states, seconds))} states/s`;
      }),
    );
  } catch (error) {
    throw withCommand(error, again(session.argv));
  } finally {
    progress.stop();
  }
}
