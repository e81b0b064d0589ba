import type { Property } from '../protocol/property.js';
import type { CutsFound } from './cuts.js';
import type { Extent, Judge, JudgedProperty, OrderJudge } from './judge.js';

/** How far each property was judged, and the result. */
export function judgedProperties(
  properties: readonly Property[],
  judge: Judge,
  order: OrderJudge,
  cuts: CutsFound | undefined,
  isTimed: boolean,
): readonly JudgedProperty[] {
  return properties.map((property) => {
    const [extent, why] = extentOf(property, order, cuts, isTimed);
    const note = judge.notes.get(property) ?? why;
    const violated = order.violated.has(property) || cuts?.violations.has(property) === true;
    return {
      name: property.name,
      kind: property.kind,
      extent,
      violated,
      ...(note === undefined ? {} : { note }),
    };
  });
}

function extentOf(
  { kind }: Property,
  { forgot }: OrderJudge,
  cuts: CutsFound | undefined,
  isTimed: boolean,
): readonly [Extent, string | undefined] {
  if (forgot !== undefined && kind !== 'atMost')
    return [isOfRun(kind) ? 'not checked' : 'one causal order', forgot];
  switch (kind) {
    case 'always':
    case 'never':
      if (isTimed)
        return ['not checked', 'the protocol relies on time, which journals do not tell'];
      return cuts?.isComplete ? ['every consistent cut', undefined] : ['one causal order', tooMany];
    case 'increases':
      if (isTimed) return ['the causal past of each step', undefined];
      return cuts?.isComplete ? ['every consistent cut', undefined] : ['one causal order', tooMany];
    case 'everyStep':
      return ['each step', undefined];
    case 'atMost':
      return ['one causal order', undefined];
    case 'overtaken':
      return ['not checked', 'journals are not judged by it'];
    case 'sometimes':
    case 'eventually':
    case 'alwaysEventually':
    case 'leadsTo':
      return ['not checked', 'the beginning of a run does not decide it'];
  }
}

const isOfRun = (kind: Property['kind']): boolean =>
  !['always', 'never', 'increases', 'everyStep'].includes(kind);

const tooMany = 'there are too many consistent cuts';
