import type { SpaceTimeView } from '@conclave/core/internal/trace';
import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { ruleText } from '../../model/rules.js';
import type { Moment, RunLine } from '../../model/run.js';
import { assign } from '../parts/assign.js';
import { rulesIn } from '../rules/rules.js';
import type { SessionProps } from '../studio.js';
import { neighbour, show } from './drawing.js';
import { fateText, faultAt, lineText } from './lines.js';

export interface PictureProps extends SessionProps {
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

/** What is said of a message, a step or a fault. */
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
