import { roleOf } from '@conclave/core/internal/protocol';
import { useComputed, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { idOf } from '../../chart/graph.js';
import { type Drawn, drawnChart } from '../../chart/known-layouts.js';
import { lastStepOf, takenIn } from '../../model/last-step.js';
import { describedRules, descriptions, ruleText } from '../../model/rules.js';
import type { Session } from '../../model/session.js';
import { activeStates } from '../../model/states.js';
import { sentencesFor } from '../catalogue/data.js';
import { afterDrawing } from '../parts/after-drawing.js';
import { assign } from '../parts/assign.js';
import { Button } from '../parts/button.js';
import { Panel } from '../parts/panel.js';
import { Rules, rulesIn } from '../rules/rules.js';
import type { SessionProps } from '../studio.js';
import './chart.css';
import { Context } from './context.js';
import { usePan } from './pan.js';

const smallest = 0.25;
const largest = 3;
/** Below this, the text cannot be read: then a part of the chart is shown. */
const legible = 0.72;

/** The statechart of the chosen node: its states now, and what it did last. */
export function Chart({ session }: SessionProps) {
  const { protocol, topology } = session.system;
  const { value: node } = session.node;
  const { machine, name } = roleOf(protocol, node, topology);
  const zoom = useSignal<number | undefined>(undefined);
  const change = (by: number) => () => {
    zoom.value = Math.min(largest, Math.max(smallest, (zoom.value ?? legible) * by));
  };
  const actions = (
    <>
      <Button kind="quiet" title="Smaller" onClick={change(0.8)}>
        −
      </Button>
      <Button kind="quiet" title="Fit to the panel" onClick={assign(zoom, undefined)}>
        Fit
      </Button>
      <Button kind="quiet" title="Larger" onClick={change(1.25)}>
        +
      </Button>
    </>
  );
  const isOnly = Object.keys(protocol.roles).length === 1;
  return (
    <Panel
      title="Statechart"
      class="chart"
      note={isOnly ? node : `${node}, ${name}`}
      actions={actions}
    >
      <Picture session={session} chart={drawnChart(machine, name)} zoom={zoom.value} />
      <LastRules session={session} />
      <Context session={session} />
    </Panel>
  );
}

/** By which the chosen node took its last step. */
function LastRules({ session }: SessionProps) {
  const rules = useComputed(() => {
    const step = lastStepOf(session.node.value, session.now.value);
    return step ? rulesIn(session)(step) : [];
  });
  return <Rules rules={rules.value} />;
}

interface PictureProps extends SessionProps {
  readonly chart: Drawn;
  /** Undefined: as large as the panel allows, but legible. */
  readonly zoom: number | undefined;
}

function Picture({ session, chart, zoom }: PictureProps) {
  const frame = useRef<HTMLDivElement>(null);
  const drawing = useRef<HTMLDivElement>(null);
  const { width, height } = chart.layout;
  const marks = useComputed(() => marksOf(session)).value;

  useLayoutEffect(() => {
    const [view, inner] = [frame.current, drawing.current];
    if (!view || !inner) return;
    const fit = Math.min((view.clientWidth - 16) / width, (view.clientHeight - 16) / height);
    const scale = zoom ?? Math.min(1.15, Math.max(fit, legible));
    inner.style.width = `${width * scale}px`;
    inner.style.height = `${height * scale}px`;
  }, [chart, zoom]);
  useLayoutEffect(() => {
    if (drawing.current) explain(drawing.current, session);
  }, [chart, session]);
  useLayoutEffect(() => {
    const inner = drawing.current;
    if (!inner) return;
    mark(inner, marks);
    afterDrawing(() => reveal(frame.current, inner.querySelector('.state.active:not(.outer)')));
  }, [chart, marks]);
  usePan(frame);

  const label = `Statechart of ${session.node.value}, now in ${marks.innermost ?? 'no state'}`;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the picture scrolls by keys
    <div ref={frame} class="chart-frame" tabIndex={0} role="img" aria-label={label}>
      <div ref={drawing} class="chart-drawing" dangerouslySetInnerHTML={{ __html: chart.svg }} />
    </div>
  );
}

/** What is marked of the chart of the chosen node. */
function marksOf({ system, now, node: { value: node } }: Session) {
  const { machine } = roleOf(system.protocol, node, system.topology);
  const step = lastStepOf(node, now.value);
  const statesIn = ({ nodes }: Session['now']['value']['world']): readonly string[] => {
    const local = nodes[node];
    return local ? activeStates(machine, local.value).map(idOf) : [];
  };
  const states = statesIn(now.value.world);
  return {
    states: new Set(states),
    innermost: states.findLast((path) => path !== ''),
    before: new Set(step ? statesIn(step.from.world) : []),
    taken: new Set(step ? takenIn(system, node, step) : []),
    isPresent: step !== undefined && step === now.value.step,
  };
}

function mark(inner: Element, { states, before, taken, isPresent }: ReturnType<typeof marksOf>) {
  for (const part of inner.querySelectorAll<SVGElement>('[data-state]')) {
    const { state = '' } = part.dataset;
    part.classList.toggle('active', states.has(state));
    part.classList.toggle('left', before.has(state) && !states.has(state));
  }
  for (const part of inner.querySelectorAll<SVGElement>('[data-keys]')) {
    const isTaken = part.dataset.keys?.split('\n').some((key) => taken.has(key)) ?? false;
    part.classList.toggle('taken', isTaken);
    part.classList.toggle('present', isTaken && isPresent);
  }
  const labels = inner.querySelector('.label');
  for (const edge of inner.querySelectorAll('.edge.taken'))
    if (!edge.nextElementSibling?.matches('.label, .edge.taken'))
      edge.parentElement?.insertBefore(edge, labels); // above the other edges
}

/** Where a mouse rests on a transition, its rules are shown. */
function explain(inner: Element, session: Session) {
  const { system } = session;
  const known = descriptions(roleOf(system.protocol, session.node.peek(), system.topology).machine);
  const sentences = sentencesFor(system.protocol.name);
  for (const part of inner.querySelectorAll<SVGElement>('[data-keys]')) {
    const rules = (part.dataset.keys?.split('\n') ?? []).flatMap((key) =>
      describedRules(known.get(key) ?? '', sentences),
    );
    if (rules.length === 0 || part.querySelector('title')) continue;
    const title = document.createElementNS('http://www.w3.org/2000/svg', 'title');
    title.textContent = [...new Set(rules.map(ruleText))].join('\n');
    part.prepend(title);
  }
}

/** Scrolls so that a part can be seen. */
function reveal(frame: HTMLElement | null, part: Element | null): void {
  if (!frame || !part) return;
  const [outer, inner] = [frame.getBoundingClientRect(), part.getBoundingClientRect()];
  const margin = 24;
  if (inner.left < outer.left + margin || inner.right > outer.right - margin)
    frame.scrollLeft += (inner.left + inner.right - outer.left - outer.right) / 2;
  if (inner.top < outer.top + margin || inner.bottom > outer.bottom - margin)
    frame.scrollTop += (inner.top + inner.bottom - outer.top - outer.bottom) / 2;
}
