/** The space-time diagram of a run, its keys, and the causes of a step. */
import {
  eventText,
  type spaceTimeView,
  statesText,
  vectorClocks,
} from '@conclave/core/internal/trace';
import type { NodeId } from '@conclave/core/protocol';
import type { Trace } from '@conclave/core/trace';
import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { actorOf, ruleText } from '../../model/rules.js';
import type { Moment, RunLine } from '../../model/session.js';
import { say } from '../../texts/say.js';
import { assign } from '../parts/dom.js';
import { rulesIn } from '../rules.js';
import type { SessionProps } from '../studio.js';

type SpaceTimeView = ReturnType<typeof spaceTimeView>;

interface PictureProps extends SessionProps {
  /** What scrolls. */
  readonly frame: RefObject<HTMLElement | null>;
  readonly now: ReadonlySignal<Moment>;
  readonly tip: ReadonlySignal<Moment>;
  readonly lines: ReadonlySignal<readonly RunLine[]>;
  /** How many of the lines have happened. */
  readonly present: ReadonlySignal<number>;
  /** Whether the user went to other lines than those around the present one. */
  readonly isAway: boolean;
  readonly diagram: SpaceTimeView;
  /** The lines that are causes of the present step; undefined: all are drawn alike. */
  readonly causes: ReadonlySet<number> | undefined;
}

/** The diagram: its steps are buttons, and a line below tells what is pointed at. */
export function Picture({ session, frame, diagram, isAway, causes, ...signals }: PictureProps) {
  const picture = useRef<HTMLDivElement>(null);
  const hint = useSignal<string | undefined>(undefined);
  const [now, tip, lines] = [signals.now.value, signals.tip.value, signals.lines.value];
  const { value: present } = signals.present;
  useDiagram(picture, diagram, causes);
  useLayoutEffect(() => {
    hint.value = undefined;
  }, [diagram]);
  useLayoutEffect(() => {
    if (!frame.current || !picture.current) return;
    show({
      frame: frame.current,
      picture: picture.current,
      line: now.step?.fault
        ? lines.length
        : lines.findLastIndex(({ moment }) => moment === now && moment.depth > 0),
      edge: diagram.edge(present),
      width: diagram.width,
      follow: !isAway,
    });
  }, [diagram, now, present, isAway, lines]);

  const tell = ({ target }: Event) => {
    const part =
      target instanceof Element ? target.closest<SVGElement>('[data-line], [data-arrow]') : null;
    hint.value = part ? partText(part, { session, lines, tip, diagram }) : undefined;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, target } = event;
    const moment = momentOf(target, lines, tip);
    if (!moment || !(target instanceof SVGElement)) return;
    const next = neighbour(target, key);
    if (next) next.focus();
    else if (key === 'Enter' || key === ' ') session.goTo(moment);
    else if (!key.startsWith('Arrow')) return;
    event.preventDefault();
    event.stopPropagation(); // elsewhere, arrows step and choose
  };
  const onClick = ({ target }: MouseEvent) => {
    const moment = momentOf(target, lines, tip);
    if (moment) session.goTo(moment);
  };
  return (
    <>
      {/* biome-ignore lint/a11y/useKeyWithMouseEvents: focus does the same */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: its parts are buttons */}
      <div
        class="picture"
        ref={picture}
        onClick={onClick}
        onKeyDown={onKeyDown}
        onMouseOver={tell}
        onFocusIn={tell}
        onMouseLeave={tell}
        onFocusOut={assign(hint, undefined)}
      />
      <p class="hint small" hidden={hint.value === undefined}>
        {hint}
      </p>
    </>
  );
}

/** Draws the diagram, with what is no cause in pale colours. */
function useDiagram(
  picture: RefObject<HTMLElement | null>,
  diagram: SpaceTimeView,
  causes: PictureProps['causes'],
): void {
  useLayoutEffect(() => {
    if (picture.current) picture.current.innerHTML = diagram.svg; // its texts are escaped
  }, [diagram]);
  useLayoutEffect(() => {
    for (const part of picture.current?.querySelectorAll<SVGElement>('[data-line], [data-arrow]') ??
      []) {
      const { line, arrow } = part.dataset;
      const end = arrow === undefined ? Number(line) : diagram.arrows[Number(arrow)]?.end;
      part.classList.toggle('unrelated', causes !== undefined && !causes.has(end ?? -1));
    }
  }, [diagram, causes]);
}

/** The moment after a step; `tip` for a fault, which is drawn after the last line. */
function momentOf(target: EventTarget | null, lines: readonly RunLine[], tip: Moment) {
  const line = target instanceof SVGElement ? target.dataset.line : undefined;
  if (line === undefined) return undefined;
  return Number(line) === lines.length ? tip : lines[Number(line)]?.moment;
}

interface Drawn extends SessionProps {
  readonly lines: readonly RunLine[];
  readonly tip: Moment;
  readonly diagram: SpaceTimeView;
}

function partText(
  { dataset: { line, arrow } }: SVGElement,
  { session, lines, tip, diagram }: Drawn,
): string {
  const message = arrow === undefined ? undefined : diagram.arrows[Number(arrow)];
  if (message) return fateText(lines, message);
  const runLine = lines[Number(line)];
  if (!runLine) return faultAt(tip)?.text ?? '';
  const { step } = runLine.moment;
  return [lineText(runLine), ...(step ? rulesIn(session)(step).map(ruleText) : [])].join('. ');
}

/** What is shown of a drawing now. */
interface Shown {
  readonly frame: HTMLElement;
  readonly picture: HTMLElement;
  /** The line of the step last taken; −1 without one. */
  readonly line: number;
  /** Where what has not happened yet begins, in pixels. */
  readonly edge: number;
  readonly width: number;
  readonly follow: boolean;
}

