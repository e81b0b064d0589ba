/** The panel of properties at the moment that is shown, and what is said when one changes. */
import { effect, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { counted } from '../base/numbers.js';
import { type Badge, badges, kindText } from '../model/properties.js';
import type { Session } from '../model/session.js';
import { wordsOf } from '../model/words.js';
import { say, sayAny } from '../texts/say.js';
import { Icon, Translated, toneIcons } from './parts/controls.js';
import { Panel } from './parts/panel.js';
import type { SessionProps } from './studio.js';

/** How each property stands now. A click on a false one goes to where it became false. */
export function Properties({ session }: SessionProps) {
  const { value: all } = badges(session);
  const opened = useSignal<ReadonlySet<string>>(new Set());
  const onClick = (badge: Badge) => () => {
    const next = new Set(opened.value);
    const isAtOrigin = badge.since === undefined || badge.since === session.now.value;
    if (!isAtOrigin || !next.delete(badge.name)) next.add(badge.name);
    opened.value = next;
    if (badge.since) goTo(session, badge);
  };
  // what is false comes first; the others keep their places while the run goes on
  const [wrong, others] = [all.filter(isFalse), all.filter((badge) => !isFalse(badge))];
  const steps = others.filter(isOfStep);
  const isIdle = session.now.value.step === undefined;
  const rows = (badges: readonly Badge[]) => (
    <ul>
      {badges.map((badge) => (
        <Row
          // A row that moves is made anew: where moveBefore, which preact uses, moves an element
          // whose class has changed, Chromium 156 keeps its style.
          key={`${badge.name} ${isFalse(badge)}`}
          badge={badge}
          isIdle={isIdle}
          isOpen={opened.value.has(badge.name)}
          onClick={onClick(badge)}
        />
      ))}
    </ul>
  );
  return (
    <Panel
      title={say('Properties')}
      note={isIdle ? say('nothing has happened yet') : summaryOf(all)}
      class="properties"
      canEnlarge={false}
    >
      {rows([...wrong, ...others.filter((badge) => !isOfStep(badge))])}
      {steps.length > 0 && (
        <details>
          <summary class="small">
            {isIdle
              ? say('{rules} of single steps', { rules: counted(steps.length, 'rule') })
              : say('{summary}: {rules} of single steps', {
                  summary: summaryOf(steps),
                  rules: counted(steps.length, 'rule'),
                })}
          </summary>
          {rows(steps)}
        </details>
      )}
    </Panel>
  );
}

/** What each single step must do: many, and most are true wherever the machine is the right one. */
const isOfStep = ({ kind }: Badge): boolean => kind === 'everyStep';

const isFalse = ({ value }: Badge): boolean => value === 'false';

/** Shows where a property became false, and one of the nodes to blame. */
function goTo(session: Session, { since, nodes }: Badge): void {
  if (since) session.goTo(since);
  const [first] = nodes;
  if (first !== undefined && !nodes.includes(session.node.value)) session.node.value = first;
}

interface RowProps {
  readonly badge: Badge;
  /** Whether nothing has happened, so that nothing could be violated. */
  readonly isIdle: boolean;
  readonly isOpen: boolean;
  readonly onClick: () => void;
}

function Row({ badge, isIdle, isOpen, onClick }: RowProps) {
  const { name, kind, value, reason, error, since } = badge;
  const word = error ? 'error' : value;
  return (
    <li class={`${value} ${word} ${isIdle ? 'idle' : ''}`}>
      <button
        type="button"
        class="bare small"
        aria-expanded={isOpen}
        onClick={onClick}
        title={
          since ? say('Go to where it became false: step {depth}', { depth: since.depth }) : reason
        }
      >
        <Icon name={toneIcons[value]} />
        <Translated class="name" text={name} />
        <span class={word === 'true' ? 'unseen' : 'state'}>
          {say(word)}
          {since && <small>{say('since step {depth}', { depth: since.depth })}</small>}
        </span>
      </button>
      {(isOpen || value === 'false' || error) && <p class="reason note">{reason}</p>}
      {isOpen && <p class="note">{kindText({ kind })}</p>}
    </li>
  );
}

function summaryOf(all: readonly Badge[]): string {
  const parts = (['false', 'undecided'] as const).flatMap((value) => {
    const count = all.filter((badge) => badge.value === value).length;
    return count > 0 ? [`${count} ${say(value)}`] : [];
  });
  return parts.join(', ') || say('all true');
}

/** The name of the list where it is one of several tabs: with a mark while a property is false. */
export function PropertiesLabel({ session }: SessionProps) {
  const wrong = badges(session).value.filter(({ value }) => value === 'false').length;
  if (wrong === 0) return <>{say('Properties')}</>;
  return (
    <span class="properties-label alarm" title={say('{wrong} false', { wrong })}>
      {say('Properties')}
      <Icon name="cross" />
      {wrong}
      <span class="unseen">{say('false')}</span>
    </span>
  );
}

/** A step in words: `b acquires; b: released.away to wanted; request to a; step 3 of 8`. */
function stepText({ system, now, path }: Session): string {
  const { step, depth } = now.value;
  if (!step) return '';
  const moves = step.lines.flatMap(({ node, before = '', after = '', effects }) => [
    before !== after && say('{node}: {before} to {after}', { node, before, after }),
    ...effects.map((one) => one.kind === 'send' && say('{call} to {to}', one)),
  ]);
  const last = path.value.length - 1;
  return [
    wordsOf(system, step.from.world, step.action),
    ...moves,
    say('step {at} of {last}', { at: depth, last }),
  ]
    .filter(Boolean)
    .join('; ');
}

/** Reads aloud each step, and which properties have become false, or are so no longer. */
export function News({ session }: SessionProps) {
  const text = useSignal('');
  const before = useRef<ReadonlyMap<string, Badge['value']>>(new Map());
  const tell = () => {
    const now = new Map(badges(session).value.map(({ name, value }) => [name, value]));
    const news = [...now].flatMap(([name, value]) => {
      const was = before.current.get(name) ?? value;
      return was !== value && (value === 'false' || was === 'false')
        ? [`${say(value)}: ${sayAny(name)}`]
        : [];
    });
    before.current = now;
    text.value = [stepText(session), ...news].filter(Boolean).join('; ');
  };
  useEffect(() => effect(tell), [session]);
  return (
    <p class="unseen" aria-live="polite">
      {text}
    </p>
  );
}
