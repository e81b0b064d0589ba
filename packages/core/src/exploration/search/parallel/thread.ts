import { Barrier } from './barrier.js';
import { type Expand, type Setting, Share, word } from './share.js';

/** The words of the control after those of the barrier. */
export const isOver = Barrier.words;
export const started = Barrier.words + 1;
export const controlWords = Barrier.words + 2;

/** What the threads of a search share; the first one is the caller's. */
export interface Plan {
  readonly threads: number;
  readonly width: number;
  readonly keepEdges: boolean;
  /** Makes the first thread own the initial world, so that it has number 0. */
  readonly shift: number;
  /** By thread: its status, the worlds it postpones. */
  readonly status: readonly Int32Array[];
  readonly postponed: readonly Int32Array[];
  /** By thread that fills it, by thread that empties it. */
  readonly boxes: readonly (readonly Int32Array[])[];
  /** The words of the barrier; then whether the search is over, and how many workers have started. */
  readonly control: Int32Array;
  readonly first: Int32Array;
}

/** What a thread does in the phases of a round, each between two barriers. */
export interface Turns {
  /** After a thread has postponed worlds: the first thread extends its tables for them. */
  answer(): void;
  /** The others copy the new entries. */
  learn(): void;
  /** After all exchanged worlds are added: the others report to the first. */
  tell(): void;
  /** After all have reported: the first evaluates the new worlds, and may end the search; the others continue meanwhile. `status`: of all threads. */
  judge(status: readonly Int32Array[]): void;
}

/** Runs one thread of a search to its end, in step with the others. */
export function runThread(plan: Plan, thread: number, expand: Expand, turnsOf: (share: Share) => Turns): void {
  const { threads, width, keepEdges, shift, status, postponed, boxes, control } = plan;
  const barrier = new Barrier(control, threads);
  const setting: Setting = {
    thread,
    threads,
    width,
    keepEdges,
    shift,
    outboxes: boxes[thread] ?? [],
    inboxes: boxes.map((to) => to[thread] as Int32Array),
    status: status[thread] as Int32Array,
    postponed: postponed[thread] as Int32Array,
  };
  const share = new Share(setting, expand);
  const turns = turnsOf(share);
  const total = (what: number) => status.reduce((sum, words) => sum + (words[what] as number), 0);
  share.begin(plan.first);
  turns.tell();
  if (!barrier.wait()) return;
  for (;;) {
    const isLayerDone = total(word.left) === 0;
    const isDone = isLayerDone && total(word.size) === total(word.layer);
    const seen = status.map((words) => Int32Array.from(words));
    if (!barrier.wait()) return; // all have read the status
    turns.judge(seen);
    if (isDone) return;
    if (isLayerDone) share.nextLayer();
    share.expandRound();
    if (!barrier.wait() || control[isOver] === 1) return;
    if (total(word.postponed) > 0) {
      turns.answer();
      if (!barrier.wait()) return;
      turns.learn();
      share.expandPostponed();
      if (!barrier.wait()) return;
    }
    share.insert();
    turns.tell();
    if (!barrier.wait()) return;
  }
}
