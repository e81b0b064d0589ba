/**
 * The page on which a protocol is written. The editor is large and seldom wanted: the page brings it
 * along, packed, and opens it here. The {@link Desk} has the state; this is its layout and its forms.
 */
import { loadProtocol } from '@conclave/algorithms/load';
import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { groupBy } from '../../base/collections.js';
import { badInput } from '../../base/input.js';
import type { EditorPart } from '../../editor/editor.js';
import { rowText } from '../../playground/source.js';
import { say } from '../../texts/say.js';
import { shareable } from '../address.js';
import { catalogueRows, unpacked } from '../catalogue/data.js';
import { evaluate } from '../own.js';
import { Button, Copy, InputField, PickFile } from '../parts/controls.js';
import { download } from '../parts/dom.js';
import { Popover } from '../parts/floating.js';
import { formerTexts } from '../preferences.js';
import { Apply, Budget, Time, useTexts } from '../setup.js';
import { setupOf, textsOf } from '../setup-texts.js';
import { attempt, draft } from '../studio.js';
import { Desk, type DeskProps } from './desk.js';
import { CodeExercise, Findings } from './findings.js';

/** It stays while a protocol is shown that was written here. */
let desk: Desk | undefined;

/** An editor, and what the explorer says of what is in it. */
export function Playground() {
  const [shown, show] = useState(desk);
  useEffect(() => {
    if (!shown)
      void attempt(async () => {
        desk ??= new Desk(await editorPart());
        show(desk);
      });
  }, []);
  return (
    <main class="playground">
      <h1 class="unseen">{say('Playground')}</h1>
      {shown ? (
        <Workspace desk={shown} />
      ) : (
        <p class="check-hint pad">{say('Opening the editor …')}</p>
      )}
    </main>
  );
}

function Workspace({ desk }: DeskProps) {
  const parent = useRef<HTMLDivElement>(null);
  useEffect(() => (parent.current ? desk.mount(parent.current) : undefined), []);
  useSignalEffect(() => {
    if (draft.value) void attempt(() => draft.value && desk.open(draft.value));
  });
  const name = () => desk.exercise.peek()?.name ?? desk.trial.loaded.peek()?.name ?? 'protocol';
  const save = () => download(`${name()}.ts`, desk.source);
  return (
    <>
      <div class="playground-tools flow wraps">
        <Start desk={desk} />
        <System desk={desk} />
        <Button
          title={say('Save the module, for conclave check FILE and your own editor')}
          onClick={save}
        >
          {say('Save file')}
        </Button>
        <Copy
          icon="link"
          title={say('Copy link: it holds the whole source')}
          text={() => shareable()}
        >
          {say('Copy link')}
        </Copy>
      </div>
      <CodeExercise desk={desk} />
      <div class="playground-source card" ref={parent} />
      <Findings desk={desk} />
    </>
  );
}

/** What to begin with: a new protocol, one of the catalogue, or a file. */
function Start({ desk }: DeskProps) {
  const { value: former } = formerTexts;
  const startFrom = (name: string) =>
    attempt(async () => {
      if (!desk.mayReplace()) return;
      const text = former.find((one) => name === `former ${one.name}`)?.text;
      desk.replace(text ?? (name === '' ? desk.part.template : rowText(await loadProtocol(name))));
    });
  return (
    <>
      {desk.exercise.value ? (
        <Button onClick={() => desk.mayReplace() && desk.replace(desk.beginning())}>
          {say('Start again')}
        </Button>
      ) : (
        <select
          aria-label={say('Start from …')}
          value="none"
          onChange={({ currentTarget }) => {
            void startFrom(currentTarget.value);
            currentTarget.value = 'none';
          }}
        >
          <option value="none" disabled>
            {say('Start from …')}
          </option>
          <option value="">{say('a new protocol, as conclave init writes it')}</option>
          {former.length > 0 && (
            <optgroup label={say('Written here before')}>
              {former.map(({ name }) => (
                <option key={name} value={`former ${name}`}>
                  {name}
                </option>
              ))}
            </optgroup>
          )}
          {[...groupBy(catalogueRows(), ({ group }) => group)].map(([group, rows]) => (
            <optgroup key={group} label={group}>
              {rows.map(({ id, name, title }) => (
                <option key={id} value={name}>
                  {id} {title}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      )}
      <PickFile
        label={say('Open file …')}
        onPick={(text) => desk.mayReplace() && desk.replace(text)}
      />
    </>
  );
}

/** Network and budget of the trials. */
function System({ desk }: DeskProps) {
  return (
    <>
      <Popover label={say('System')} title={say('Network and budget')}>
        {(close) => <Form desk={desk} onDone={close} />}
      </Popover>
      <span class="faint ellipsis">{desk.trial.loaded.value?.system}</span>
    </>
  );
}

function Form({ desk, onDone }: DeskProps & { readonly onDone: () => void }) {
  const setup = draft.peek()?.setup ?? { protocol: '', options: {}, budget: {} };
  const { texts, error, set, field, onSubmit } = useTexts(
    () => textsOf(setup),
    (said) => {
      desk.setSystem(setupOf(said, [], setup));
      onDone();
    },
  );
  const { network, topology } = desk.trial.loaded.value ?? {};
  return (
    <form class="setup-form stack" onSubmit={onSubmit}>
      <InputField
        label={say('Network')}
        hint={network && say('It needs: {name}.', { name: network })}
        placeholder={topology ?? ''}
        {...field('topology')}
      />
      <Time texts={texts} field={field} set={set} isAssumed={false} />
      <Budget texts={texts} field={field} set={set} />
      <Apply error={error} />
    </form>
  );
}

let part: Promise<EditorPart> | undefined;

/**
 * The editor, which the page brings along as its last element and unpacks when it is asked for.
 *
 * @throws {ConclaveError} `bad-input` in a page that has none.
 */
const editorPart = (): Promise<EditorPart> => {
  part ??= load();
  return part;
};

async function load(): Promise<EditorPart> {
  evaluate(await unpacked('editor'));
  if (!globalThis.conclaveEditor)
    throw badInput(
      say('This page has no editor'),
      say('Write it again: conclave studio --out studio.html'),
    );
  return globalThis.conclaveEditor;
}
