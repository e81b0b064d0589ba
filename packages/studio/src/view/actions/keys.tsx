import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { say, sayAny, type Text } from '../../texts/say.js';
import { assign } from '../parts/assign.js';
import { Button } from '../parts/button.js';
import type { SessionProps } from '../studio.js';
import { act, keysShown } from './act.js';

/** What each key does, for the overlay. */
const words: readonly (readonly [keys: readonly string[], does: Text])[] = [
  [['←', '→'], 'one step back, one step forward; as Page up and Page down'],
  [['Home', 'End'], 'to the start, to the end of this branch'],
  [['P'], 'play this branch, or a usual simulation; pause'],
  [['↑', '↓'], 'choose among what can happen'],
  [['Enter'], 'take what is chosen'],
  [['1', '…', '9'], 'take it by its number'],
  [['[', ']'], 'previous node, next node'],
  [['Tab'], 'to the next view or button; in the network ↑ and ↓ move among nodes and messages'],
  [['Enter'], 'on a node or a message: its menu'],
  [['?'], 'these keys'],
];

/**
 * The keys of a session, and on `?` what they are; it belongs to the page and not to one of its
 * views.
 */
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
