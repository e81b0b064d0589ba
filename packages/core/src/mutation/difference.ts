import { canonical } from '../exploration/worlds/canonical.js';
import { runLines } from '../exploration/worlds/run-lines.js';
import type { World } from '../exploration/worlds/world.js';
import { stateText } from '../protocol/handles.js';
import type { NodeId } from '../protocol/node.js';
import { linesText } from '../trace/text.js';
import type { TraceLine } from '../trace/trace.js';
import type { Parting } from './bisimulation.js';
import { type ExploredGraph, worldAfter } from './explored-graph.js';
import { ownFields } from './labels.js';
import type { MutantFinding } from './report.js';

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
