import { linesText, traceText } from '@conclave/core/trace';
import { useComputed } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { say } from '../../texts/say.js';
import { afterDrawing } from '../parts/after-drawing.js';
import { Button } from '../parts/button.js';
import { copy } from '../parts/copy.js';
import { download } from '../parts/download.js';
import { Panel } from '../parts/panel.js';
import { numbersOf, RuleNumbers, Rules, rulesIn } from '../rules/rules.js';
import { problem, type SessionProps } from '../studio.js';
import './trace.css';
import { badInput } from '../../base/bad-input.js';
import { type Row, rowsOf, windowAround } from './rows.js';

/** The run as text, as trace files hold it: a line is a way to its moment. */
export function TraceText({ session }: SessionProps) {
  const trace = () => traceText(session.run.trace(session.tip.value));
  const name = `${session.system.protocol.name}.trace`;
  const isEmpty = useComputed(() => session.path.value.length < 2).value;
  const actions = (
    <>
      <Button
        kind="quiet"
        title={say('Copy the trace of this branch')}
        disabled={isEmpty}
        onClick={async () => {
          if (!(await copy(trace()))) problem.value = noClipboard();
        }}
      >
        {say('Copy')}
      </Button>
      <Button
        kind="quiet"
        title={say('Save the trace of this branch, for conclave replay: {name}', { name })}
        disabled={isEmpty}
        onClick={() => download(name, trace())}
      >
        {say('Save')}
      </Button>
    </>
  );
  return (
    <Panel title={say('Trace')} class="trace" actions={actions}>
      <Lines session={session} />
    </Panel>
  );
}

const noClipboard = () =>
  badInput(
    say('The browser does not let this page write to the clipboard'),
    say('Save the trace as a file.'),
  );

const numbersLength = ({ rules }: Row) => numbersOf(rules).length;

function Lines({ session }: SessionProps) {
  const { run, now, tip, loop } = session;
  const current = useRef<HTMLLIElement>(null);
  const all = useComputed(() => {
    const lines = run.lines(tip.value);
    const texts = linesText(lines.map(({ line }) => line)).split('\n');
    return rowsOf({ lines, texts, tip: tip.value, loop: loop.value, rulesOf: rulesIn(session) });
  }).value;
  const { depth } = now.value;
  const { rows, before, after } = windowAround(all, depth);
  useLayoutEffect(
    () => afterDrawing(() => current.current?.scrollIntoView({ block: 'nearest' })),
    [depth, all],
  );
  if (rows.length === 0)
    return <p class="faint">{say('Nothing has happened yet. Choose what happens first.')}</p>;
  const last = rows.findLast(({ moment }) => moment.depth <= depth);
  return (
    <ol
      class="lines"
      aria-label={say('Steps of this branch')}
      style={`--numbers: ${Math.max(...rows.map(numbersLength))}ch`}
    >
      {before > 0 && <li class="note">{say('{before} lines before', { before })}</li>}
      {rows.map((row) => {
        const { key, text, moment, kind, rules } = row;
        const when = moment.depth === depth ? 'present' : moment.depth > depth ? 'later' : '';
        return (
          <li key={key} ref={row === last ? current : null} class={`${when} ${kind}`}>
            <button
              type="button"
              class="bare small"
              aria-current={when === 'present' ? 'step' : undefined}
              onClick={() => session.goTo(moment)}
            >
              <RuleNumbers rules={rules} /> {text}
            </button>
            {when === 'present' && <Rules rules={rules} />}
          </li>
        );
      })}
      {after > 0 && <li class="note">{say('{after} lines after', { after })}</li>}
    </ol>
  );
}
