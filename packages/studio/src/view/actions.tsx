/**
 * The actions that are offered, their order and groups, and the one that keys and pointer have
 * chosen; the panel that lists them, and what cannot happen, with reasons.
 */
import { faults } from '@conclave/core/internal';
import type { NodeId } from '@conclave/core/protocol';
import {
  computed,
  type ReadonlySignal,
  type Signal,
  signal,
  useComputed,
  useSignal,
} from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { groupBy, memo } from '../base/collections.js';
import { impossible } from '../model/impossible.js';
import {
  type Impossible,
  type Kind,
  type Possible,
  possible,
  type Target,
} from '../model/possible.js';
import type { Session } from '../model/session.js';
import { capital } from '../model/words.js';
import { say, type Text } from '../texts/say.js';
import { takeOrAsk } from './exercise.js';
import { Button } from './parts/controls.js';
import { assign, useSize } from './parts/dom.js';
import { Panel } from './parts/panel.js';
import { allow, attempt, type SessionProps } from './studio.js';

/** What can happen at the moment that is shown; computed once for all views. */
interface Offer {
  readonly all: ReadonlySignal<readonly Possible[]>;
  /** Those that the list shows, in groups. */
  readonly groups: ReadonlySignal<readonly Group[]>;
  /** The titles of the opened ones among the groups that fold. */
  readonly opened: Signal<ReadonlySet<string>>;
  /** The actions of all groups but the folded ones, in one row: what the keys choose among. */
  readonly listed: ReadonlySignal<readonly Possible[]>;
  /** The position in `listed` of the one that the keys have chosen. */
  readonly cursor: ReadonlySignal<number>;
  /** Moves the cursor; it returns to the first with the next step. */
  readonly choose: (position: number) => void;
}

/** Whether the list has the actions of the chosen node only. */
export const isOfNode = signal(false);
const grouping = signal<Grouping>('kind');

export const offerOf = memo((session: Session): Offer => {
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
  return { all, groups, opened, listed, cursor, choose };
});

export function take(session: Session, position: number): void {
  const action = offerOf(session).listed.value[position];
  pointed.value = undefined;
  if (action) takeOrAsk(session, action.number);
}

export function fold({ opened }: Offer, title: string): void {
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
  /** Shown when it is opened: the crashes in the middle of one step, which may be many. */
  readonly folds?: true;
}

/** What usually happens first, then the faults. */
const kinds: readonly (readonly [title: Text, kinds: readonly Kind[]])[] = [
  ['Choices', ['choose']],
  ['Commands', ['command']],
  ['Messages arrive', ['deliver']],
  ['Timers', ['timeout']],
  ['Time', ['tick']],
  ...faults.channelFaultRows.map(({ action, name: [, many] }): readonly [Text, readonly Kind[]] => [
    many,
    action === 'drop' ? [action, 'unsent'] : [action],
  ]),
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
        capital(say(title)),
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

/** The actions under one title; those in the middle of a step are grouped by step. */
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

export const isAt = (target: Target, node: NodeId): boolean => placeOf(target) === node;

export const Actions = ({ session }: SessionProps) => (
  <Panel
    title={say('What can happen')}
    class="actions"
    canEnlarge={false}
    actions={<Filters session={session} />}
  >
    <List session={session} />
    <Cannot session={session} />
  </Panel>
);

function Filters({ session }: SessionProps) {
  const { value: node } = session.node;
  const isByNode = grouping.value === 'node';
  return (
    <div class="filters flow">
      <Button
        pressed={isOfNode.value}
        title={say('Only what happens at the chosen node, {node}', { node })}
        onClick={assign(isOfNode, !isOfNode.value)}
      >
        {say('Only {node}', { node })}
      </Button>
      <Button
        pressed={isByNode}
        title={say('Grouped by the node at which it happens')}
        onClick={assign(grouping, isByNode ? 'kind' : 'node')}
      >
        {say('By node')}
      </Button>
    </div>
  );
}

/** Of a row, in pixels; the style sheet has it too. */
const rowHeight = 26;

interface TitleRow {
  readonly title: string;
  readonly count: number;
  /** Of a group that folds. */
  readonly isOpen?: boolean;
}

interface ActionRow {
  readonly action: Possible;
  readonly position: number;
}

/** What is in sight of a list that scrolls. */
interface Sight {
  readonly top: number;
  readonly height: number;
}

/** What can happen, in groups. Of a long list only the rows in sight are drawn. */
function List({ session }: SessionProps) {
  const { groups, opened, cursor } = offerOf(session);
  const box = useRef<HTMLDivElement>(null);
  const sight = useSignal<Sight>({ top: 0, height: 400 });
  const rows = useComputed((): readonly (TitleRow | ActionRow)[] => {
    let position = 0;
    return groups.value.flatMap(({ title, actions, folds }): readonly (TitleRow | ActionRow)[] => {
      const isOpen = !folds || opened.value.has(title);
      return [
        { title, count: actions.length, ...(folds && { isOpen }) },
        ...(isOpen ? actions.map((action) => ({ action, position: position++ })) : []),
      ];
    });
  }).value;
  const chosen = rows.findIndex((row) => 'position' in row && row.position === cursor.value);
  useSize(box, look(sight));
  useEffect(() => {
    if (box.current && chosen >= 0) scrollTo(box.current, cursor.value === 0 ? 0 : chosen);
  }, [chosen]);
  const first = Math.max(0, Math.floor(sight.value.top / rowHeight) - 4);
  const shown = rows.slice(first, first + Math.ceil(sight.value.height / rowHeight) + 8);
  return (
    <div
      ref={box}
      class="list"
      role="listbox"
      aria-label={say('What can happen')}
      aria-activedescendant={chosen < 0 ? undefined : `action-${cursor.value}`}
      tabIndex={0}
      onScroll={({ currentTarget }) => look(sight)(currentTarget)}
      onPointerLeave={assign(pointed, undefined)}
    >
      {rows.length === 0 && <p class="nothing faint">{nothing(session, isOfNode.value)}</p>}
      <div class="rows" style={`height: ${rows.length * rowHeight}px`}>
        {shown.map((row, index) => {
          const style = `top: ${(first + index) * rowHeight}px`;
          return 'title' in row ? (
            <Title key={row.title} row={row} style={style} session={session} />
          ) : (
            <Row key={row.action.number + 1} row={row} style={style} session={session} />
          );
        })}
      </div>
    </div>
  );
}

const look =
  (sight: Signal<Sight>) =>
  ({ scrollTop: top, clientHeight: height }: Element): void => {
    sight.value = { top, height };
  };

interface RowProps<R> extends SessionProps {
  readonly row: R;
  readonly style: string;
}

function Row({ row: { action, position }, style, session }: RowProps<ActionRow>) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the page choose and take
    <div
      id={`action-${position}`}
      class={`row flow ${action.kind}`}
      style={style}
      role="option"
      aria-selected={position === offerOf(session).cursor.value}
      tabIndex={-1}
      onClick={() => take(session, position)}
      onPointerEnter={assign(pointed, action.target)}
      title={action.text}
    >
      <span class="number numbers">{position + 1}</span>
      <span class="ellipsis">{action.inside?.fate ?? action.text}</span>
    </div>
  );
}

