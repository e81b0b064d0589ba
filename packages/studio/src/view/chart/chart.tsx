/** The panel of the statechart of a node, and of its context. */
import { roleOf } from '@conclave/core/internal';
import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { idOf, rowSize, titleSize, widthOf } from '../../chart/graph.js';
import { type Drawn, drawnChart } from '../../chart/svg.js';
import { actorOf, takenIn } from '../../model/rules.js';
import type { Session } from '../../model/session.js';
import { activeStates, timerOf } from '../../model/words.js';
import { say } from '../../texts/say.js';
import { Button } from '../parts/button.js';
import { afterDrawing, assign } from '../parts/dom.js';
import { Panel } from '../parts/panel.js';
import { Rules, rulesIn } from '../rules/rules.js';
import type { SessionProps } from '../studio.js';
import './chart.css';
import type { RefObject } from 'preact';
import { explain, follows, shownNode } from './follow.js';

const smallest = 0.25;
const largest = 3;
/** Below this, the text cannot be read: then a part of the chart is shown. */
const legible = 0.75;

/** The statechart of the node that acts, or that was chosen since: its states, and what it does. */
export function Chart({ session }: SessionProps) {
  const { protocol, topology } = session.system;
  const { value: node } = shownNode(session);
  const { machine, name } = roleOf(protocol, node, topology);
  const zoom = useSignal<number | undefined>(undefined);
  const change = (by: number) => () => {
    zoom.value = Math.min(largest, Math.max(smallest, (zoom.value ?? legible) * by));
  };
  const actions = (
    <>
      <Button
        kind="quiet"
        title={say('Show the chart of the node that takes a step')}
        pressed={follows.value}
        onClick={() => {
          follows.value = !follows.value;
        }}
      >
        {say('Follow')}
      </Button>
      <Button kind="quiet" title={say('Smaller')} onClick={change(0.8)}>
        −
      </Button>
      <Button kind="quiet" title={say('Fit to the panel')} onClick={assign(zoom, undefined)}>
        {say('Fit')}
      </Button>
      <Button kind="quiet" title={say('Larger')} onClick={change(1.25)}>
        +
      </Button>
    </>
  );
  const isOnly = Object.keys(protocol.roles).length === 1;
  return (
    <Panel
      title={say('Statechart')}
      class="chart"
      note={isOnly ? node : `${node}, ${name}`}
      actions={actions}
    >
      <Picture
        session={session}
        chart={drawnChart(protocol.drawn?.[name] ?? machine, name)}
        zoom={zoom.value}
      />
      <LastRules session={session} />
      <Context session={session} />
    </Panel>
  );
}

/** By which the node takes the step that is shown. */
function LastRules({ session }: SessionProps) {
  const rules = useComputed(() => {
    const { step } = session.now.value;
    return step && actorOf(step) === shownNode(session).value ? rulesIn(session)(step) : [];
  });
  return <Rules rules={rules.value} />;
}

interface PictureProps extends SessionProps {
  readonly chart: Drawn;
  /** Undefined: the whole chart at the start, then as large as the panel allows, but legible. */
  readonly zoom: number | undefined;
}

