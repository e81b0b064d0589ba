/** The page of the paths that model tests take, and of the transitions on them. */
import type { Paths as FoundPaths } from '@conclave/check';
import { batch, type Signal, signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { groupBy, memo } from '../base/collections.js';
import { counted, numeral } from '../base/numbers.js';
import { drawnChart } from '../chart/svg.js';
import { looksOf } from '../model/looks.js';
import {
  incompleteText,
  type ListedPath,
  listPaths,
  type PathsProgress,
  testText,
  type Use,
  usesOf,
} from '../model/paths.js';
import { langOf, say, sayLabels } from '../texts/say.js';
import type { Job } from '../worker/job.js';
import { ChartFrame, fitTexts, setTitle } from './chart.js';
import { JobHead, jobsOf } from './jobs.js';
import { Button, Icon, Turn } from './parts/controls.js';
import { SaveChoice } from './parts/floating.js';
import { Panel, Tabs } from './parts/panel.js';
import { useViewport, ZoomButtons } from './parts/viewport.js';
import { attempt, type SessionProps, view } from './studio.js';

const kinds = [
  { id: 'shortest', label: 'Shortest paths' },
  { id: 'simple', label: 'Simple paths' },
] as const;

const meanings = {
  shortest: 'To each world one of the shortest paths.',
  simple: 'To each world every path that visits no world twice.',
} as const;

/** The paths that model tests generate, and the transitions of the statechart that they take. */
export function Paths({ session }: SessionProps) {
  const { paths: job } = jobsOf(session.system.setup);
  const choice = choiceOf(job);
  const { value: kind } = choice.kind;
  useEffect(() => {
    if (choice.generated === kind) return;
    choice.generated = kind;
    choice.page.value = 0;
    job.start({ kind });
  }, [job, kind]);
  const { value: outcome } = job.outcome;
  return (
    <div class="paths stack">
      <JobHead
        session={session}
        title={say('Paths of')}
        job={job}
        input={() => ({ kind })}
        start={outcome?.kind === 'answered' ? undefined : say('Generate')}
      >
        <Tabs label={say('Which paths')} tabs={sayLabels(kinds)} chosen={choice.kind} />
      </JobHead>
      <p class="faint">
        {say('The paths that model tests generate.')} {say(meanings[kind])}{' '}
        {say('Those that are the beginning of another one are left out. A click plays a path.')}
      </p>
      {job.running.value && <Progress progress={job.progress.value} />}
      {outcome?.kind === 'stopped' && (
        <p class="pad card faint">{say('Stopped; no path is known.')}</p>
      )}
      {outcome?.kind === 'failed' && <p class="pad card alarm">{outcome.error.message}</p>}
      {outcome?.kind === 'answered' && (
        <Found session={session} found={outcome.result} choice={choice} />
      )}
    </div>
  );
}

function Progress({ progress }: { readonly progress: PathsProgress | undefined }) {
  const { worlds = 0, paths = 0 } = progress ?? {};
  const found =
    paths === 0
      ? say('{worlds} worlds', { worlds: numeral(worlds) })
      : say('{paths} paths', { paths: numeral(paths) });
  return (
    <p
      class="pad card faint numbers"
      role="progressbar"
      aria-label={say('Generating paths')}
      aria-valuetext={found}
    >
      {worlds === 0 ? say('Generating …') : say('Generating: {found} so far', { found })}
    </p>
  );
}

interface FoundProps extends SessionProps {
  readonly found: FoundPaths;
  readonly choice: Choice;
}

/** The transitions to choose from, in their chart and as a list, and the paths that take the chosen one. */
function Found({ session, found, choice }: FoundProps) {
  const props = { session, found, choice, uses: usesOf(found, session.system) };
  return (
    <div class="paths-columns">
      <UsesChart {...props} />
      <Transitions {...props} />
      <List {...props} />
    </div>
  );
}

interface UsesProps extends FoundProps {
  readonly uses: readonly Use[];
}

/** The chart of a role, each transition the stronger, the more paths take it; a click chooses one. */
function UsesChart({ session, found, choice, uses }: UsesProps) {
  const { protocol } = session.system;
  const roles = Object.keys(protocol.roles);
  const { value: chosen } = choice.transition;
  const role = (chosen === undefined ? undefined : uses[chosen]?.role) ?? roles[0] ?? '';
  const machine = protocol.drawn?.[role] ?? protocol.roles[role]?.machine;
  if (!machine) return null;
  return (
    <RoleChart key={role} {...{ found, choice, uses, role }} chart={drawnChart(machine, role)} />
  );
}

interface RoleChartProps extends Omit<UsesProps, 'session'> {
  readonly role: string;
  readonly chart: ReturnType<typeof drawnChart>;
}

function RoleChart({ found, choice, uses, role, chart }: RoleChartProps) {
  const [place, drawing] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)];
  // a small chart looks coarse where it fills its frame
  const pan = useViewport(place, chart.layout, (fit) => ({
    scale: Math.min(1.3, fit),
    at: [0, 0],
  }));
  const { value: chosen } = choice.transition;
  const positionOf = (key: string) => uses.findIndex((use) => use.role === role && use.key === key);
  useLayoutEffect(() => {
    if (drawing.current) fitTexts(drawing.current);
  }, [chart]);
  useLayoutEffect(() => {
    const most = Math.max(1, ...uses.map(({ paths }) => paths));
    for (const part of drawing.current?.querySelectorAll<SVGElement>('[data-keys]') ?? []) {
      const positions = (part.dataset.keys?.split('\n') ?? []).map(positionOf);
      const those = positions.flatMap((position) => uses[position] ?? []);
      const count = Math.max(0, ...those.map(({ paths }) => paths));
      part.style.setProperty('--use', String(count / most));
      part.classList.toggle('untaken', count === 0);
      part.classList.toggle('chosen', chosen !== undefined && positions.includes(chosen));
      setTitle(part, those.map((use) => `${use.text}: ${countOf(found, use)}`).join('\n'));
    }
  }, [chart, uses, chosen, found]);
  return (
    <Panel
      title={say('Statechart')}
      note={`${role}: ${say('the stronger, the more paths take it')}`}
      class="uses"
      canEnlarge={false}
      actions={<ZoomButtons pan={pan} />}
    >
      <ChartFrame
        {...{ chart, pan, place, drawing }}
        label={say('Statechart of {role}', { role })}
        onChoose={(keys) => {
          const positions = keys.map(positionOf);
          const position = positions.find((one) => (uses[one]?.paths ?? 0) > 0);
          if (position !== undefined) choice.toggle(position);
        }}
      />
    </Panel>
  );
}

