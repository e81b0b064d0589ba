import type { Paths } from '@conclave/core/internal/exploration';
import { batch } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { counted, grouped } from '../../base/numbers.js';
import { incompleteText, type ListedPath, listed } from '../../model/paths.js';
import { say } from '../../texts/say.js';
import { assign } from '../parts/assign.js';
import { Button } from '../parts/button.js';
import { Icon } from '../parts/icon.js';
import { attempt, type SessionProps, view } from '../studio.js';
import type { Choice } from './choice.js';
import { Transitions, type TransitionsProps } from './transitions.js';

interface ListProps extends SessionProps, TransitionsProps {}

const onePage = 50;

/** The transitions to choose from, and the paths that take the chosen one. */
export function List({ session, found, choice }: ListProps) {
  const [transition, order] = [choice.transition.value, choice.order.value];
  const rows = useMemo(() => listed(found, transition, order), [found, transition, order]);
  const pages = Math.max(1, Math.ceil(rows.length / onePage));
  const page = Math.min(choice.page.value, pages - 1);
  const first = page * onePage;
  const played = session.path.value.flatMap(({ step }) => step?.number ?? []).join();
  const play = (steps: readonly number[]) =>
    attempt(() =>
      batch(() => {
        session.show(steps, { at: 0 });
        view.value = 'world';
      }),
    );
  return (
    <div class="paths-columns">
      <Transitions found={found} choice={choice} />
      <section class="paths-list card" aria-label={say('Paths')}>
        <Notice text={incompleteText(found)} />
        <Notice
          text={
            found.fault &&
            say('An action fails, and no path leads beyond it: {fault}', { fault: found.fault })
          }
        />
        <header class="flow">
          <p class="note numbers" role="status">
            {countText(found, rows, transition)}
          </p>
          <Button kind="quiet" onClick={() => choice.turn()}>
            {order === 'longest' ? say('Longest first') : say('Shortest first')}
          </Button>
          {pages > 1 && <Pager page={page} pages={pages} choice={choice} />}
        </header>
        <ol start={first + 1}>
          {rows.slice(first, first + onePage).map((row, index) => (
            <Row
              key={`${page} ${index}`}
              row={row}
              number={first + index + 1}
              found={found}
              isPlayed={played !== '' && row.path.steps.join() === played}
              onPlay={() => play(row.path.steps)}
            />
          ))}
        </ol>
      </section>
    </div>
  );
}

function countText(
  { paths, worlds }: Paths,
  rows: readonly ListedPath[],
  transition: number | undefined,
): string {
  const steps = rows.reduce((sum, { path }) => sum + path.steps.length, 0);
  const given = { steps: grouped(steps), worlds: grouped(worlds), rows: grouped(rows.length) };
  const all = grouped(paths.length);
  return transition === undefined
    ? say('{rows} paths, {steps} steps; {worlds} worlds', given)
    : say('{rows} of {all} paths, {steps} steps; {worlds} worlds', { ...given, all });
}

interface PagerProps {
  readonly page: number;
  readonly pages: number;
  readonly choice: Choice;
}

const Pager = ({ page, pages, choice }: PagerProps) => (
  <nav class="flow small numbers" aria-label={say('Pages of the list')}>
    <Button
      kind="quiet"
      icon="back"
      title={say('Page before')}
      disabled={page === 0}
      onClick={assign(choice.page, page - 1)}
    />
    <span>{say('{page} of {pages}', { page: grouped(page + 1), pages: grouped(pages) })}</span>
    <Button
      kind="quiet"
      icon="forward"
      title={say('Next page')}
      disabled={page === pages - 1}
      onClick={assign(choice.page, page + 1)}
    />
  </nav>
);

const Notice = ({ text }: { readonly text: string | undefined }) =>
  text && (
    <p class="paths-notice">
      <Icon name="undecided" />
      {text}
    </p>
  );

interface RowProps {
  readonly row: ListedPath;
  readonly number: number;
  readonly found: Paths;
  readonly isPlayed: boolean;
  readonly onPlay: () => void;
}

function Row({ row: { path, takesFirst }, number, found, isPlayed, onPlay }: RowProps) {
  const { actions, transitions } = found;
  // one action stays on one line
  const words = path.actions.map((position) => actions[position]?.replaceAll(' ', '\u00a0'));
  const first = takesFirst.map((position) => transitions[position]?.text ?? '');
  return (
    <li>
      <button
        type="button"
        class="bare"
        onClick={onPlay}
        title={say('Play this path')}
        aria-current={isPlayed || undefined}
      >
        <span class="note numbers">{grouped(number)}</span>
        <span class="note numbers">{counted(path.steps.length, 'step')}</span>
        <span class="paths-words small">{words.join(', ') || say('nothing happens')}</span>
        {first.length > 0 && (
          <span class="paths-first small" title={first.join('\n')}>
            {say('first to take {transitions}', {
              transitions:
                first.length <= 2 ? first.join(say(', and ')) : counted(first.length, 'transition'),
            })}
          </span>
        )}
      </button>
    </li>
  );
}
