import { isInCatalogue } from '@conclave/algorithms/internal/load';
import { useSignal } from '@preact/signals';
import { ownProtocols } from '../../model/own.js';
import { say } from '../../texts/say.js';
import { Button, PickFile } from '../parts/button.js';
import { Field } from '../parts/field.js';
import { attempt, begin } from '../studio.js';
import { dragged, receive } from './receive.js';
import './own.css';

/** Protocols, runs and links that the user brings. */
export const Own = () => (
  <section class="own stack" aria-labelledby="own-title">
    <h2 id="own-title">{say('Your own')}</h2>
    <Protocols />
    <div class="own-columns">
      <Kinds />
      <Entry />
    </div>
  </section>
);

function Protocols() {
  const protocols = ownProtocols();
  if (protocols.length === 0) return null;
  return (
    <ul class="card">
      {protocols.map(({ protocol: { name, title, problem } }) => (
        <li key={name} class="flow">
          <div>
            <a href={`#${encodeURIComponent(name)}?view=specification`}>{title}</a>
            <span class="note">
              {problem}
              {isInCatalogue(name) && say('; it hides {name} of the catalogue', { name })}
            </span>
          </div>
          <Button
            title={say('Run {title}', { title })}
            onClick={() => void attempt(() => begin({ protocol: name, options: {}, budget: {} }))}
          >
            {say('Run')}
          </Button>
        </li>
      ))}
    </ul>
  );
}

const kinds = [
  {
    name: 'A protocol',
    how: 'conclave studio ./module.ts --bundle module.js',
    note: 'Your module as one script. It runs in this page, so drop only what you trust.',
  },
  {
    name: 'A run',
    how: 'conclave simulate raymond --trace run.trace',
    note: 'A trace: of a simulation, or a counterexample of conclave check.',
  },
  {
    name: 'A link',
    how: 'studio.html#raymond?topology=chain:3&steps=0.1',
    note: 'From the address of a page, or printed by conclave check.',
  },
] as const;

const Kinds = () => (
  <dl class="stack">
    {kinds.map(({ name, how, note }) => (
      <div key={name}>
        <dt>{say(name)}</dt>
        <dd>
          <code>{how}</code>
          <span class="note">{say(note)}</span>
        </dd>
      </div>
    ))}
  </dl>
);

function Entry() {
  const text = useSignal('');
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(() => receive(text.value, say('The text')));
      }}
    >
      <Field label={say('Paste one of them here, or drop its file anywhere on the page')}>
        {(control) => (
          <textarea
            {...control}
            rows={5}
            spellcheck={false}
            value={text.value}
            onInput={({ currentTarget }) => {
              text.value = currentTarget.value;
            }}
          />
        )}
      </Field>
      <div class="flow wraps">
        <button type="submit" class="button primary" disabled={text.value.trim() === ''}>
          {say('Open')}
        </button>
        <PickFile label={say('Choose a file …')} onPick={receive} />
      </div>
    </form>
  );
}

/** Shown over the page while a file is dragged over it. */
export const Dropping = () =>
  dragged.value && (
    <div class="dropping">
      <p>{say('Drop a bundled module, a trace or a link')}</p>
    </div>
  );
