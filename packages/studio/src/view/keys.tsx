import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Session } from '../model/session.js';
import { say, sayAny, type Text } from '../texts/say.js';
import { offerOf, pointed, take } from './actions.js';
import { Button } from './parts/controls.js';
import { assign } from './parts/dom.js';
import { playerOf, toggle } from './play.js';
import { blanks, goBack, goOn, leave } from './presentation.js';
import type { SessionProps } from './studio.js';

/** Whether the overlay with the keys is open. */
export const keysShown = signal(false);

/** Does what a key means, and says whether it means something. */
export function act(session: Session, key: string): boolean {
  if (blanks(key)) return true;
  const { listed, cursor, choose } = offerOf(session);
  const move = (by: number) => {
    choose(cursor.value + by);
    pointed.value = listed.value[cursor.value]?.target;
  };
  const { run, path } = session;
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => goBack(session),
    ArrowRight: () => goOn(session),
    PageUp: () => goBack(session), // as the remotes of presenters send
    PageDown: () => goOn(session),
    ArrowUp: () => move(-1),
    ArrowDown: () => move(1),
    Enter: () => take(session, cursor.value),
    Home: () => session.goTo(run.start),
    End: () => session.goTo(path.value.at(-1) ?? run.start),
    p: () => void toggle(playerOf(session)),
    '[': () => nextNode(session, -1),
    ']': () => nextNode(session, 1),
    '?': assign(keysShown, true),
  };
  if (key === 'Escape') return leave();
  if (Object.hasOwn(keys, key)) keys[key]?.();
  else if (/^[1-9]$/.test(key)) take(session, Number(key) - 1);
  else return false;
  return true;
}

function nextNode({ node, system }: Session, by: 1 | -1): void {
  const { nodes } = system.topology;
  node.value = nodes.at((nodes.indexOf(node.value) + by) % nodes.length) ?? node.value;
}

/** What each key does, for the overlay. */
const words: readonly (readonly [keys: readonly string[], does: Text])[] = [
  [['←', '→'], 'one step back, one step forward; as Page up and Page down'],
  [['Home', 'End'], 'to the start, to the end of this branch'],
  [['P'], 'play this branch, or a usual simulation; pause'],
  [['↑', '↓'], 'choose among what can happen'],
  [['Enter'], 'take what is chosen'],
  [['+', '−', '0'], 'in a statechart or a graph: larger, smaller, all of it'],
  [['B', '.'], 'in a presentation: nothing, until the next key'],
  [['1', '…', '9'], 'take it by its number'],
  [['[', ']'], 'previous node, next node'],
  [['Tab'], 'to the next view or button; in the network ↑ and ↓ move among nodes and messages'],
  [['Enter'], 'on a node or a message: its menu'],
  [['?'], 'these keys'],
];

/** The keys of a session, and on `?` what they are. They belong to the whole page. */
export function Keyboard({ session }: SessionProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { value: isShown } = keysShown;
  // at once: a key that follows what was just drawn is meant for it
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { ctrlKey, metaKey, altKey, defaultPrevented } = event;
      if (ctrlKey || metaKey || altKey || defaultPrevented || isElsewhere(event)) return;
      if (act(session, event.key)) event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [session]);
  useEffect(() => {
    if (isShown) dialog.current?.showModal();
  }, [isShown]);
  if (!isShown) return null;
  return (
    <dialog
      ref={dialog}
      class="keys card"
      aria-labelledby="keys-title"
      onClose={assign(keysShown, false)}
    >
      <h2 id="keys-title">{say('Keys')}</h2>
      <dl class="stack">
        {words.map(([keys, does]) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{sayAny(key)}</kbd>
              ))}
            </dt>
            <dd>{say(does)}</dd>
          </div>
        ))}
      </dl>
      <Button onClick={() => dialog.current?.close()}>{say('Close')}</Button>
    </dialog>
  );
}

const others = 'input, textarea, select, [contenteditable], dialog, [role=dialog], [role=menu]';

/** Whether a key belongs to the element that has the focus. */
const isElsewhere = ({ target, key }: KeyboardEvent): boolean =>
  target instanceof Element &&
  (target.closest(others) !== null ||
    (key === 'Enter' && target.closest('button, a, summary, [role=button]') !== null));
