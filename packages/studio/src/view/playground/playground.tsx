import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { say } from '../../texts/say.js';
import { shareable } from '../address.js';
import { Button } from '../parts/button.js';
import { Copy } from '../parts/copy.js';
import { download } from '../parts/download.js';
import { attempt, draft } from '../studio.js';
import { CodeExercise } from './code-exercise.js';
import { Desk, type DeskProps } from './desk.js';
import { editorPart } from './editor-script.js';
import { Findings } from './findings.js';
import './playground.css';
import { Start } from './start.js';
import { System } from './system.js';

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
      {shown ? <Written desk={shown} /> : <p class="check-hint">{say('Opening the editor …')}</p>}
    </main>
  );
}

function Written({ desk }: DeskProps) {
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