function Picture({ session, chart, zoom }: PictureProps) {
  const frame = useRef<HTMLDivElement>(null);
  const drawing = useRef<HTMLDivElement>(null);
  const { width, height } = chart.layout;
  const marks = useComputed(() => marksOf(session)).value;
  const isStart = useComputed(() => session.now.value.step === undefined).value;

  useLayoutEffect(() => {
    const [view, inner] = [frame.current, drawing.current];
    if (!view || !inner) return;
    const fit = Math.min((view.clientWidth - 16) / width, (view.clientHeight - 16) / height);
    const scale = zoom ?? Math.min(1.15, isStart ? fit : Math.max(fit, legible));
    inner.style.width = `${width * scale}px`;
    inner.style.height = `${height * scale}px`;
  }, [chart, zoom, isStart]);
  useLayoutEffect(() => {
    if (!drawing.current) return;
    explain(drawing.current, session);
    fitTexts(drawing.current);
  }, [chart, session]);
  useLayoutEffect(() => {
    const inner = drawing.current;
    if (!inner) return;
    mark(inner, marks);
    afterDrawing(() => reveal(frame.current, inner.querySelector('.state.active:not(.outer)')));
  }, [chart, marks]);
  usePan(frame);

  const label = say('Statechart of {node}, now in {state}', {
    node: shownNode(session).value,
    state: marks.innermost ?? say('no state'),
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the picture scrolls by keys
    <div ref={frame} class="chart-frame" tabIndex={0} role="img" aria-label={label}>
      <div ref={drawing} class="chart-drawing" dangerouslySetInnerHTML={{ __html: chart.svg }} />
    </div>
  );
}

/** What is marked of the chart of the node. */
function marksOf(session: Session) {
  const { system, now } = session;
  const { value: node } = shownNode(session);
  const { machine } = roleOf(system.protocol, node, system.topology);
  const { step } = now.value;
  const isActing = step !== undefined && actorOf(step) === node;
  const statesIn = ({ nodes }: Session['now']['value']['world']): readonly string[] => {
    const local = nodes[node];
    return local ? activeStates(machine, local.value).map(idOf) : [];
  };
  const states = statesIn(now.value.world);
  return {
    states: new Set(states),
    innermost: states.findLast((path) => path !== ''),
    before: new Set(isActing ? statesIn(step.from.world) : []),
    taken: new Set(isActing ? takenIn(system, node, step) : []),
  };
}

function mark(inner: Element, { states, before, taken }: ReturnType<typeof marksOf>) {
  for (const part of inner.querySelectorAll<SVGElement>('[data-state]')) {
    const { state = '' } = part.dataset;
    part.classList.toggle('active', states.has(state));
    part.classList.toggle('left', before.has(state) && !states.has(state));
  }
  for (const part of inner.querySelectorAll<SVGElement>('[data-keys]')) {
    const isTaken = part.dataset.keys?.split('\n').some((key) => taken.has(key)) ?? false;
    part.classList.toggle('taken', isTaken);
  }
  const labels = inner.querySelector('.label');
  for (const edge of inner.querySelectorAll('.edge.taken'))
    if (!edge.nextElementSibling?.matches('.label, .edge.taken'))
      edge.parentElement?.insertBefore(edge, labels); // above the other edges
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

/** The context of the node, with what its step changes, and its armed timers. */
function Context({ session }: SessionProps) {
  const { now, system } = session;
  const node = shownNode(session);
  const { fields, timers } = useComputed(() => {
    const { value: id } = node;
    const local = now.value.world.nodes[id];
    const { step } = now.value;
    const before = step && actorOf(step) === id ? step.from.world.nodes[id]?.context : undefined;
    return {
      fields: Object.entries(local?.context ?? {}).map(([name, value]) => {
        const text = JSON.stringify(value) ?? '';
        const was = before && (JSON.stringify(before[name]) ?? '');
        return { name, text, was: was === text ? undefined : was };
      }),
      timers: (local?.timers ?? []).map(({ id: timer }) =>
        timerOf(system.protocol, system.topology, { node: id, timer }),
      ),
    };
  }).value;
  if (fields.length + timers.length === 0) return null;
  return (
    <dl class="chart-context small" aria-label={say('Context of {node}', { node: node.value })}>
      {fields.map(({ name, text, was }) => (
        <div
          key={name}
          {...(was !== undefined && { class: 'changed', title: say('before: {was}', { was }) })}
        >
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
      {timers.length > 0 && (
        <div>
          <dt>{say('timers')}</dt>
          <dd>{timers.join(', ')}</dd>
        </div>
      )}
    </dl>
  );
}

/**
 * Makes texts smaller that take more room in the page's font than the layout has for them: it was
 * made with the widths of another one. Firefox ignores `textLength` of a part of a text.
 */
function fitTexts(drawing: Element): void {
  const texts = [...drawing.querySelectorAll<SVGTextContentElement>('tspan, .title, .tags')];
  const wide = texts.flatMap((text) => {
    const room = roomFor(text);
    const taken = text.getComputedTextLength();
    const size = Number.parseFloat(getComputedStyle(text).fontSize);
    return taken > room ? [{ text, size: (size * room * 0.99) / taken }] : [];
  });
  for (const { text, size } of wide) text.style.fontSize = `${size}px`;
}

/** What the layout has for a text; never more than its box. */
function roomFor(text: Element): number {
  const isTitle = text.classList.contains('title');
  const room = widthOf(text.textContent ?? '', isTitle ? titleSize : rowSize, isTitle);
  const frame = text.closest('.state:not(.history)')?.querySelector('rect.frame');
  if (!frame) return room;
  const of = (part: Element, name: string) => Number(part.getAttribute(name));
  return Math.min(room, of(frame, 'x') + of(frame, 'width') - of(text, 'x') - 4);
}

/** Dragging moves what is inside a scrolling element. */
function usePan(frame: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { current: element } = frame;
    if (!element) return;
    const ends = new AbortController();
    const { signal } = ends;
    let last: { readonly x: number; readonly y: number } | undefined;
    const onDown = ({ pointerType, button, clientX: x, clientY: y }: PointerEvent) => {
      if (pointerType === 'mouse' && button === 0) last = { x, y }; // touch scrolls by itself
    };
    const onMove = ({ clientX: x, clientY: y }: PointerEvent) => {
      if (!last) return;
      element.scrollBy(last.x - x, last.y - y);
      last = { x, y };
    };
    const onUp = () => {
      last = undefined;
    };
    element.addEventListener('pointerdown', onDown, { signal });
    addEventListener('pointermove', onMove, { signal });
    addEventListener('pointerup', onUp, { signal });
    return () => ends.abort();
  }, [frame]);
}
