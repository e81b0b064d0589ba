import { ConclaveError } from '@conclave/core/protocol';
import { useState } from 'preact/hooks';
import { say } from '../../texts/say.js';
import { InputField } from '../parts/field.js';
import { Popover } from '../parts/popover.js';
import { Apply } from '../setup/apply.js';
import { Budget, Time } from '../setup/setup.js';
import { setupOf, type Texts, textsOf, words } from '../setup/texts.js';
import { draft } from '../studio.js';
import type { DeskProps } from './desk.js';

/** Network and budget of the trials. */
export function System({ desk }: DeskProps) {
  const said = draft.value ? words(draft.value.setup) : '';
  return (
    <>
      <Popover label={say('System')} title={say('Network and budget')}>
        {(close) => <Form desk={desk} onDone={close} />}
      </Popover>
      <span class="faint ellipsis">{said || desk.trial.loaded.value?.topology}</span>
    </>
  );
}

function Form({ desk, onDone }: DeskProps & { readonly onDone: () => void }) {
  const setup = draft.peek()?.setup ?? { protocol: '', options: {}, budget: {} };
  const [said, setSaid] = useState(() => textsOf(setup));
  const [error, setError] = useState<string | undefined>(undefined);
  const set = (change: Texts) => setSaid({ ...said, ...change });
  const field = (name: string) => ({
    value: said[name] ?? '',
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      set({ [name]: currentTarget.value }),
  });
  const apply = () => {
    try {
      desk.setSystem(setupOf(said, [], setup));
      onDone();
    } catch (problem) {
      if (!(problem instanceof ConclaveError)) throw problem;
      setError(problem.message);
    }
  };
  const { network, topology } = desk.trial.loaded.value ?? {};
  return (
    <form
      class="setup-form stack"
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <InputField
        label={say('Network')}
        hint={network && say('It needs: {name}.', { name: network })}
        placeholder={topology ?? ''}
        {...field('topology')}
      />
      <Time texts={said} field={field} set={set} isAssumed={false} />
      <Budget texts={said} field={field} set={set} />
      <Apply error={error} onClick={apply} />
    </form>
  );
}
