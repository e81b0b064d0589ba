import { useEffect, useRef } from 'preact/hooks';
import type { Session } from '../../model/session.js';
import { Button } from '../parts/button.js';
import { keysShown } from './act.js';
import { followKeys, keyWords } from './keyboard.js';

/**
 * The keys of a session, and on `?` what they are; it belongs to the page and not to one of its
 * views.
 */
export function Keyboard({ session }: { readonly session: Session }) {
  useEffect(() => followKeys(session), [session]);
  return <Keys />;
}

/** The keys, over the page. */
function Keys() {
  const dialog = useRef<HTMLDialogElement>(null);
  const { value: isShown } = keysShown;
  useEffect(() => {
    if (isShown) dialog.current?.showModal();
  }, [isShown]);
  if (!isShown) return null;
  const close = () => {
    keysShown.value = false;
  };
  return (
    <dialog ref={dialog} class="keys" aria-labelledby="keys-title" onClose={close}>
      <h2 id="keys-title">Keys</h2>
      <dl>
        {keyWords.map(([keys, does]) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <Button onClick={() => dialog.current?.close()}>Close</Button>
    </dialog>
  );
}
