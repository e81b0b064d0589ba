import {
  type Arrow,
  type Layout,
  type Mark,
  type Point,
  shortened,
  textWidth,
} from './space-time-layout.js';

/** A label along its arrow: its middle, and its slope in degrees. */
export interface Label extends Point {
  readonly text: string;
  readonly angle: number;
}

/**
 * A mark, and the position of its text beside its step: above or below the lane, and from, around
 * or up to the step.
 */
export interface PlacedMark extends Mark {
  readonly below: boolean;
  readonly anchor: 'start' | 'middle' | 'end';
}

/** The part of a text that is left of its step. Most texts are narrower than `textWidth` says. */
const leftOf = { start: 0, middle: 0.5, end: 0.75 };

/** Writes each mark where no message comes or goes; above the lane if it can. */
export function placeMarks({ arrows, marks }: Layout): readonly PlacedMark[] {
  const taken = new Set<string>();
  return marks.map((mark) => {
    const meets = (point: Point) => point.x === mark.x && point.y === mark.y;
    const arrivesFrom = (side: number) =>
      arrows.some(({ tip, tail }) => meets(tip) && (tail.y - mark.y) * side > 0);
    const leavesTo = (side: number) =>
      arrows.some(({ tip, tail }) => meets(tail) && (tip.y - mark.y) * side > 0);
    const spots = [false, true].flatMap((below) => {
      const [before, after] = [arrivesFrom(below ? 1 : -1), leavesTo(below ? 1 : -1)];
      const at = `${mark.x} ${mark.y} ${below}`;
      return taken.has(at) || (before && after)
        ? []
        : [{ below, anchor: before ? 'start' : after ? 'end' : 'middle', at } as const];
    });
    const { below, anchor, at } = spots.find((spot) => spot.anchor === 'middle') ??
      spots[0] ?? { below: true, anchor: 'end', at: '' };
    taken.add(at);
    const isCut = mark.x < textWidth(mark.text) * leftOf[anchor];
    return { ...mark, below, anchor: isCut ? 'start' : anchor };
  });
}

/** A short text beside a step. */
export interface Note extends Point {
  readonly text: string;
  readonly anchor: 'start' | 'end';
}

/**
 * Writes the note for each line of the trace beside its step: in the corner where the fewest arrows
 * and texts are.
 */
export function placeNotes(
  { arrows, steps }: Layout,
  marks: readonly PlacedMark[],
  notes: readonly string[],
): readonly Note[] {
  const taken = marks.flatMap(markCovers);
  return steps.flatMap(({ x, y, line }) => {
    const text = notes[line];
    if (!text) return [];
    const corners = ([12, -12] as const).flatMap((side) =>
      (['start', 'end'] as const).map((anchor) => {
        const note: Note = { x: x + (anchor === 'start' ? 5 : -5), y: y + side, text, anchor };
        const covers = noteCovers(note);
        const onArrows = covers.filter((dot) =>
          arrows.some((arrow) => near(dot, nearest(dot, arrow), 7)),
        ).length;
        return { note, covers, cost: onArrows + 2 * overlap(covers, taken) };
      }),
    );
    const [first, ...others] = corners;
    if (!first) return [];
    const best = others.reduce(
      (least, corner) => (corner.cost < least.cost ? corner : least),
      first,
    );
    taken.push(...best.covers);
    return [best.note];
  });
}

interface Choice {
  readonly label: Label;
  readonly covers: readonly Point[];
  readonly cost: number;
}

const fractions = [0.5, 0.4, 0.6, 0.32, 0.68, 0.25, 0.75];
const rounds = 3;
/** In pixels, as the style sheet has it. */
const noteSize = 9;

/**
 * Writes each message along its arrow, near its receiver, where it overlaps least; label by label,
 * in a few rounds.
 */
