import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Possible } from '../../model/possible.js';
import type { Session } from '../../model/session.js';
import { fold, offeredBy, pointed } from './offered.js';

/** Of a row, in pixels; the style sheet has it too. */
const rowHeight = 26;

type Row =
  | {
      readonly title: string;
      readonly count: number /** Of a group that folds. */;
      readonly isOpen?: boolean;
    }
  | { readonly action: Possible; readonly position: number };

/** What can happen, in groups. Of a long list only the rows in sight are drawn. */
export function List({ session }: { readonly session: Session }) {
  const offered = offeredBy(session);
  const box = useRef<HTMLDivElement>(null);
  const sight = useSignal({ top: 0, height: 400 });
  const rows = useComputed((): readonly Row[] => {
    let position = 0;
    return offered.groups.value.flatMap(({ title, actions, folds }): readonly Row[] => {
      const isOpen = !folds || offered.opened.value.has(title);
      return [
        { title, count: actions.length, ...(folds && { isOpen }) },
        ...(isOpen ? actions.map((action) => ({ action, position: position++ })) : []),
      ];
    });
  }).value;
  const { value: cursor } = offered.cursor;
  const first = Math.max(0, Math.floor(sight.value.top / rowHeight) - 4);
  const shown = rows.slice(first, first + Math.ceil(sight.value.height / rowHeight) + 8);
  const look = () => {
    if (box.current) sight.value = { top: box.current.scrollTop, height: box.current.clientHeight };
  };
  useEffect(() => {
    if (!box.current) return;
    const observer = new ResizeObserver(look);
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const cursorRow = rows.findIndex((row) => 'position' in row && row.position === cursor);
  useEffect(() => {
    if (box.current && cursorRow >= 0) scrollTo(box.current, cursor === 0 ? 0 : cursorRow);
  }, [cursorRow]);

  const take = (position: number) => {
    const action = offered.listed.value[position];
    pointed.value = undefined;
    if (action) session.take(action.number);
  };
  return (
    <div
      ref={box}
      class="list"
      role="listbox"
      aria-label="What can happen"
      aria-activedescendant={cursorRow < 0 ? undefined : `action-${cursor}`}
      tabIndex={0}
      onScroll={look}
      onPointerLeave={() => {
        pointed.value = undefined;
      }}
    >
      {rows.length === 0 && <p class="nothing">{nothing(session, offered.isOfNode.value)}</p>}
      <div class="rows" style={`height: ${rows.length * rowHeight}px`}>
        {shown.map((row, index) => {
          const style = `top: ${(first + index) * rowHeight}px`;
          if ('title' in row)
            return (
              <Title
                key={row.title}
                {...row}
                style={style}
                onFold={() => fold(offered, row.title)}
              />
            );
          const { action, position } = row;
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the page choose and take
            <div
              key={action.number + 1}
              id={`action-${position}`}
              class={`row ${action.kind}`}
              style={style}
              role="option"
              aria-selected={position === cursor}
              tabIndex={-1}
              onClick={() => take(position)}
              onPointerEnter={() => {
                pointed.value = action.target;
              }}
              title={action.text}
            >
              <span class="number">{position + 1}</span>
              <span class="text">{action.inside?.fate ?? action.text}</span>
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface TitleProps {
  readonly title: string;
  readonly count: number;
  readonly isOpen?: boolean;
  readonly style: string;
  readonly onFold: () => void;
}

function Title({ title, count, isOpen, style, onFold }: TitleProps) {
  const text = (
    <>
      {title} <span>{count}</span>
    </>
  );
  return (
    <div class="group" style={style} role="presentation">
      {isOpen === undefined ? (
        text
      ) : (
        <button type="button" aria-expanded={isOpen} title={title} onClick={onFold}>
          {isOpen ? '▾' : '▸'} {text}
        </button>
      )}
    </div>
  );
}

function nothing(session: Session, isOfNode: boolean): string {
  const { step, world } = session.now.value;
  if (step?.fault) return `The run ends here. ${step.fault.what}.`;
  if (isOfNode && offeredBy(session).all.value.length > 0)
    return `Nothing can happen at ${session.node.value} now.`;
  const inFlight = Object.keys(world.channels).length > 0;
  return inFlight
    ? 'Nothing can happen any more.'
    : 'Nothing can happen any more: no message is on its way, and the budget has nothing left.';
}

/** Scrolls a row into sight. */
function scrollTo(box: HTMLElement, row: number): void {
  const [top, bottom] = [row * rowHeight, (row + 1) * rowHeight];
  if (top < box.scrollTop) box.scrollTop = top;
  else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
}
