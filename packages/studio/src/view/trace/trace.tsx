import { linesText, traceText } from '@conclave/core/trace';
import { useComputed } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Session } from '../../model/session.js';
import { afterDrawing } from '../parts/after-drawing.js';
import { Button } from '../parts/button.js';
import { Panel } from '../parts/panel.js';
import './trace.css';
import { copy, download } from './hand-out.js';
import { rowsOf, windowAround } from './rows.js';

/** The run as text, as trace files hold it: a line is a way to its moment. */
export function TraceText({ session }: { readonly session: Session }) {
  const trace = () => traceText(session.run.trace(session.tip.value));
  const name = `${session.system.protocol.name}.trace`;
  const isEmpty = useComputed(() => session.path.value.length < 2).value;
  const actions = (
    <>
      <Button
        kind="quiet"
        title="Copy the trace of this branch"
        disabled={isEmpty}
        onClick={() => void copy(trace())}
      >
        Copy
      </Button>
      <Button
        kind="quiet"
        title={`Save the trace of this branch, for conclave replay: ${name}`}
        disabled={isEmpty}
        onClick={() => download(name, trace())}
      >
        Save
      </Button>
    </>
  );
  return (
    <Panel title="Trace" class="trace" actions={actions}>
      <Lines session={session} />
    </Panel>
  );
}

function Lines({ session }: { readonly session: Session }) {
  const { run, now, tip, loop } = session;
  const current = useRef<HTMLLIElement>(null);
  const all = useComputed(() => {
    const lines = run.lines(tip.value);
    const texts = linesText(lines.map(({ line }) => line)).split('\n');
    return rowsOf(lines, texts, tip.value, loop.value);
  });
  const depth = now.value.depth;
  const { rows, before, after } = windowAround(all.value, depth);
  useLayoutEffect(
    () => afterDrawing(() => current.current?.scrollIntoView({ block: 'nearest' })),
    [depth, all.value],
  );
  if (rows.length === 0)
    return <p class="empty">Nothing has happened yet. Choose what happens first.</p>;
  const last = rows.findLast(({ moment }) => moment.depth <= depth);
  return (
    <ol class="lines" aria-label="Steps of this branch">
      {before > 0 && <li class="more">{`${before} lines before`}</li>}
      {rows.map((row) => {
        const { text, moment, kind } = row;
        const when = moment.depth === depth ? 'present' : moment.depth > depth ? 'later' : '';
        return (
          <li key={row.key} ref={row === last ? current : null} class={`${when} ${kind}`}>
            <button
              type="button"
              aria-current={when === 'present' ? 'step' : undefined}
              onClick={() => session.goTo(moment)}
            >
              {text}
            </button>
          </li>
        );
      })}
      {after > 0 && <li class="more">{`${after} lines after`}</li>}
    </ol>
  );
}