const margin = 40;

/** Dims what is later, marks the step last taken, and scrolls to it. */
function show({ frame, picture, line, edge, width, follow }: Shown): void {
  const later = picture.querySelector('.later');
  later?.setAttribute('x', String(edge));
  later?.setAttribute('width', String(Math.max(0, width - edge)));
  const isLast = edge >= width - margin;
  picture
    .querySelector('.edge')
    ?.setAttribute('d', isLast ? '' : `M${edge} 4V${Number(later?.getAttribute('height')) - 4}`);
  const steps = [...picture.querySelectorAll<SVGElement>('.step')];
  picture.querySelector('.step.now')?.classList.remove('now');
  for (const step of picture.querySelectorAll('.step[tabindex="0"]'))
    step.setAttribute('tabindex', '-1');
  const present = steps.find((step) => step.dataset.line === String(line));
  present?.classList.add('now');
  (present ?? steps.findLast((step) => Number(step.dataset.line) < line) ?? steps[0])?.setAttribute(
    'tabindex',
    '0',
  );
  if (!follow) return;
  const names = picture.offsetLeft;
  const [start, end] = [frame.scrollLeft, frame.scrollLeft + frame.clientWidth - names];
  if (edge + margin > end || edge - margin < start)
    frame.scrollLeft = Math.max(0, edge + margin - (frame.clientWidth - names));
}

/** The step that an arrow key leads to: along the lane, or the nearest on the next lane. */
function neighbour(from: SVGElement, key: string): SVGElement | undefined {
  const { x, y } = placeOf(from);
  const steps = [...(from.ownerSVGElement?.querySelectorAll<SVGElement>('.step') ?? [])].map(
    (step) => ({ step, ...placeOf(step) }),
  );
  const lane = steps.filter((other) => other.y === y);
  if (key === 'ArrowRight') return lane.find((other) => other.x > x)?.step;
  if (key === 'ArrowLeft') return lane.findLast((other) => other.x < x)?.step;
  const side = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (side === undefined) return undefined;
  const beyond = steps.filter((other) => (other.y - y) * side > 0);
  const next = Math.min(...beyond.map((other) => (other.y - y) * side));
  const [first, ...others] = beyond.filter((other) => (other.y - y) * side === next);
  return (
    first &&
    others.reduce(
      (best, other) => (Math.abs(other.x - x) < Math.abs(best.x - x) ? other : best),
      first,
    ).step
  );
}

const placeOf = (step: SVGElement): { readonly x: number; readonly y: number } => ({
  x: Number(step.getAttribute('cx')),
  y: Number(step.getAttribute('cy')),
});

/** The lines that are drawn: the first, and the one after the last. */
interface Part {
  readonly from: number;
  readonly to: number;
}

/** A part begins at a multiple of this many lines, so that single steps do not move it. */
const block = 24;
/** At least so many lines before the present one are drawn. */
const linesBefore = 48;
const mostLines = linesBefore + block;

/** How many lines there are up to this moment: what is after them has not happened there. */
export function linesUpTo(lines: readonly RunLine[], { depth }: Moment): number {
  const later = lines.findIndex(({ moment }) => moment.depth > depth);
  return later < 0 ? lines.length : later;
}

/** The part of a run to draw around line `at`, moved by so many blocks. */
export function partAround(at: number, length: number, moved: number): Part {
  const last = Math.max(0, Math.ceil((length - mostLines) / block)) * block;
  const from = Math.max(0, Math.floor((at - linesBefore) / block) * block + moved * block);
  return { from: Math.min(from, last), to: Math.min(Math.min(from, last) + mostLines, length) };
}

/** Where the run repeats, as a line; `ended` where nothing more happens after it. */
export function repeatsFrom(
  lines: readonly RunLine[],
  tip: Moment,
  loop: Moment | undefined,
): number | 'ended' | undefined {
  if (!loop) return undefined;
  return loop === tip ? 'ended' : linesUpTo(lines, loop);
}

export function faultAt({
  step,
}: Moment): { readonly node: NodeId; readonly text: string } | undefined {
  return step?.fault && { node: actorOf(step) ?? '', text: step.fault.message };
}

/** A line in words: `4  b request(1) from a: released → wanted`. */
export function lineText({ line, moment }: RunLine): string {
  const states = statesText(line);
  const time =
    line.time === undefined ? '' : say(' at {ms} ms', { ms: Number(line.time.toFixed(3)) });
  const step = say('Step {depth}', { depth: moment.depth });
  return `${step}${time}: ${line.node} ${eventText(line.event)}${states === '' ? '' : `, ${states}`}`;
}

function fateText(
  lines: readonly RunLine[],
  { call, from, to, fate, sent, end }: SpaceTimeView['arrows'][number],
): string {
  const at = (line: number | undefined): string => {
    const moment = line === undefined ? undefined : lines[line]?.moment;
    return moment === undefined
      ? ''
      : moment.depth === 0
        ? say(' at the start')
        : say(' in step {depth}', { depth: moment.depth });
  };
  const then = fate === 'pending' ? say('still on its way') : `${say(fate)}${at(end)}`;
  return say('{call} from {from} to {to}: sent{at}, {then}', {
    call,
    from,
    to,
    at: at(sent),
    then,
  });
}

/** The causal past of a line (Lamport 1978), by vector clocks, and the line itself. */
export function causesOf(trace: Trace, of: number): ReadonlySet<number> {
  const clocks = vectorClocks(trace);
  const last = clocks[of];
  if (!last) return new Set([of]);
  return new Set(
    trace.lines.flatMap(({ node }, index) => {
      const own = clocks[index]?.[node];
      return own !== undefined && own <= (last[node] ?? 0) ? [index] : [];
    }),
  );
}
