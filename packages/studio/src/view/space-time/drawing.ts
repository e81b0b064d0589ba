/** What is shown of a drawing now. */
interface Shown {
  /** It scrolls. */
  readonly frame: HTMLElement;
  readonly picture: HTMLElement;
  /** The line of the step last taken; −1 without one. */
  readonly line: number;
  /** Where what has not happened yet begins, in pixels. */
  readonly edge: number;
  readonly width: number;
  /** Whether to scroll there. */
  readonly follow: boolean;
}

const margin = 40;

/** Dims what is later, marks the step last taken, and scrolls to it. */
export function show({ frame, picture, line, edge, width, follow }: Shown): void {
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

/**
 * The step that an arrow key leads to: along the lane, or the nearest on the next lane that has
 * one.
 */
export function neighbour(from: SVGElement, key: string): SVGElement | undefined {
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
