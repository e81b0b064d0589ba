/**
 * The panel of the statechart of a node, and of its context. The drawing is an SVG that was laid out
 * before (chart/layout.ts), and is put into the page as text. A step does not draw it anew: it changes
 * the classes of its parts, which are found by `data-state` and `data-keys`.
 */
import { roleOf } from '@conclave/core/internal';
import type { NodeId } from '@conclave/core/protocol';
import { computed, type ReadonlySignal, signal, useComputed } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { memo } from '../base/collections.js';
import { idOf, rowSize, titleSize, widthOf } from '../chart/graph.js';
import { type Drawn, drawnChart } from '../chart/svg.js';
import { actorOf, describedRules, reactionsByKey, ruleText, takenIn } from '../model/rules.js';
import type { Session } from '../model/session.js';
import { activeStates, timerOf } from '../model/words.js';
import { langOf, language, say } from '../texts/say.js';
import { sentencesFor } from './catalogue/data.js';
import { Button } from './parts/controls.js';
import { afterDrawing, assign } from './parts/dom.js';
import { Panel } from './parts/panel.js';
import { useViewport, type Viewport, ZoomButtons } from './parts/viewport.js';
import { Rules, rulesIn } from './rules.js';
import { frame, type SessionProps } from './studio.js';

/** At which the texts of a chart, 11 px high, can be read; in a presentation all is larger. */
const legible = () => (frame.value.as === 'presentation' ? 0.7 : 1);
/** Larger than this, a small chart looks coarse. */
const largest = 1.15;

/** The statechart of the node that acts, or that was chosen since: its states, and what it does. */
export function Chart({ session }: SessionProps) {
  const { protocol, topology } = session.system;
  const { value: node } = shownNode(session);
  const { machine, name } = roleOf(protocol, node, topology);
  const chart = drawnChart(protocol.drawn?.[name] ?? machine, name);
  const marks = useComputed(() => marksOf(session)).value;
  const place = useRef<HTMLDivElement>(null);
  const pan = useViewport(place, chart.layout, (fit) => ({
    scale: Math.min(largest, Math.max(fit, legible())),
    at: middleOf(chart, marks.innermost),
  }));
  const actions = (
    <>
      <Button
        kind="quiet"
        title={say('Show the chart of the node that takes a step')}
        pressed={follows.value}
        onClick={assign(follows, !follows.value)}
      >
        {say('Follow')}
      </Button>
      <ZoomButtons pan={pan} />
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
      <Picture {...{ session, chart, marks, pan, place }} />
      <LastRules session={session} />
      <Context session={session} />
    </Panel>
  );
}

/** The middle of a state; of the chart, where there is none. */
function middleOf({ graph, layout }: Drawn, state: string | undefined) {
  const index = graph.boxes.findIndex(({ id }) => id === state);
  const [x = 0, y = 0, width = layout.width, height = layout.height] = layout.boxes[index] ?? [];
  return [x + width / 2, y + height / 2] as const;
}

/** The rules by which the node takes the step that is shown. */
function LastRules({ session }: SessionProps) {
  const rules = useComputed(() => {
    const { step } = session.now.value;
    return step && actorOf(step) === shownNode(session).value ? rulesIn(session)(step) : [];
  });
  return <Rules rules={rules.value} />;
}

interface PictureProps extends SessionProps {
  readonly chart: Drawn;
  readonly marks: ReturnType<typeof marksOf>;
  readonly pan: Viewport;
  readonly place: RefObject<HTMLDivElement | null>;
}

function Picture({ session, chart, marks, pan, place }: PictureProps) {
  const drawing = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!drawing.current) return;
    explain(drawing.current, session);
    fitTexts(drawing.current);
  }, [chart, session, language()]);
  useLayoutEffect(() => {
    if (drawing.current) applyMarks(drawing.current, marks);
    afterDrawing(() => pan.reveal(...middleOf(chart, marks.innermost)));
  }, [chart, marks]);
  const label = say('Statechart of {node}, now in {state}', {
    node: shownNode(session).value,
    state: marks.innermost ?? say('no state'),
  });
  return <ChartFrame {...{ chart, pan, place, drawing, label }} />;
}

interface ChartFrameProps extends Pick<PictureProps, 'chart' | 'pan' | 'place'> {
  readonly drawing: RefObject<HTMLDivElement | null>;
  readonly label: string;
  /** Called with the keys of the transitions of what is clicked. */
  readonly onChoose?: (keys: readonly string[]) => void;
}

/** A statechart that is moved and zoomed. */
export function ChartFrame({ chart, pan, place, drawing, label, onChoose }: ChartFrameProps) {
  const { scale, x, y } = pan.place.value;
  return (
    <div
      ref={place}
      class="chart-frame pans"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys move the picture
      tabIndex={0}
      role="application"
      aria-label={label}
      onKeyDown={pan.onKeys()}
      onClick={({ target }) => {
        const part = target instanceof Element && target.closest<SVGElement>('[data-keys]');
        if (part && !pan.wasDragged()) onChoose?.(part.dataset.keys?.split('\n') ?? []);
      }}
    >
      <div
        ref={drawing}
        class="chart-drawing"
        lang={langOf()}
        style={`transform: translate(${x}px, ${y}px) scale(${scale})`}
        dangerouslySetInnerHTML={{ __html: chart.svg }}
      />
    </div>
  );
}

/** What is marked in the chart: the states before and after the step, and the transitions taken. */
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

function applyMarks(inner: Element, { states, before, taken }: ReturnType<typeof marksOf>) {
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
export function fitTexts(drawing: Element): void {
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

/** Whether the chart goes to the node that takes a step. */
export const follows = signal(true);

/** The node whose chart is shown: the one that took the step, until another one is chosen there. */
export const shownNode = memo((session: Session): ReadonlySignal<NodeId> => {
  const { node, now, chosenAt } = session;
  return computed(() => {
    const { step } = now.value;
    const isFollowed = follows.value && chosenAt.value !== now.value;
    return (isFollowed && step && actorOf(step)) || node.value;
  });
});

const svgNames = 'http://www.w3.org/2000/svg';

/** Where the pointer rests on a transition, or on ignored events, its rules are shown. */
export function explain(drawing: Element, session: Session): void {
  const { protocol, topology } = session.system;
  const known = reactionsByKey(roleOf(protocol, shownNode(session).peek(), topology).machine);
  const sentences = sentencesFor(protocol.name);
  for (const part of drawing.querySelectorAll<SVGElement>('[data-keys]')) {
    const lines = (part.dataset.keys?.split('\n') ?? []).flatMap((key) => {
      const { trigger, description } = known.get(key) ?? { trigger: '', description: '' };
      return [trigger, ...describedRules(description, sentences).map(ruleText)].join('\n  ');
    });
    setTitle(part, [...new Set(lines)].join('\n'));
  }
}

/** What is said where the pointer rests on a part of a chart. */
export function setTitle(part: Element, text: string): void {
  const title = part.querySelector('title') ?? document.createElementNS(svgNames, 'title');
  title.textContent = text;
  part.prepend(title);
}