export function placeLabels(
  { arrows, lanes, right }: Layout,
  marks: readonly PlacedMark[],
  notes: readonly Note[] = [],
): readonly Label[] {
  const ys = lanes.map(({ y }) => y);
  const fixed = [
    ...marks.flatMap(markCovers),
    ...notes.flatMap(noteCovers),
    ...arrows.flatMap(({ fate, tip }) => (fate === 'lost' ? [tip] : [])),
  ];
  const neighbours = arrows.map((arrow) =>
    arrows.flatMap((other, index) =>
      other !== arrow && beside(arrow, other) ? [{ other, index }] : [],
    ),
  );
  const choices = arrows.map((arrow, own) =>
    candidates(arrow, ys).map((label, rank): Choice => {
      const covers = dots(label, label.angle, textWidth(label.text));
      const onArrows = covers.filter((dot) =>
        neighbours[own]?.some(({ other }) => near(dot, nearest(dot, other), 7)),
      ).length;
      const onLanes = covers.filter(({ y }) => ys.some((lane) => Math.abs(lane - y) < 11)).length;
      const cut = covers.filter(({ x }) => x < 4).length; // by the left edge
      const beyond = covers.filter(({ x }) => x > right).length; // the drawing gets wider
      return {
        label,
        covers,
        cost:
          rank / 100 +
          2 * onArrows +
          5 * onLanes +
          10 * cut +
          3 * beyond +
          6 * overlap(covers, fixed),
      };
    }),
  );
  const chosen = choices.flatMap(([first]) => first ?? []);
  for (let round = 0; round < rounds; round++)
    for (const [own, options] of choices.entries()) {
      const taken = neighbours[own]?.flatMap(({ index }) => chosen[index]?.covers ?? []) ?? [];
      let least = Infinity;
      for (const option of options) {
        if (option.cost >= least) continue;
        const cost = option.cost + 6 * overlap(option.covers, taken);
        if (cost >= least) continue;
        least = cost;
        chosen[own] = option;
      }
    }
  return chosen.map(({ label }) => label);
}

/** How far to the right labels go. */
export const endOf = (labels: readonly Label[]): number =>
  labels.reduce((end, { x, angle, text }) => {
    const along = Math.abs(Math.cos((angle * Math.PI) / 180));
    return Math.max(end, x + (textWidth(text) * along) / 2);
  }, 0);

/** Whether two arrows are over the same part of the time axis, give or take half a label. */
const beside = (a: Arrow, b: Arrow): boolean => a.tail.x < b.tip.x + 80 && b.tail.x < a.tip.x + 80;

function markCovers({ x, y, text, below, anchor }: PlacedMark): Point[] {
  const width = textWidth(text);
  const middle = { start: width / 2, middle: 0, end: -width / 2 }[anchor];
  return dots({ x: x + middle, y: below ? y + 22 : y - 22 }, 0, width);
}

function noteCovers({ x, y, text, anchor }: Note): Point[] {
  const width = textWidth(text, noteSize);
  return dots({ x: x + (anchor === 'start' ? width : -width) / 2, y }, 0, width);
}

/**
 * Above or below the arrow, in each gap between lanes that it crosses, that of the receiver first.
 */
function candidates({ call, tail, tip }: Arrow, lanes: readonly number[]): Label[] {
  const [dx, dy] = [tip.x - tail.x, tip.y - tail.y];
  const angle = (Math.atan2(dy, dx) * 180) / Math.PI;
  const crossed = lanes.filter((y) => (y - tail.y) * (y - tip.y) < 0);
  const bounds = [tail.y, ...(dy > 0 ? crossed : crossed.toReversed()), tip.y].map((y) =>
    dy === 0 ? 0 : (y - tail.y) / dy,
  );
  const length = Math.hypot(dx, dy) || 1;
  const labels: Label[] = [];
  for (let gap = bounds.length - 2; gap >= 0; gap--)
    for (const fraction of fractions)
      for (const side of [-7, 8]) {
        const [start = 0, end = 1] = bounds.slice(gap, gap + 2);
        const part = start + (end - start) * fraction;
        labels.push({
          x: tail.x + dx * part - (dy / length) * side,
          y: tail.y + dy * part + (dx / length) * side,
          angle,
          text: shortened(call),
        });
      }
  return labels;
}

/** Points along the middle line of a text of `width` pixels. */
function dots({ x, y }: Point, angle: number, width: number): Point[] {
  const count = Math.max(2, Math.ceil(width / 8));
  const radians = (angle * Math.PI) / 180;
  return Array.from({ length: count }, (_, index) => {
    const along = (index / (count - 1) - 0.5) * width;
    return { x: x + along * Math.cos(radians), y: y + along * Math.sin(radians) };
  });
}

const near = (a: Point, b: Point, distance: number): boolean =>
  Math.abs(a.x - b.x) < distance && Math.abs(a.y - b.y) < distance;

const overlap = (covers: readonly Point[], taken: readonly Point[]): number =>
  covers.filter((dot) => taken.some((other) => near(dot, other, 11))).length;

/** The point of an arrow nearest to the given one. */
function nearest({ x, y }: Point, { tail, tip }: Arrow): Point {
  const [dx, dy] = [tip.x - tail.x, tip.y - tail.y];
  const part = Math.min(
    Math.max(((x - tail.x) * dx + (y - tail.y) * dy) / (dx * dx + dy * dy || 1), 0),
    1,
  );
  return { x: tail.x + dx * part, y: tail.y + dy * part };
}
