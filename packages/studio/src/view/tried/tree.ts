import type { Moment, Run } from '../../model/run.js';
import type { System } from '../../model/system.js';
import { wordsOf } from '../../model/words.js';
import { say } from '../../texts/say.js';

/** One row of the tree. */
export interface TreeRow {
  readonly moment: Moment;
  readonly words: string;
  /** How far it is indented: how many branches it is away from what was tried first. */
  readonly level: number;
  /** How many moments before it, on the same straight stretch, have no row of their own. */
  readonly folded: number;
  readonly kind: 'usual' | 'fault' | 'end';
}

/** A straight stretch that is longer than this is folded in the middle. */
const longest = 7;
const ends = 2;

/**
 * The moments in the order of a tree: the first branch of a moment goes straight on, the others
 * follow it, indented. Long stretches without a branch are folded, except for the moments in
 * `open`.
 */
export function treeOf(run: Run, open: ReadonlySet<Moment>): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  const stretches: { readonly first: Moment; readonly level: number }[] = [
    { first: run.start, level: 0 },
  ];
  for (let next = stretches.pop(); next; next = stretches.pop()) {
    const { first, level } = next;
    const stretch = [first];
    for (let at: Moment | undefined = first; at?.branches.length === 1; at = at.branches[0])
      if (at.branches[0]) stretch.push(at.branches[0]);
    let folded = 0;
    for (const [index, moment] of stretch.entries()) {
      const isInside = index >= ends && index < stretch.length - ends;
      if (isInside && stretch.length > longest && !open.has(moment)) {
        folded++;
        continue;
      }
      rows.push({
        moment,
        words: wordsOfMoment(run.system, moment),
        level,
        folded,
        kind: kindOf(run, moment),
      });
      folded = 0;
    }
    const [straight, ...others] = stretch.at(-1)?.branches ?? [];
    for (const other of [...others].reverse()) stretches.push({ first: other, level: level + 1 });
    if (straight) stretches.push({ first: straight, level });
  }
  return rows;
}

const wordsOfMoment = (system: System, { step }: Moment): string =>
  step ? wordsOf(system, step.from.world, step.action) : say('the beginning');

function kindOf(run: Run, moment: Moment): TreeRow['kind'] {
  if (moment.step?.fault) return 'fault';
  return moment.branches.length === 0 && run.actions(moment).length === 0 ? 'end' : 'usual';
}
