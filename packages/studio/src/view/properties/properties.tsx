import { useSignal } from '@preact/signals';
import { type Badge, badges, kindTexts } from '../../model/properties.js';
import type { Session } from '../../model/session.js';
import { Icon, type IconName } from '../parts/icon.js';
import { Panel } from '../parts/panel.js';
import './properties.css';

const icons: Readonly<Record<Badge['value'], IconName>> = {
  true: 'check',
  false: 'cross',
  undecided: 'undecided',
};

/**
 * How each property stands in the world that is shown. A click on a false one goes to where it
 * became false.
 */
export function Properties({ session }: { readonly session: Session }) {
  const { value: all } = badges(session);
  const opened = useSignal<ReadonlySet<string>>(new Set());
  return (
    <Panel title="Properties" note={summaryOf(all)} class="properties" canEnlarge={false}>
      <ul>
        {falseFirst(all).map((badge) => (
          <Row
            // A row that moves is made anew: where moveBefore, which preact uses, moves an element
            // whose class has changed, Chromium 156 keeps its style.
            key={`${badge.name} ${badge.value === 'false'}`}
            badge={badge}
            isOpen={opened.value.has(badge.name)}
            onClick={() => {
              const next = new Set(opened.value);
              const isAtOrigin = badge.since === undefined || badge.since === session.now.value;
              if (isAtOrigin && next.has(badge.name)) next.delete(badge.name);
              else next.add(badge.name);
              opened.value = next;
              if (badge.since) goTo(session, badge);
            }}
          />
        ))}
      </ul>
    </Panel>
  );
}

/** Shows where a property became false, and one of the nodes to blame. */
function goTo(session: Session, { since, nodes }: Badge): void {
  if (since) session.goTo(since);
  const [first] = nodes;
  if (first !== undefined && !nodes.includes(session.node.value)) session.node.value = first;
}

interface RowProps {
  readonly badge: Badge;
  readonly isOpen: boolean;
  readonly onClick: () => void;
}

function Row({ badge, isOpen, onClick }: RowProps) {
  const { name, kind, value, reason, error, since } = badge;
  const word = error ? 'error' : value;
  const depth = since && `since step ${since.depth}`;
  return (
    <li class={`${value} ${error ? 'failed' : ''}`}>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onClick}
        title={since ? `Go to where it became false: step ${since.depth}` : reason}
      >
        <Icon name={icons[value]} />
        <span class="name">{name}</span>
        <span class={word === 'true' ? 'unseen' : 'state'}>
          {word}
          {depth && <small>{depth}</small>}
        </span>
      </button>
      {(isOpen || value === 'false' || error) && <p class="reason">{reason}</p>}
      {isOpen && <p class="kind">{kindTexts[kind]}</p>}
    </li>
  );
}

/** What is false comes first; the others keep their places while the run goes on. */
const falseFirst = (all: readonly Badge[]): readonly Badge[] => {
  const isFalse = ({ value }: Badge) => value === 'false';
  return all.some(isFalse)
    ? [...all.filter(isFalse), ...all.filter((badge) => !isFalse(badge))]
    : all;
};

function summaryOf(all: readonly Badge[]): string {
  const count = (value: Badge['value']) => all.filter((badge) => badge.value === value).length;
  const [wrong, open] = [count('false'), count('undecided')];
  const parts = [wrong > 0 ? `${wrong} false` : '', open > 0 ? `${open} undecided` : ''].filter(
    (part) => part !== '',
  );
  return parts.length === 0 ? 'all true' : parts.join(', ');
}
