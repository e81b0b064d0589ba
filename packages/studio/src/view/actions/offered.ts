/**
 * The actions that are offered, their order and groups, and the one that keys and pointer have
 * chosen.
 */
import type { NodeId } from '@conclave/core/protocol';
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { groupBy, memo } from '../../base/collections.js';
import { type Kind, type Possible, possible, type Target } from '../../model/possible.js';
import type { Session } from '../../model/session.js';
import { say, type Text } from '../../texts/say.js';
import { takeOrAsk } from '../exercise/exercise.js';

/** What can happen at the moment that is shown; computed once for all views. */
interface Offered {
  readonly all: ReadonlySignal<readonly Possible[]>;
  /** Those that the list shows, in groups. */
  readonly groups: ReadonlySignal<readonly Group[]>;
  /** The titles of the opened ones among the groups that fold. */
  readonly opened: Signal<ReadonlySet<string>>;
  /** The actions of all groups but the folded ones, in one row: what the keys choose among. */
  readonly listed: ReadonlySignal<readonly Possible[]>;
  /** Whether the list has those of the chosen node only. */
  readonly isOfNode: Signal<boolean>;
  readonly grouping: Signal<Grouping>;
  /** The position in `listed` of the one that the keys have chosen. */
  readonly cursor: ReadonlySignal<number>;
  /** Moves the cursor; it returns to the first with the next step. */
  readonly choose: (position: number) => void;
}

const isOfNode = signal(false);
const grouping = signal<Grouping>('kind');

export const offeredBy = memo((session: Session): Offered => {
  const all = computed(() => possible(session.run, session.now.value));
  const groups = computed(() => {
    const { value: node } = session.node;
    const shown = isOfNode.value ? all.value.filter(({ target }) => isAt(target, node)) : all.value;
    return grouped(shown, grouping.value, session.system.topology.nodes);
  });
  const opened = signal<ReadonlySet<string>>(new Set());
  const listed = computed(() =>
    groups.value.flatMap(({ title, actions, folds }) =>
      folds && !opened.value.has(title) ? [] : actions,
    ),
  );
  const chosen = signal<{ readonly of: readonly Possible[]; readonly position: number }>({
    of: [],
    position: 0,
  });
  const cursor = computed(() => (chosen.value.of === listed.value ? chosen.value.position : 0));
  const choose = (position: number) => {
    const { value: of } = listed;
    if (of.length > 0)
      chosen.value = { of, position: ((position % of.length) + of.length) % of.length };
  };
  return { all, groups, opened, listed, isOfNode, grouping, cursor, choose };
});

/** Takes the action at a position of the list, if there is one. */
export function take(session: Session, position: number): void {
  const action = offeredBy(session).listed.value[position];
  pointed.value = undefined;
  if (action) takeOrAsk(session, action.number);
}

/** Opens a group that folds, or folds it again. */
export function fold({ opened }: Offered, title: string): void {
  const titles = new Set(opened.value);
  if (!titles.delete(title)) titles.add(title);
  opened.value = titles;
}

/** What the pointer or the keys point at, in whichever view: the others mark it. */
export const pointed = signal<Target | undefined>(undefined);

export const isNode = (target: Target | undefined, node: NodeId): boolean =>
  target?.kind === 'node' && target.node === node;

/** Whether a target is the message at this position of its channel. */
export const isMessage = (
  target: Target | undefined,
  from: NodeId,
  to: NodeId,
  position: number,
): boolean =>
  target?.kind === 'message' &&
  target.from === from &&
  target.to === to &&
  target.positions.includes(position);

type Grouping = 'kind' | 'node';

interface Group {
  readonly title: string;
  readonly actions: readonly Possible[];
  /**
   * Shown only when it is opened: the crashes in the middle of one step, of which there may be very
   * many.
   */
  readonly folds?: true;
}

/** What usually happens first, then the faults. */
const kinds: readonly (readonly [title: Text, kinds: readonly Kind[]])[] = [
  ['Choices', ['choose']],
  ['Commands', ['command']],
  ['Messages arrive', ['deliver']],
  ['Timers', ['timeout']],
  ['Time', ['tick']],
  ['Messages are lost', ['drop', 'unsent']],
  ['Messages are duplicated', ['duplicate']],
  ['Nodes crash and restart', ['crash', 'restart']],
  ['Nodes crash in the middle of a step', ['inside']],
  ['The network splits', ['split', 'heal']],
];

/** The actions in groups, none empty; within a group in their own order. */
export function grouped(
  actions: readonly Possible[],
  grouping: Grouping,
  nodes: readonly NodeId[],
): readonly Group[] {
  if (grouping === 'kind')
    return kinds.flatMap(([title, those]) =>
      byStep(
        say(title),
        actions.filter(({ kind }) => those.includes(kind)),
      ),
    );
  const byPlace = groupBy(actions, ({ target }) => placeOf(target));
  return [...nodes, network].flatMap((place) =>
    byStep(
      place === network ? say('The network') : say('At {place}', { place }),
      byPlace.get(place) ?? [],
    ),
  );
}

/**
 * The actions under one title; crashes in the middle of a step are in groups of their own, by step.
 */
function byStep(title: string, all: readonly Possible[]): readonly Group[] {
  return [...groupBy(all, ({ inside }) => inside?.step)]
    .toSorted(([one], [other]) => Number(one !== undefined) - Number(other !== undefined))
    .map(([step, actions]) =>
      step === undefined
        ? { title, actions }
        : { title: say("Crash in the middle of '{step}'", { step }), actions, folds: true },
    );
}

/** No node has this id. */
const network = '';

/** The node at which something happens: a message is at its receiver. */
const placeOf = (target: Target): NodeId =>
  target.kind === 'node' ? target.node : target.kind === 'message' ? target.to : network;

/** Whether something happens at a node. */
export const isAt = (target: Target, node: NodeId): boolean => placeOf(target) === node;
