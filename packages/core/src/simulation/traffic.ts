import type { SimulationResult } from './result.js';

/** Counts the messages of a run. */
export class Traffic {
  delivered = 0;
  lost = 0;
  duplicated = 0;
  /** With a reliable link: what the channels carried. */
  frames = 0;
  /** How often a node became the leader. */
  elections = 0;
  readonly #sent = new Map<string, { count: number }>();
  readonly #commands = new Map<string, number>();

  commanded(type: string): void {
    this.#commands.set(type, (this.#commands.get(type) ?? 0) + 1);
  }

  sent(type: string): void {
    const counter = this.#sent.get(type);
    if (counter) counter.count++;
    else this.#sent.set(type, { count: 1 });
  }

  figures(
    isReliable: boolean,
  ): Pick<
    SimulationResult,
    'delivered' | 'lost' | 'duplicated' | 'frames' | 'messages' | 'commands' | 'elections'
  > {
    const { delivered, lost, duplicated, frames, elections } = this;
    const byType = [...this.#sent].sort(([a], [b]) => (a < b ? -1 : 1));
    const commands = Object.fromEntries([...this.#commands].sort(([a], [b]) => (a < b ? -1 : 1)));
    const messages = Object.fromEntries(byType.map(([type, { count }]) => [type, count]));
    return {
      delivered,
      lost,
      duplicated,
      ...(isReliable ? { frames } : {}),
      messages,
      commands,
      elections,
    };
  }
}
