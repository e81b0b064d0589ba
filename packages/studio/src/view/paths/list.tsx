import type { Paths } from '@conclave/core/exploration';
import { batch } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { incompleteText, type ListedPath, listed } from '../../model/paths.js';
import type { Session } from '../../model/session.js';
import { Button } from '../parts/button.js';
import { Icon } from '../parts/icon.js';
import { attempt, view } from '../studio.js';
import type { Choice } from './choice.js';
import { Transitions } from './transitions.js';

export interface ListProps {
  readonly session: Session;
  readonly found: Paths;
  readonly choice: Choice;
}

const onePage = 50;

const grouped = (value: number): string => value.toLocaleString('en-US');

/** The transitions to choose from, and the paths that take the chosen one. */
export function List({ session, found, choice }: ListProps) {
  const [transition, order] = [choice.transition.value, choice.order.value];
  const rows = useMemo(() => listed(found, transition, order), [found, transition, order]);
  const pages = Math.max(1, Math.ceil(rows.length / onePage));
  const page = Math.min(choice.page.value, pages - 1);
  const shown = rows.slice(page * onePage, (page + 1) * onePage);
  const played = session.path.value.slice(1).map(({ step }) => step?.number);
  const incomplete = incompleteText(found);
  return (
    <div class="paths-columns">
      <Transitions found={found} choice={choice} />
      <section class="paths-list" aria-label="Paths">
        {incomplete !== undefined && <Notice text={incomplete} />}
        {found.fault !== undefined && (
          <Notice text={`An action fails, and no path leads beyond it: ${found.fault}`} />
        )}
        <header>
          <p role="status">{countText(found, rows, transition)}</p>
          <Button
            kind="quiet"
            onClick={() => {
              batch(() => {
                choice.order.value = order === 'longest' ? 'shortest' : 'longest';
                choice.page.value = 0;
              });
            }}
          >
            {order === 'longest' ? 'Longest first' : 'Shortest first'}
          </Button>
          {pages > 1 && <Pager page={page} pages={pages} choice={choice} />}
        </header>
        <ol start={page * onePage + 1}>
          {shown.map((row, index) => (
            <Row
              key={`${page} ${index}`}
              row={row}
              number={page * onePage + index + 1}
              found={found}
              isPlayed={sameSteps(row.path.steps, played)}
              onPlay={() =>
                attempt(() =>
                  batch(() => {
                    session.show(row.path.steps, { at: 0 });
                    view.value = 'world';
                  }),
                )
              }
            />
          ))}
        </ol>
      </section>
    </div>
  );
}

const sameSteps = (steps: readonly number[], others: readonly (number | undefined)[]): boolean =>
  steps.length > 0 &&
  steps.length === others.length &&
  steps.every((step, index) => step === others[index]);

function countText(
  { paths, worlds }: Paths,
  rows: readonly ListedPath[],
  transition: number | undefined,
): string {
  const steps = rows.reduce((sum, { path }) => sum + path.steps.length, 0);
  const count =
    transition === undefined
      ? `${grouped(rows.length)} paths`
      : `${grouped(rows.length)} of ${grouped(paths.length)} paths`;
  return `${count}, ${grouped(steps)} steps; ${grouped(worlds)} worlds`;
}

function Pager({
  page,
  pages,
  choice,
}: {
  readonly page: number;
  readonly pages: number;
  readonly choice: Choice;
}) {
  const go = (to: number) => {
    choice.page.value = to;
  };
  return (
    <nav aria-label="Pages of the list">
      <Button kind="quiet" title="Page before" disabled={page === 0} onClick={() => go(page - 1)}>
        <Icon name="back" />
      </Button>
      <span>
        {grouped(page + 1)} of {grouped(pages)}
      </span>
      <Button
        kind="quiet"
        title="Next page"
        disabled={page === pages - 1}
        onClick={() => go(page + 1)}
      >
        <Icon name="forward" />
      </Button>
    </nav>
  );
}

function Notice({ text }: { readonly text: string }) {
  return (
    <p class="paths-notice">
      <Icon name="undecided" />
      {text}
    </p>
  );
}

/** One action stays on one line. */
const unbroken = (text: string): string => text.replaceAll(' ', '\u00a0');

interface RowProps {
  readonly row: ListedPath;
  readonly number: number;
  readonly found: Paths;
  readonly isPlayed: boolean;
  readonly onPlay: () => void;
}

function Row({ row: { path, takesFirst }, number, found, isPlayed, onPlay }: RowProps) {
  const { actions, transitions } = found;
  const words = path.actions.map((position) => unbroken(actions[position] ?? '')).join(', ');
  const first = takesFirst.map((position) => transitions[position]?.text ?? '');
  return (
    <li>
      <button
        type="button"
        onClick={onPlay}
        title="Play this path"
        aria-current={isPlayed || undefined}
      >
        <span class="paths-number">{grouped(number)}</span>
        <span class="paths-steps">
          {grouped(path.steps.length)} {path.steps.length === 1 ? 'step' : 'steps'}
        </span>
        <span class="paths-words">{words === '' ? 'nothing happens' : words}</span>
        {first.length > 0 && (
          <span class="paths-first" title={first.join('\n')}>
            first to take {first.length <= 2 ? first.join(', and ') : `${first.length} transitions`}
          </span>
        )}
      </button>
    </li>
  );
}
