import type { SimulationResult } from './result.js';

/** Counts the messages of a run. */
export class Traffic {
  delivered = 0;
  lost = 0;
  duplicated = 0;
  /** With a reliable link: what the channels carried. */
  frames = 0;
  readonly #sent = new Map<string, { count: number }>();

  sent(type: string): void {
    const counter = this.#sent.get(type);
    if (counter) counter.count++;
    else this.#sent.set(type, { count: 1 });
  }

  figures(isReliable: boolean): Pick<SimulationResult, 'delivered' | 'lost' | 'duplicated' | 'frames' | 'messages'> {
    const { delivered, lost, duplicated, frames } = this;
    const byType = [...this.#sent].sort(([a], [b]) => (a < b ? -1 : 1));
    const messages = Object.fromEntries(byType.map(([type, { count }]) => [type, count]));
    return { delivered, lost, duplicated, ...(isReliable ? { frames } : {}), messages };
  }
}
