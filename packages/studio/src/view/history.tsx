/** The panel of all that was tried, as a tree with its long stretches folded. */
import { type Signal, useComputed, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { counted } from '../base/numbers.js';
import type { Moment, Run } from '../model/session.js';
import type { System } from '../model/system.js';
import { differences, wordsOf } from '../model/words.js';
import { say } from '../texts/say.js';
import { Button } from './parts/controls.js';
import { afterDrawing, moveFocus } from './parts/dom.js';
import { Panel } from './parts/panel.js';
import { lastDrawn, type SessionProps } from './studio.js';

/** In pixels. */
const step = 12;
const height = 24;

/** The tree of what was tried: branches, and which moment is shown. */
export function History({ session }: SessionProps) {
  const { run, now, tip, path } = session;
  const current = useRef<HTMLButtonElement>(null);
  /** What the moments that are shown from now on are compared with. */
  const mark = useSignal<Moment | undefined>(undefined);
  const rows = useComputed(() => {
    void tip.value; // the tree grows when something new is shown
    const forks = path.value.filter(({ branches }) => branches.length > 1);
    const last = lastDrawn(session).value;
    const isNext = ({ moment }: TreeRow) => path.value.indexOf(moment) > last.depth;
    return treeOf(run, new Set([...forks, now.value, tip.value])).filter((row) => !isNext(row));
  }).value;
  const shown = new Set(path.value);
  useLayoutEffect(
    () => afterDrawing(() => current.current?.scrollIntoView({ block: 'nearest' })),
    [now.value, rows],
  );
  const count = run.size - 1;
  return (
    <Panel
      title={say('What was tried')}
      class="tried"
      canEnlarge={false}
      note={count === 0 ? say('nothing yet') : counted(count, 'step')}
      actions={
        count > 0 && (
          <Button
            title={say(
              'Compare: keep this moment, then choose another one to see in what they differ',
            )}
            pressed={mark.value !== undefined}
            onClick={() => {
              mark.value = mark.value ? undefined : now.peek();
            }}
          >
            {say('Compare')}
          </Button>
        )
      }
    >
      <Differences session={session} mark={mark} />
      <ol
        aria-label={say('Moments')}
        onKeyDown={(event) => moveFocus(event, 'button', ['ArrowUp', 'ArrowDown'])}
      >
        {rows.map((row) => (
          <Row key={row.moment.id} {...{ session, row, current }} isShown={shown.has(row.moment)} />
        ))}
      </ol>
    </Panel>
  );
}

interface RowProps extends SessionProps {
  readonly row: TreeRow;
  readonly isShown: boolean;
  /** The button of the moment that is shown. */
  readonly current: RefObject<HTMLButtonElement | null>;
}

function Row({ session, row, isShown, current }: RowProps) {
  const { moment, words, level, folded, kind } = row;
  const isNow = moment === session.now.value;
  return (
    <li class={`${isShown ? 'shown' : ''} ${kind}`} style={{ paddingLeft: `${level * step}px` }}>
      <button
        ref={isNow ? current : null}
        type="button"
        class="bare note flow"
        tabIndex={isNow ? 0 : -1}
        aria-current={isNow ? 'step' : undefined}
        title={say('Step {depth}', { depth: moment.depth })}
        onClick={() => session.goTo(moment)}
      >
        <Mark row={row} isNow={isNow} />
        <span class="ellipsis">{words}</span>
        {folded > 0 && <small class="end">{say('{folded} more', { folded })}</small>}
      </button>
    </li>
  );
}

/** In what the world that is shown, here, differs from that of a moment that was kept, there. */
function Differences({
  session: { system, now },
  mark,
}: SessionProps & { readonly mark: Signal<Moment | undefined> }) {
  const { value: there } = mark;
  if (!there) return null;
  const lines = differences(system, [now.value.world, there.world]);
  const nothing =
    there === now.value ? say('Now choose another moment.') : say('The worlds are equal.');
  return (
    <section class="differences small" aria-label={say('Differences')}>
      {lines.length === 0 && <p>{nothing}</p>}
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
}

function Mark({ row, isNow }: { readonly row: TreeRow; readonly isNow: boolean }) {
  const { moment, kind } = row;
  const from = moment.step ? 0 : height / 2;
  const to = moment.branches.length > 0 ? height : height / 2;
  return (
    <svg width="14" height={height} viewBox={`0 0 14 ${height}`} aria-hidden="true">
      <path d={`M7 ${from}V${to}`} />
      {kind === 'fault' ? (
        <path class="cross" d="M3.5 8.5l7 7m0-7l-7 7" />
      ) : (
        <circle cx="7" cy={height / 2} r={isNow ? 4.5 : 3} />
      )}
    </svg>
  );
}

interface TreeRow {
  readonly moment: Moment;
  readonly words: string;
  /** How far it is indented: how many branches it is away from what was tried first. */
  readonly level: number;
  /** How many moments before it, on the same straight stretch, have no row of their own. */
  readonly folded: number;
  readonly kind: 'usual' | 'fault' | 'end';
}

/** A straight stretch that is longer than this is folded, but for so many moments at both ends. */
const longest = 7;
const ends = 2;

/**
 * The moments in the order of a tree: the first branch of a moment goes straight on, the others
 * follow it, indented. Long stretches without a branch are folded, except for the moments in
 * `open`.
 */
export function treeOf(run: Run, open: ReadonlySet<Moment>): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  const waiting: { readonly first: Moment; readonly level: number }[] = [
    { first: run.start, level: 0 },
  ];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { first, level } = next;
    const stretch = stretchFrom(first);
    rows.push(...rowsOf(run, stretch, level, open));
    const [straight, ...others] = stretch.at(-1)?.branches ?? [];
    for (const other of [...others].reverse()) waiting.push({ first: other, level: level + 1 });
    if (straight) waiting.push({ first: straight, level });
  }
  return rows;
}

/** The moments from `first` up to the next one with several branches, or none. */
function stretchFrom(first: Moment): readonly Moment[] {
  const stretch = [first];
  for (let at: Moment | undefined = first; at?.branches.length === 1; at = at.branches[0])
    if (at.branches[0]) stretch.push(at.branches[0]);
  return stretch;
}

/** The rows of a stretch; the middle of a long one has none, but for the moments in `open`. */
function rowsOf(
  run: Run,
  stretch: readonly Moment[],
  level: number,
  open: ReadonlySet<Moment>,
): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  let folded = 0;
  for (const [index, moment] of stretch.entries()) {
    const isInMiddle = index >= ends && index < stretch.length - ends;
    if (isInMiddle && stretch.length > longest && !open.has(moment)) {
      folded++;
      continue;
    }
    const [words, kind] = [wordsOfMoment(run.system, moment), kindOf(run, moment)];
    rows.push({ moment, words, level, folded, kind });
    folded = 0;
  }
  return rows;
}

const wordsOfMoment = (system: System, { step }: Moment): string =>
  step ? wordsOf(system, step.from.world, step.action) : say('the beginning');

function kindOf(run: Run, moment: Moment): TreeRow['kind'] {
  if (moment.step?.fault) return 'fault';
  return moment.branches.length === 0 && run.actions(moment).length === 0 ? 'end' : 'usual';
}