function Title({ row: { title, count, isOpen }, style, session }: RowProps<TitleRow>) {
  const text = (
    <>
      {title} <span class="numbers">{count}</span>
    </>
  );
  return (
    <div class="group flow" style={style} role="presentation">
      {isOpen === undefined ? (
        text
      ) : (
        <button
          type="button"
          class="bare ellipsis"
          aria-expanded={isOpen}
          title={title}
          onClick={() => fold(offerOf(session), title)}
        >
          {isOpen ? '▾' : '▸'} {text}
        </button>
      )}
    </div>
  );
}

function nothing(session: Session, isOfNode: boolean): string {
  const { step, world } = session.now.value;
  if (step?.fault) return say('The run ends here. {what}.', { what: step.fault.what });
  if (isOfNode && offerOf(session).all.value.length > 0)
    return say('Nothing can happen at {node} now.', { node: session.node.value });
  const inFlight = Object.keys(world.channels).length > 0;
  return inFlight
    ? say('Nothing can happen any more.')
    : say(
        'Nothing can happen any more: no message is on its way, and the budget has nothing left.',
      );
}

function scrollTo(box: HTMLElement, row: number): void {
  const [top, bottom] = [row * rowHeight, (row + 1) * rowHeight];
  if (top < box.scrollTop) box.scrollTop = top;
  else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
}

/** Stays as it is when the budget changes. */
const isOpen = signal(false);

const most = 4;

const Cannot = ({ session }: SessionProps) => (
  <details
    class="cannot"
    open={isOpen.value}
    onToggle={({ currentTarget }) => {
      isOpen.value = currentTarget.open;
    }}
  >
    <summary class="note">{say('What cannot happen, and why')}</summary>
    {isOpen.value && <Reasons session={session} />}
  </details>
);

function Reasons({ session }: SessionProps) {
  const groups = useComputed(() => {
    const { value: node } = session.node;
    const { crashed, cut } = session.now.value.world;
    // everybody expects that only what crashed restarts, and only what is split heals
    const all = impossible(session.run, session.now.value).filter(
      ({ action }) =>
        (action.type !== 'restart' || crashed.includes(action.node)) &&
        (action.type !== 'heal' || cut.length > 0),
    );
    return groupsOf(isOfNode.value ? all.filter(({ target }) => isAt(target, node)) : all);
  }).value;
  return (
    <ul>
      {groups.map(({ why, texts, more }) => (
        <li key={`${why} ${more?.text}`}>
          <p>{why}</p>
          <p class="note">
            {texts.slice(0, most).join('; ')}
            {texts.length > most && say('; and {more} more', { more: texts.length - most })}
          </p>
          {more && (
            <>
              {more.beyond && <p class="small beyond">{more.beyond}</p>}
              <Button onClick={() => attempt(() => allow(more.budget))}>{more.text}</Button>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

/** By their reasons; those that a larger budget allows come first. */
const groupsOf = (all: readonly Impossible[]) =>
  [...groupBy(all, ({ why, allow: more }) => JSON.stringify([why, more?.budget])).values()]
    .map((group) => ({
      why: group[0].why,
      texts: group.map(({ text }) => text),
      more: group.at(-1)?.allow,
    }))
    .toSorted((one, other) => Number(other.more !== undefined) - Number(one.more !== undefined));