const onePage = 50;

/** The paths that take the chosen transition, or all. */
function List({ session, found, choice, uses }: UsesProps) {
  const [transition, order] = [choice.transition.value, choice.order.value];
  const rows = useMemo(() => listPaths(found, transition, order), [found, transition, order]);
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
  const [shortest] = transition === undefined ? [] : listPaths(found, transition, 'shortest');
  return (
    <section class="paths-list card" aria-label={say('Paths')}>
      <Notice text={incompleteText(found)} />
      <Notice
        text={
          found.fault &&
          say('An action fails, and no path leads beyond it: {fault}', { fault: found.fault })
        }
      />
      <header class="flow wraps">
        <p class="note numbers" role="status">
          {countText(found, rows, transition)}
        </p>
        {shortest && (
          <Button kind="primary" icon="run" onClick={() => play(shortest.path.steps)}>
            {say('Play the shortest path that takes it')}
          </Button>
        )}
        <Button kind="quiet" onClick={() => choice.turn()}>
          {order === 'longest' ? say('Longest first') : say('Shortest first')}
        </Button>
        <Save session={session} found={found} />
        {pages > 1 && (
          <nav class="flow small numbers" aria-label={say('Pages of the list')}>
            <Turn
              titles={[say('Page before'), say('Next page')]}
              isFirst={page === 0}
              isLast={page === pages - 1}
              onTurn={(by) => {
                choice.page.value = page + by;
              }}
            >
              {say('{page} of {pages}', { page: numeral(page + 1), pages: numeral(pages) })}
            </Turn>
          </nav>
        )}
      </header>
      <ol class="lined" start={first + 1}>
        {rows.slice(first, first + onePage).map((row, index) => (
          <Row
            key={`${page} ${index}`}
            {...{ session, row, found, uses }}
            number={first + index + 1}
            isPlayed={played !== '' && row.path.steps.join() === played}
            onPlay={() => play(row.path.steps)}
          />
        ))}
      </ol>
    </section>
  );
}

const Save = ({ session, found }: Omit<FoundProps, 'choice'>) => (
  <SaveChoice
    title={say('Save these paths')}
    files={[
      {
        label: 'JSON',
        title: say('With their steps and transitions, as conclave paths has them'),
        name: `${found.protocol}.paths.json`,
        text: () => JSON.stringify(found, undefined, 2),
      },
      {
        label: 'vitest',
        title: say('A test file: real nodes take the shortest paths, and must do the same'),
        name: `${found.protocol}.paths.test.ts`,
        text: () => testText(session.system),
      },
    ]}
  />
);

function countText(
  { paths, worlds }: FoundPaths,
  rows: readonly ListedPath[],
  transition: number | undefined,
): string {
  const steps = rows.reduce((sum, { path }) => sum + path.steps.length, 0);
  const given = { steps: numeral(steps), worlds: numeral(worlds), rows: numeral(rows.length) };
  const all = numeral(paths.length);
  return transition === undefined
    ? say('{rows} paths, {steps} steps; {worlds} worlds', given)
    : say('{rows} of {all} paths, {steps} steps; {worlds} worlds', { ...given, all });
}

const Notice = ({ text }: { readonly text: string | undefined }) =>
  text && (
    <p class="paths-notice">
      <Icon name="undecided" />
      {text}
    </p>
  );

