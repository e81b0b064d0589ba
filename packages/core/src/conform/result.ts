import type { Property } from '../protocol/property.js';
import type { ComparedRun } from './compared-run.js';
import type { Conformed, Extent, JudgedProperty } from './conformed.js';
import type { CutsFound } from './cuts.js';
import type { OrderJudge } from './order-judge.js';
import type { Missing } from './receipts.js';

export function resultOf(
  run: ComparedRun,
  order: OrderJudge,
  missing: Missing,
  cuts: CutsFound | undefined,
): Conformed {
  const { complaints, notes } = run;
  const journals = run.nodes.all.flatMap(({ id, all }) =>
    all.map(({ reader, incarnation, steps, end, beyond }) => {
      if (end === 'open')
        for (const [to, count] of beyond)
          notes.add(
            `${reader.name}: its end is missing: ${count} messages to ${to} arrived that it does not have.`,
          );
      return {
        ...{ file: reader.name, node: id, incarnation, steps, end },
        missing: [...beyond.values()].reduce((sum, count) => sum + count, 0),
      };
    }),
  );
  const { sent, delivered, doubled, reordered, unnumbered } = run.links;
  return {
    verdict: complaints.length > 0 ? 'violates' : run.isComplete ? 'conforms' : 'incomplete',
    protocol: run.protocol.name,
    topology: run.topology.spec,
    steps: run.steps,
    journals,
    messages: { sent, delivered, doubled, reordered, ...missing, unnumbered },
    properties: run.properties.map((property) => judged(property, run, order, cuts)),
    cuts: cuts?.isComplete ? cuts.cuts : 0,
    complaints,
    notes: [...notes],
  };
}

/** How far a property was judged, and the result. */
function judged(
  property: Property,
  { views, isTimed }: ComparedRun,
  order: OrderJudge,
  cuts: CutsFound | undefined,
): JudgedProperty {
  const [extent, why] = extentOf(property, order.forgot, cuts, isTimed);
  const note = views.notes.get(property) ?? why;
  const { name, kind } = property;
  const violated = order.violated.has(property) || cuts?.violations.has(property) === true;
  return { name, kind, extent, violated, ...(note === undefined ? {} : { note }) };
}

function extentOf(
  { kind }: Property,
  forgot: string | undefined,
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
    case 'almostSurely':
    case 'alwaysEventually':
    case 'leadsTo':
      return ['not checked', 'the beginning of a run does not decide it'];
  }
}

const isOfRun = (kind: Property['kind']): boolean =>
  !['always', 'never', 'increases', 'everyStep'].includes(kind);

const tooMany = 'there are too many consistent cuts';
