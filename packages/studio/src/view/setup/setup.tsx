import { isInCatalogue, loadEntry } from '@conclave/algorithms/internal/load';
import { ConclaveError } from '@conclave/core/protocol';
import { useEffect, useState } from 'preact/hooks';
import type { Setup } from '../../link/setup.js';
import { ownProtocol } from '../../model/own.js';
import type { Session } from '../../model/session.js';
import { Button } from '../parts/button.js';
import { type InputEvent, InputField, type InputProps, SelectField } from '../parts/field.js';
import { Popover } from '../parts/popover.js';
import { allow, begin, type SessionProps, view } from '../studio.js';
import './setup.css';
import { counts, flags, type Option, setupOf, type Texts, textsOf, words } from './texts.js';

/** The system in one line; it opens to be changed. */
export const SetupForm = ({ session }: SessionProps) => (
  <div class="setup flow">
    <Popover label="System" title="Protocol options, network and budget">
      {(close) => <Form session={session} onDone={close} />}
    </Popover>
    <span class="faint ellipsis">{words(session.system.setup)}</span>
  </div>
);

function Form({ session, onDone }: SessionProps & { readonly onDone: () => void }) {
  const { setup, protocol } = session.system;
  const [texts, setTexts] = useState(() => textsOf(setup));
  const [error, setError] = useState<string | undefined>(undefined);
  const options = useOptions(protocol.name);
  const set = (change: Texts) => setTexts({ ...texts, ...change });
  const field = (name: string) => ({
    value: texts[name] ?? '',
    onInput: ({ currentTarget }: InputEvent) => set({ [name]: currentTarget.value }),
  });
  const apply = async () => {
    try {
      const next = setupOf(texts, options, setup);
      if (canKeepRun(setup, next)) await allow(next.budget);
      else await begin(next, view.value);
      onDone();
    } catch (problem) {
      if (!(problem instanceof ConclaveError)) throw problem;
      setError(problem.message);
    }
  };
  return (
    <form
      class="setup-form stack"
      onSubmit={(event) => {
        event.preventDefault();
        void apply();
      }}
    >
      <InputField
        label="Network"
        hint={`It needs: ${protocol.topology.name}.`}
        error={error}
        list="setup-networks"
        {...field('topology')}
      />
      <datalist id="setup-networks">
        {suggestions(session).map((spec) => (
          <option key={spec} value={spec} />
        ))}
      </datalist>
      {options.map(({ name, type, meaning }) => (
        <InputField
          key={name}
          label={name}
          hint={`${meaning} (${type})`}
          placeholder="default"
          {...field(`option ${name}`)}
        />
      ))}
      <Budget texts={texts} field={field} set={set} />
      <Button kind="primary" onClick={() => void apply()}>
        Apply
      </Button>
    </form>
  );
}

interface BudgetProps {
  readonly texts: Texts;
  /** The attributes of the field of this name. */
  readonly field: (name: string) => Pick<InputProps, 'value' | 'onInput'>;
  readonly set: (change: Texts) => void;
}

const Budget = ({ texts, field, set }: BudgetProps) => (
  <fieldset>
    <legend>Budget</legend>
    {counts.map((name) => (
      <InputField
        key={name}
        label={name === 'commands' ? 'commands of each node' : name}
        inputMode="numeric"
        placeholder="default"
        {...field(name)}
      />
    ))}
    {Number(texts.crashes) > 0 &&
      Object.entries(flags).map(([name, words]) => (
        <label key={name} class="flow">
          <input
            type="checkbox"
            checked={texts[name] === 'true'}
            onChange={({ currentTarget }) => set({ [name]: currentTarget.checked ? 'true' : '' })}
          />
          {words}
        </label>
      ))}
    <SelectField
      label="order of messages"
      value={texts.order}
      options={[
        ['', 'as the protocol assumes'],
        ['fifo', 'FIFO'],
        ['any', 'any'],
      ]}
      onChoose={(order = '') => set({ order })}
    />
    <InputField label="initiators" hint="Such as a,b" placeholder="all" {...field('initiators')} />
  </fieldset>
);

/** The options of a protocol of the catalogue, once its entry is loaded. */
function useOptions(name: string): readonly Option[] {
  const [options, setOptions] = useState<readonly Option[]>([]);
  useEffect(() => {
    if (!ownProtocol(name) && isInCatalogue(name))
      void loadEntry(name).then((entry) => setOptions(entry.options));
  }, [name]);
  return options;
}

/** Networks that the protocol takes, small first; not every one has a network of each size. */
function suggestions({ system: { protocol } }: Session): readonly string[] {
  const specs = new Set<string>();
  for (const size of [2, 3, 4, 5, 8])
    try {
      specs.add(protocol.topology.example(size).spec);
    } catch {}
  return [...specs];
}

/** Only the budget differs, and no part of it goes back to its default. */
const canKeepRun = (before: Setup, after: Setup): boolean =>
  before.topology === after.topology &&
  JSON.stringify(before.options) === JSON.stringify(after.options) &&
  Object.keys(before.budget).every((name) => name in after.budget);
