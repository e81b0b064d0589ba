/** The panel of the run as text, row by row. */
import { linesText, traceText } from '@conclave/core/trace';
import { useComputed } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Rule } from '../model/rules.js';
import type { Moment, RunLine, Step } from '../model/session.js';
import { langOf, say } from '../texts/say.js';
import { Button, Copy } from './parts/controls.js';
import { afterDrawing, download } from './parts/dom.js';
import { Panel } from './parts/panel.js';
import { numbersOf, RuleNumbers, Rules, rulesIn } from './rules.js';
import { lastDrawn, type SessionProps } from './studio.js';

/** The run as text, as trace files hold it: a line is a way to its moment. */
export function TraceText({ session }: SessionProps) {
  const trace = () => traceText(session.run.trace(session.tip.value));
  const name = `${session.system.protocol.name}.trace`;
  const isEmpty = useComputed(() => session.path.value.length < 2).value;
  const actions = (
    <>
      <Copy
        kind="quiet"
        title={say('Copy the trace of this branch')}
        disabled={isEmpty}
        text={trace}
      >
        {say('Copy')}
      </Copy>
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

const numbersLength = ({ rules }: Row) => numbersOf(rules).length;

function Lines({ session }: SessionProps) {
  const { run, now } = session;
  const current = useRef<HTMLLIElement>(null);
  const all = useComputed(() => {
    const { value: tip } = lastDrawn(session);
    const lines = run.lines(tip);
    const texts = linesText(lines.map(({ line }) => line)).split('\n');
    const loop = tip === session.tip.value ? session.loop.value : undefined;
    return rowsOf({ lines, texts, tip, loop, rulesOf: rulesIn(session) });
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
              <RuleNumbers rules={rules} /> <span lang={langOf()}>{text}</span>
            </button>
            {when === 'present' && <Rules rules={rules} />}
          </li>
        );
      })}
      {after > 0 && <li class="note">{say('{after} lines after', { after })}</li>}
    </ol>
  );
}

interface Row {
  readonly key: string;
  readonly text: string;
  readonly moment: Moment;
  /** A line of the trace, a step that a machine cannot take, or where the run repeats. */
  readonly kind: 'line' | 'fault' | 'loop';
  /** By which its step was taken; at the first line of the step. */
  readonly rules: readonly Rule[];
}

interface Branch {
  readonly lines: readonly RunLine[];
  readonly texts: readonly string[];
  readonly tip: Moment;
  /** The moment to which the last step of an infinite run returns. */
  readonly loop: Moment | undefined;
  readonly rulesOf: (step: Step) => readonly Rule[];
}

/** The lines of a branch, a fault at its end, and a mark where it repeats or ends for ever. */
export function rowsOf({ lines, texts, tip, loop, rulesOf }: Branch): readonly Row[] {
  const rows: Row[] = [];
  const mark = (kind: Row['kind'], text: string, moment: Moment) =>
    rows.push({ key: kind, text, moment, kind, rules: [] });
  let isMarked = loop === undefined || loop === tip;
  for (const [index, { moment }] of lines.entries()) {
    if (!isMarked && loop && moment.depth > loop.depth) {
      isMarked = true;
      mark('loop', say('from here on, repeated forever'), loop);
    }
    const isFirst = lines[index - 1]?.moment !== moment;
    const rules = moment.step && isFirst ? rulesOf(moment.step) : [];
    rows.push({ key: String(index), text: texts[index] ?? '', moment, kind: 'line', rules });
  }
  if (tip.step?.fault) mark('fault', tip.step.fault.message, tip);
  if (loop === tip) mark('loop', say('nothing more happens'), tip);
  return rows;
}

const most = 240;

/** The rows around the moment of this depth, and how many are before and after them. */
export function windowAround(
  rows: readonly Row[],
  depth: number,
): { readonly rows: readonly Row[]; readonly before: number; readonly after: number } {
  if (rows.length <= most) return { rows, before: 0, after: 0 };
  const at = rows.findLastIndex(({ moment }) => moment.depth <= depth);
  const before = Math.min(Math.max(0, at - most / 2), rows.length - most);
  return { rows: rows.slice(before, before + most), before, after: rows.length - most - before };
}