interface RowProps extends Omit<UsesProps, 'choice'> {
  readonly row: ListedPath;
  readonly number: number;
  readonly isPlayed: boolean;
  readonly onPlay: () => void;
}

function Row({ session, row: { path, takesFirst }, number, found, uses, ...props }: RowProps) {
  const { isPlayed, onPlay } = props;
  const texts = path.actions.map((position) => found.actions[position] ?? '');
  const words = texts.map((text) => text.replaceAll(' ', '\u00a0')); // one action stays on one line
  const first = takesFirst.map((position) => uses[position]?.text ?? '');
  return (
    <li>
      <button
        type="button"
        class="bare"
        onClick={onPlay}
        title={say('Play this path')}
        aria-current={isPlayed || undefined}
      >
        <span class="note numbers">{numeral(number)}</span>
        <span class="note numbers">
          {counted(path.steps.length, 'step')}
          <Thumbnail session={session} texts={texts} />
        </span>
        <span class="paths-words small" lang={langOf()}>
          {words.join(', ') || say('nothing happens')}
        </span>
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

/** In pixels, of a step and of a node. */
const cell = 4;

/** A path as a picture: a point for each step, at its node, in the colour of its message. */
function Thumbnail({ session, texts }: SessionProps & { readonly texts: readonly string[] }) {
  const { protocol, topology } = session.system;
  const points = texts.map((text, step) => {
    const [, node = '', type = ''] = /^(\S+) ([^\s(]+)/.exec(text) ?? [];
    const colour = type in protocol.messages ? looksOf(protocol).message(type) : 'lane';
    return {
      colour,
      at: `M${(step + 0.5) * cell} ${(topology.nodes.indexOf(node) + 0.5) * cell}h0`,
    };
  });
  const [width, height] = [texts.length * cell, topology.nodes.length * cell];
  return (
    <svg {...{ width, height }} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {[...groupBy(points, ({ colour }) => colour)].map(([colour, those]) => (
        <path
          key={colour}
          d={those.map(({ at }) => at).join('')}
          style={`stroke: var(--${colour})`}
        />
      ))}
    </svg>
  );
}

/** How many paths take each transition. A click chooses the paths of one. */
function Transitions({ found, choice, uses }: UsesProps) {
  const all = uses.map((use, position) => ({ ...use, position }));
  const roles = groupBy(all, ({ role }) => role);
  const taken = all.filter(({ paths }) => paths > 0).length;
  return (
    <section class="paths-transitions card" aria-label={say('Transitions')}>
      <header class="flow">
        <h3>{say('Transitions')}</h3>
        <p class="note numbers">{say('{taken} of {all} are taken', { taken, all: all.length })}</p>
      </header>
      {[...roles].map(([role, transitions]) => (
        <div key={role}>
          {roles.size > 1 && <h4 class="note">{role}</h4>}
          <ul>
            {transitions.map(({ text, paths, isPossible, position }) => (
              <li key={position}>
                <button
                  type="button"
                  class="bare small"
                  aria-pressed={choice.transition.value === position}
                  disabled={paths === 0}
                  onClick={() => choice.toggle(position)}
                  title={paths > 0 ? say('Only the paths that take it') : undefined}
                >
                  <span lang={langOf()}>{text}</span>
                  <small class="numbers end">
                    {paths > 0 ? numeral(paths) : untakenText(found, isPossible)}
                  </small>
                </button>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

const countOf = (found: FoundPaths, { paths, isPossible }: Use): string =>
  paths > 0 ? say('{paths} paths', { paths: numeral(paths) }) : untakenText(found, isPossible);

/** Why no path takes a transition. */
function untakenText({ complete, fault }: FoundPaths, isPossible: boolean): string {
  if (isPossible)
    return complete
      ? say('on no path; some step takes it')
      : say('on none of these; some step takes it');
  return complete && fault === undefined
    ? say('no step in this system takes it')
    : say('no step that was found takes it');
}

/** What a user has chosen among the paths of a system; kept while they play one. */
class Choice {
  readonly kind: Signal<FoundPaths['kind']> = signal('shortest');
  /** The position of a transition: only the paths that take it. */
  readonly transition: Signal<number | undefined> = signal(undefined);
  readonly order: Signal<'longest' | 'shortest'> = signal('longest');
  readonly page: Signal<number> = signal(0);
  /** The kind whose paths were generated last. */
  generated: FoundPaths['kind'] | undefined;

  turn(): void {
    batch(() => {
      this.order.value = this.order.value === 'longest' ? 'shortest' : 'longest';
      this.page.value = 0;
    });
  }

  /** Shows the paths that take a transition, or, where they are shown, all. */
  toggle(transition: number): void {
    batch(() => {
      this.transition.value = this.transition.value === transition ? undefined : transition;
      this.page.value = 0;
    });
  }
}

/** What was chosen among the paths of a job. */
const choiceOf = memo((_: Job<'paths'>) => new Choice());
