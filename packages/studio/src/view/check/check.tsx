import { useSignal } from '@preact/signals';
import type { CheckProgress } from '../../model/check.js';
import type { Session } from '../../model/session.js';
import { ask } from '../../worker/client.js';
import { attempt } from '../studio.js';

export function Check({ session }: { readonly session: Session }) {
  const progress = useSignal<CheckProgress | undefined>(undefined);
  const text = useSignal('');
  const start = () =>
    attempt(async () => {
      const { result } = ask('check', session.system.setup, {}, (at) => {
        progress.value = at;
      });
      const { states, transitions, seconds } = await result;
      text.value = `${states} states, ${transitions} transitions, ${seconds} s`;
    });
  return (
    <section aria-label="Check" class="check">
      <button type="button" onClick={start}>
        Check
      </button>
      <p>{progress.value?.states}</p>
      <p>{text}</p>
    </section>
  );
}
