import { roleOf } from '@conclave/core/protocol';
import { useComputed, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { type Drawn, drawnChart } from '../../chart/known-layouts.js';
import { lastStepOf, takenIn } from '../../model/last-step.js';
import type { Session } from '../../model/session.js';
import { activeStates, pathOf } from '../../model/states.js';
import { afterDrawing } from '../parts/after-drawing.js';
import { Button } from '../parts/button.js';
import { Panel } from '../parts/panel.js';
import './chart.css';
import { Context } from './context.js';
import { usePan } from './pan.js';

const smallest = 0.25;
const largest = 3;
/** Below this, the text cannot be read: then a part of the chart is shown. */
const legible = 0.72;

/** The statechart of the chosen node: its states now, and what it did last. */
export function Chart({ session }: { readonly session: Session }) {
  const { system, node } = session;
  const role = useComputed(() => roleOf(system.protocol, node.value, system.topology)).value;
  const zoom = useSignal<number | undefined>(undefined);
  const chart = drawnChart(role.machine, role.name);
  const change = (by: number) => () => {
    zoom.value = Math.min(largest, Math.max(smallest, (zoom.value ?? legible) * by));
  };
  const many = Object.keys(system.protocol.roles).length > 1;
  const actions = (
    <>
      <Button kind="quiet" title="Smaller" onClick={change(0.8)}>
        −
      </Button>
      <Button kind="quiet" title="Fit to the panel" onClick={() => (zoom.value = undefined)}>
        Fit
      </Button>
      <Button kind="quiet" title="Larger" onClick={change(1.25)}>
        +
      </Button>
    </>
  );
  return (
    <Panel
      title="Statechart"
      class="chart"
      note={many ? `${node.value}, ${role.name}` : node.value}
      actions={actions}
    >
      <Picture session={session} chart={chart} zoom={zoom.value} />
      <Context session={session} />
    </Panel>
  );
}

interface PictureProps {
  readonly session: Session;
  readonly chart: Drawn;
  /** Undefined: as large as the panel allows, but legible. */
  readonly zoom: number | undefined;
}

function Picture({ session, chart, zoom }: PictureProps) {
  const frame = useRef<HTMLDivElement>(null);
  const drawing = useRef<HTMLDivElement>(null);
  const { system, now, node } = session;
  const { width, height } = chart.layout;
  const marks = useComputed(() => {
    const local = now.value.world.nodes[node.value];
    const step = lastStepOf(node.value, now.value);
    const before = step?.from.world.nodes[node.value];
    const { machine } = roleOf(system.protocol, node.value, system.topology);
    const statesOf = (value: NonNullable<typeof local>['value'] | undefined) =>
      new Set(value === undefined ? [] : activeStates(machine, value).map(pathOf));
    return {
      states: statesOf(local?.value),
      before: statesOf(before?.value),
      taken: new Set(step ? takenIn(system, node.value, step) : []),
      isPresent: step !== undefined && step === now.value.step,
    };
  }).value;

  useLayoutEffect(() => {
    const [view, inner] = [frame.current, drawing.current];
    if (!view || !inner) return;
    const fit = Math.min((view.clientWidth - 16) / width, (view.clientHeight - 16) / height);
    const scale = zoom ?? Math.min(1.15, Math.max(fit, legible));
    inner.style.width = `${width * scale}px`;
    inner.style.height = `${height * scale}px`;
  }, [chart, zoom, width, height]);

  useLayoutEffect(() => {
    const inner = drawing.current;
    if (!inner) return;
    for (const part of inner.querySelectorAll<SVGElement>('[data-state]')) {
      const state = part.dataset.state ?? '';
      part.classList.toggle('active', marks.states.has(state));
      part.classList.toggle('left', marks.before.has(state) && !marks.states.has(state));
    }
    for (const part of inner.querySelectorAll<SVGElement>('[data-keys]')) {
      const isTaken = (part.dataset.keys ?? '').split('\n').some((key) => marks.taken.has(key));
      part.classList.toggle('taken', isTaken);
      part.classList.toggle('present', isTaken && marks.isPresent);
    }
    const labels = inner.querySelector('.label');
    for (const edge of inner.querySelectorAll('.edge.taken'))
      if (!edge.nextElementSibling?.matches('.label, .edge.taken'))
        edge.parentElement?.insertBefore(edge, labels); // above the other edges
    afterDrawing(() => reveal(frame.current, inner.querySelector('.state.active:not(.outer)')));
  }, [chart, marks]);

  usePan(frame);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the picture scrolls by keys
    <div ref={frame} class="chart-frame" tabIndex={0} role="img" aria-label={describe(session)}>
      <div ref={drawing} class="chart-drawing" dangerouslySetInnerHTML={{ __html: chart.svg }} />
    </div>
  );
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

function describe({ system, node, now }: Session): string {
  const { machine } = roleOf(system.protocol, node.value, system.topology);
  const local = now.value.world.nodes[node.value];
  const states = local ? activeStates(machine, local.value).map(pathOf).filter(Boolean) : [];
  return `Statechart of ${node.value}, now in ${states.at(-1) ?? 'no state'}`;
}
