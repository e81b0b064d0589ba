/** The panel of what can happen next, in a list, and of what cannot, with reasons. */
import { say } from '../../texts/say.js';
import { Button } from '../parts/button.js';
import { assign, useSize } from '../parts/dom.js';
import { Panel } from '../parts/panel.js';
import { allow, attempt, type SessionProps } from '../studio.js';
import './actions.css';
import { type Signal, signal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { groupBy } from '../../base/collections.js';
import { impossible } from '../../model/impossible.js';
import type { Impossible, Possible } from '../../model/possible.js';
import type { Session } from '../../model/session.js';
import { fold, isAt, offeredBy, pointed, take } from './offered.js';

/** What can happen now, to be chosen. */
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
  const { isOfNode, grouping } = offeredBy(session);
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
  const { groups, opened, cursor, isOfNode } = offeredBy(session);
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
      aria-selected={position === offeredBy(session).cursor.value}
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
          onClick={() => fold(offeredBy(session), title)}
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
  if (isOfNode && offeredBy(session).all.value.length > 0)
    return say('Nothing can happen at {node} now.', { node: session.node.value });
  const inFlight = Object.keys(world.channels).length > 0;
  return inFlight
    ? say('Nothing can happen any more.')
    : say(
        'Nothing can happen any more: no message is on its way, and the budget has nothing left.',
      );
}

/** Scrolls a row into sight. */
function scrollTo(box: HTMLElement, row: number): void {
  const [top, bottom] = [row * rowHeight, (row + 1) * rowHeight];
  if (top < box.scrollTop) box.scrollTop = top;
  else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
}

/** Stays as it is when the budget changes. */
const isOpen = signal(false);

/** How many of a group are named. */
const most = 4;

/** What cannot happen, grouped by why. */
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
  const { isOfNode } = offeredBy(session);
  const groups = useComputed(() => {
    const { value: node } = session.node;
    const all = impossible(session.run, session.now.value).filter(isSurprising);
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

/** Everybody expects that only what crashed restarts, and only what is split heals. */
const isSurprising = ({ action, why }: Impossible): boolean =>
  !(
    (action.type === 'restart' && why === say('{node} has not crashed.', { node: action.node })) ||
    (action.type === 'heal' && why === say('The network is not split.'))
  );

/** By their reasons; those that a larger budget allows come first. */
const groupsOf = (all: readonly Impossible[]) =>
  [...groupBy(all, ({ why, allow: more }) => JSON.stringify([why, more?.budget])).values()]
    .map((group) => ({
      why: group[0].why,
      texts: group.map(({ text }) => text),
      more: group.at(-1)?.allow,
    }))
    .toSorted((one, other) => Number(other.more !== undefined) - Number(one.more !== undefined));
