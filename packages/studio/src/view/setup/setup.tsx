import { isInCatalogue, loadEntry } from '@conclave/algorithms/load';
import { ConclaveError, type Json } from '@conclave/core/protocol';
import { useEffect, useState } from 'preact/hooks';
import type { Setup } from '../../link/setup.js';
import { ownProtocol } from '../../model/own.js';
import type { Session } from '../../model/session.js';
import { Button } from '../parts/button.js';
import { Field } from '../parts/field.js';
import { Popover } from '../parts/popover.js';
import { allow, begin, view } from '../studio.js';
import './setup.css';
import { counts, flags, type Option, setupOf, textsOf, words } from './texts.js';

/** The system in one line; it opens to be changed. */
export function SetupForm({ session }: { readonly session: Session }) {
  return (
    <div class="setup">
      <Popover kind="plain" label="System" title="Protocol options, network and budget">
        {(close: () => void) => <Form session={session} onDone={close} />}
      </Popover>
      <span class="setup-words">{words(session.system.setup)}</span>
    </div>
  );
}

function Form({ session, onDone }: { readonly session: Session; readonly onDone: () => void }) {
  const { setup, protocol } = session.system;
  const [texts, setTexts] = useState(() => textsOf(setup));
  const [error, setError] = useState<string | undefined>(undefined);
  const options = useOptions(protocol.name);
  const set = (name: string) => (event: { readonly currentTarget: { readonly value: string } }) =>
    setTexts({ ...texts, [name]: event.currentTarget.value });
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
      class="setup-form"
      onSubmit={(event) => {
        event.preventDefault();
        void apply();
      }}
    >
      <Field label="Network" hint={`It needs: ${protocol.topology.name}.`} error={error}>
        {(control) => (
          <input
            {...control}
            list="setup-networks"
            value={texts.topology}
            onInput={set('topology')}
          />
        )}
      </Field>
      <datalist id="setup-networks">
        {suggestions(session).map((spec) => (
          <option key={spec} value={spec} />
        ))}
      </datalist>
      {options.map(({ name, type, meaning }) => (
        <Field key={name} label={name} hint={`${meaning} (${type})`}>
          {(control) => (
            <input
              {...control}
              value={texts[`option ${name}`] ?? ''}
              placeholder="default"
              onInput={set(`option ${name}`)}
            />
          )}
        </Field>
      ))}
      <fieldset>
        <legend>Budget</legend>
        {counts.map((name) => (
          <Field key={name} label={name === 'commands' ? 'commands of each node' : name}>
            {(control) => (
              <input
                {...control}
                inputMode="numeric"
                value={texts[name]}
                placeholder="default"
                onInput={set(name)}
              />
            )}
          </Field>
        ))}
        {Number(texts.crashes) > 0 &&
          Object.entries(flags).map(([name, words]) => (
            <label key={name} class="setup-flag">
              <input
                type="checkbox"
                checked={texts[name] === 'true'}
                onChange={({ currentTarget }) =>
                  setTexts({ ...texts, [name]: currentTarget.checked ? 'true' : '' })
                }
              />
              {words}
            </label>
          ))}
        <Field label="order of messages">
          {(control) => (
            <select {...control} value={texts.order} onChange={set('order')}>
              <option value="">as the protocol assumes</option>
              <option value="fifo">FIFO</option>
              <option value="any">any</option>
            </select>
          )}
        </Field>
        <Field label="initiators" hint="Such as a,b">
          {(control) => (
            <input
              {...control}
              value={texts.initiators}
              placeholder="all"
              onInput={set('initiators')}
            />
          )}
        </Field>
      </fieldset>
      <Button kind="primary" onClick={() => void apply()}>
        Apply
      </Button>
    </form>
  );
}

/** The options of a protocol of the catalogue, once its entry is loaded. */
function useOptions(name: string): readonly Option[] {
  const [options, setOptions] = useState<readonly Option[]>([]);
  useEffect(() => {
    if (!ownProtocol(name) && isInCatalogue(name))
      void loadEntry(name).then((entry) => setOptions(entry.options));
  }, [name]);
  return options;
}

/** Networks that the protocol takes, small first. */
const suggestions = ({ system: { protocol } }: Session): readonly string[] => [
  ...new Set([2, 3, 4, 5, 8].flatMap((n) => attempted(() => protocol.topology.example(n).spec))),
];

/** Not every protocol has a network of each size. */
function attempted<T>(make: () => T): readonly T[] {
  try {
    return [make()];
  } catch {
    return [];
  }
}

/** Only the budget differs, and no part of it goes back to its default. */
const canKeepRun = (before: Setup, after: Setup): boolean =>
  before.topology === after.topology &&
  same(before.options, after.options) &&
  Object.keys(before.budget).every((name) => name in after.budget);

const same = (
  one: Readonly<Record<string, Json>>,
  other: Readonly<Record<string, Json>>,
): boolean => JSON.stringify(one) === JSON.stringify(other);
