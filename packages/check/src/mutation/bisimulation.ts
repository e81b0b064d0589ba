import { stateText } from '@conclave/core/internal';
import type { NodeId } from '@conclave/core/protocol';
import { linesText, type TraceLine } from '@conclave/core/trace';
import { canonical } from '../worlds/canonical.js';
import { runLines } from '../worlds/run-lines.js';
import type { Action, World } from '../worlds/world.js';
import { type ExploredGraph, type Labels, ownFields, worldAfter } from './labels.js';
import type { MutantFinding } from './report.js';

/** A shortest run after which two systems differ. */
interface Parting {
  /** The actions that both can take, as the first takes them. */
  readonly actions: readonly Action[];
  /**
   * The same as the second takes them: what a crash in the middle of a step loses may have other
   * positions among what the step sends.
   */
  readonly others: readonly Action[];
  /**
   * An action that only one of them can take then; undefined: their worlds look different, or their
   * notifications in the last action differ.
   */
  readonly only?: { readonly who: 'first' | 'second'; readonly action: Action };
  /** Their notifications in the last action differ. */
  readonly tells?: true;
}

/**
 * The first difference of two systems, breadth-first over pairs of worlds; undefined when they are
 * strongly bisimilar. Actions are deterministic, so it is enough to compare the pairs of worlds
 * that the same actions reach.
 */
export function firstParting(first: Labels, second: Labels): Parting | undefined {
  return new PairSearch(first, second).run();
}

class PairSearch {
  /** By pair: both worlds, the pair it was reached from, the action of each. */
  readonly #pairs: number[] = [0, 0, -1, -1, -1];
  readonly #known = new Set<number>([0]);
  readonly #seenFirst: Int32Array;
  readonly #seenSecond: Int32Array;

  constructor(
    private readonly first: Labels,
    private readonly second: Labels,
  ) {
    this.#seenFirst = new Int32Array(first.explored.compiled.width);
    this.#seenSecond = new Int32Array(second.explored.compiled.width);
  }

  run(): Parting | undefined {
    for (let pair = 0; pair < this.#pairs.length; pair += 5) {
      const parting = this.#visit(pair);
      if (parting) return parting;
    }
    return undefined;
  }

  #visit(pair: number): Parting | undefined {
    const { first, second } = this;
    const [left, right] = [this.#pairs[pair] as number, this.#pairs[pair + 1] as number];
    first.read(left, this.#seenFirst);
    second.read(right, this.#seenSecond);
    if (this.#seenFirst.some((seen, slot) => seen !== this.#seenSecond[slot]))
      return this.#parting(pair);
    const [one, other] = [first.explored.graph, second.explored.graph];
    const targets = new Map<number, number>();
    for (let edge = other.first(right); edge < other.end(right); edge++)
      targets.set(second.action(right, other.action(edge)), edge);
    for (let edge = one.first(left); edge < one.end(left); edge++) {
      const action = first.action(left, one.action(edge));
      const match = targets.get(action);
      if (match === undefined)
        return this.#parting(pair, {
          only: { who: 'first', action: first.explored.compiled.actionOf(one.action(edge)) },
        });
      targets.delete(action);
      const tells =
        first.notifications(left, one.action(edge)) !==
        second.notifications(right, other.action(match));
      const next = this.#reach(pair, edge, match, tells);
      if (tells) return this.#parting(next, { tells });
    }
    for (const edge of targets.values())
      return this.#parting(pair, {
        only: { who: 'second', action: second.explored.compiled.actionOf(other.action(edge)) },
      });
    return undefined;
  }

  /** Adds the pair that these edges lead to, unless it is known and need not be added again. */
  #reach(from: number, edge: number, match: number, again: boolean): number {
    const [one, other] = [this.first.explored.graph, this.second.explored.graph];
    const [left, right] = [one.target(edge), other.target(match)];
    const key = left * this.second.explored.search.store.size + right;
    if (this.#known.has(key) && !again) return -1;
    this.#known.add(key);
    return this.#pairs.push(left, right, from, one.action(edge), other.action(match)) - 5;
  }

  #parting(pair: number, more: Pick<Parting, 'only' | 'tells'> = {}): Parting {
    return {
      actions: this.#taken(pair, this.first, 3),
      others: this.#taken(pair, this.second, 4),
      ...more,
    };
  }

  #taken(pair: number, { explored: { compiled } }: Labels, place: 3 | 4): readonly Action[] {
    const actions: Action[] = [];
    for (let at = pair; (this.#pairs[at + 2] as number) >= 0; at = this.#pairs[at + 2] as number)
      actions.push(compiled.actionOf(this.#pairs[at + place] as number));
    return actions.reverse();
  }
}

/** One shortest run on which a mutant and the original differ. */
export type Difference = NonNullable<MutantFinding['difference']>;

export function differenceOf(
  system: string,
  original: ExploredGraph,
  mutant: ExploredGraph,
  { actions, others, only, tells }: Parting,
): Difference {
  const onlyBy = (who: 'first' | 'second') => (only?.who === who ? [only.action] : []);
  const ours = runLines(original.worlds, [...actions, ...onlyBy('first')]).lines;
  const theirs = runLines(mutant.worlds, [...others, ...onlyBy('second')]).lines;
  const texts = textsOf([...ours, ...theirs]); // in columns of one width
  const before = texts.slice(0, ours.length);
  const after = texts.slice(ours.length);
  const same = before.findIndex((line, index) => line !== after[index]);
  const common = same < 0 ? before.length : same;
  return {
    system,
    run: [
      ...before.slice(0, common).map((line) => `  ${line}`),
      ...before.slice(common).map((line) => `- ${line}`),
      ...after.slice(common).map((line) => `+ ${line}`),
    ],
    differs: only
      ? `only the ${only.who === 'first' ? 'original' : 'mutant'} can go on so`
      : tells
        ? 'the notifications of the application differ'
        : lookText(
            worldAfter(original, actions),
            worldAfter(mutant, others),
            original.worlds.topology.nodes,
          ),
  };
}

const textsOf = (lines: readonly TraceLine[]): readonly string[] =>
  lines.length === 0 ? [] : linesText(lines).trimEnd().split('\n');

/** How the two worlds differ: the state, the tags or a field of the first node that differs. */
function lookText(before: World, after: World, nodes: readonly NodeId[]): string {
  for (const id of nodes) {
    const one = before.nodes[id];
    const other = after.nodes[id];
    if (!one || !other) continue;
    const [state, otherState] = [stateText(one.value), stateText(other.value)];
    const [tags, otherTags] = [tagsText(one.tags), tagsText(other.tags)];
    if (state === otherState && tags !== otherTags)
      return `${id} is ${tags}, in the mutant ${otherTags}`;
    if (state !== otherState)
      return `${id} is in ${state} ${tags}, in the mutant in ${otherState} ${otherTags}`;
    const field = Object.keys(ownFields(one.context)).find(
      (key) => canonical(one.context[key]) !== canonical(other.context[key]),
    );
    if (field !== undefined)
      return `${id} has ${field} ${canonical(one.context[field])}, in the mutant ${canonical(other.context[field])}`;
    const [past, otherPast] = [canonical(one.recorded), canonical(other.recorded)];
    if (past !== otherPast) return `${id} has the history ${past}, in the mutant ${otherPast}`;
  }
  return 'the messages in flight differ';
}

const tagsText = (tags: readonly string[]): string =>
  tags.length === 0 ? 'without tags' : `«${tags.join(' ')}»`;
