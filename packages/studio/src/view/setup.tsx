/** The form of the system: protocol, network, assumptions and budget. */
import { isInCatalogue, loadEntry } from '@conclave/algorithms/internal/load';
import { ConclaveError, type Json } from '@conclave/core/protocol';
import { useEffect, useState } from 'preact/hooks';
import { counts, type Setup } from '../link/link.js';
import { ownProtocol } from '../model/own.js';
import type { Session } from '../model/session.js';
import { systemText } from '../model/system.js';
import { say } from '../texts/say.js';
import { InputField, type InputProps, SelectField, Translated } from './parts/controls.js';
import { Popover } from './parts/floating.js';
import { example, flags, type Option, setupOf, type Texts, textsOf, times } from './setup-texts.js';
import { allow, openSystem, type SessionProps, view } from './studio.js';

/** The system in one line; it opens to be changed. */
export const SetupForm = ({ session }: SessionProps) => (
  <div class="setup flow">
    <Popover label={say('System')} title={say('Protocol options, network and budget')}>
      {(close) => <Form session={session} onDone={close} />}
    </Popover>
    <span class="faint ellipsis" title={systemText(session.system)}>
      {systemText(session.system)}
    </span>
  </div>
);

/** The texts of a form about a system, its fields, and what is wrong with them. */
export function useTexts(made: () => Texts, use: (texts: Texts) => unknown) {
  const [texts, setTexts] = useState(made);
  const [error, setError] = useState<string | undefined>(undefined);
  const set = (change: Texts) => setTexts({ ...texts, ...change });
  const field = (name: string) => ({
    value: texts[name] ?? '',
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      set({ [name]: currentTarget.value }),
  });
  const apply = async () => {
    try {
      await use(texts);
    } catch (problem) {
      if (!(problem instanceof ConclaveError)) throw problem;
      setError(problem.message);
    }
  };
  const onSubmit = (event: Event) => {
    event.preventDefault();
    void apply();
  };
  return { texts, error, set, field, onSubmit };
}

function Form({ session, onDone }: SessionProps & { readonly onDone: () => void }) {
  const { setup, protocol } = session.system;
  const { time: assumed } = protocol.channels;
  const options = useOptions(protocol.name);
  const { texts, error, set, field, onSubmit } = useTexts(
    () => textsOf(setup, assumed),
    async (said) => {
      const next = setupOf(said, options, setup, assumed);
      if (canKeepRun(setup, next)) await allow(next.budget);
      else await openSystem(next, view.value);
      onDone();
    },
  );
  return (
    <form class="setup-form stack" onSubmit={onSubmit}>
      <InputField
        label={say('Network')}
        hint={say('It needs: {name}.', { name: protocol.topology.name })}
        list="setup-networks"
        {...field('topology')}
      />
      <datalist id="setup-networks">
        {suggestions(session).map((spec) => (
          <option key={spec} value={spec} />
        ))}
      </datalist>
      {options.map((option) => (
        <OptionField
          key={option.name}
          option={option}
          usual={setup.options[option.name] === undefined ? protocol.options?.[option.name] : ''}
          field={field(`option ${option.name}`)}
        />
      ))}
      <Time texts={texts} field={field} set={set} isAssumed={assumed !== undefined} />
      <Budget texts={texts} field={field} set={set} />
      <Apply error={error} />
    </form>
  );
}

interface OptionFieldProps {
  readonly option: Option;
  /** Its default; undefined: none. Empty where the setup has another value. */
  readonly usual: Json | undefined;
  readonly field: Pick<InputProps, 'value' | 'onInput'>;
}

/** A switch, or a field that shows the default where it is empty. */
function OptionField({ option: { name, type, meaning }, usual, field }: OptionFieldProps) {
  const hint = (
    <>
      <Translated text={meaning} /> ({type})
    </>
  );
  if (type !== 'boolean') {
    const placeholder =
      usual === undefined ? say('none') : usual === '' ? say('default') : String(usual);
    return <InputField label={name} hint={hint} placeholder={placeholder} {...field} />;
  }
  const isOn = field.value === '' ? usual === true : field.value === 'true';
  return (
    <div class="field stack">
      <label class="flow">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ currentTarget }) =>
            field.onInput?.({ currentTarget: { value: String(currentTarget.checked) } })
          }
        />
        {name}
      </label>
      <Translated class="note" text={meaning} />
    </div>
  );
}

export const Time = ({
  texts,
  field,
  set,
  isAssumed,
}: BudgetProps & { readonly isAssumed: boolean }) => (
  <fieldset class="pair">
    <legend>{say('Time')}</legend>
    <SelectField
      label={say('messages and timers')}
      value={texts.time}
      options={[
        [
          '',
          isAssumed
            ? say('as the protocol assumes: exact')
            : say('as the protocol assumes: at any moment'),
        ],
        ['untimed', say('at any moment: timers may be early or late')],
        ['exact', say('exact, with these times')],
      ]}
      onChoose={(time = '') => set({ time })}
    />
    {texts.time === 'exact' &&
      Object.entries(times).map(([name, label]) => (
        <InputField
          key={name}
          label={say(label)}
          inputMode="decimal"
          {...(name === 'drift' && { hint: say('0 to below 1: 0.01 is one in a hundred') })}
          {...field(name)}
        />
      ))}
  </fieldset>
);

interface BudgetProps {
  readonly texts: Texts;
  readonly field: (name: string) => Pick<InputProps, 'value' | 'onInput'>;
  readonly set: (change: Texts) => void;
}

export const Budget = ({ texts, field, set }: BudgetProps) => (
  <fieldset class="pair">
    <legend>{say('Budget')}</legend>
    {counts.map((name) => (
      <InputField
        key={name}
        label={name === 'commands' ? say('commands of each node') : say(name)}
        inputMode="numeric"
        placeholder={name === 'commands' ? '1' : '0'}
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
          {say(words)}
        </label>
      ))}
    <SelectField
      label={say('order of messages')}
      value={texts.order}
      options={[
        ['', say('as the protocol assumes')],
        ['fifo', say('FIFO')],
        ['any', say('any')],
      ]}
      onChoose={(order = '') => set({ order })}
    />
    <InputField
      label={say('initiators')}
      hint={say('Such as a,b')}
      placeholder={say('all')}
      {...field('initiators')}
    />
    <InputField
      label={say('inputs')}
      hint={say('The commands, as JSON: {example}', { example })}
      placeholder={say('those of the protocol')}
      spellcheck={false}
      {...field('inputs')}
    />
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

const intoView = (element: Element | null): void => element?.scrollIntoView({ block: 'nearest' });

/** The end of a form: where somebody looks who has pressed the button. */
export const Apply = ({ error }: { readonly error: string | undefined }) => (
  <>
    {error !== undefined && (
      <p key={error} class="alarm small" role="alert" ref={intoView}>
        {error}
      </p>
    )}
    <button type="submit" class="button primary">
      {say('Apply')}
    </button>
  </>
);
