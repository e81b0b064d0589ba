let waiting: (() => void)[] = [];

/**
 * Runs `work` when all views have drawn what changed, before the browser paints it. Work that asks
 * where things are, such as to scroll, belongs here: each question between two drawings lays out
 * the whole page once more.
 */
export function afterDrawing(work: () => void): void {
  if (waiting.push(work) > 1) return;
  queueMicrotask(() => {
    const now = waiting;
    waiting = [];
    for (const one of now) one();
  });
}
