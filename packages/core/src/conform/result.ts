import type { Property } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import type { Topology } from '../topology/topology.js';
import type { Conformed, Extent, JudgedProperty } from './conformed.js';
import type { CutsFound } from './cuts.js';
import type { Findings } from './findings.js';
import type { JournalViews } from './journal-views.js';
import type { Links } from './links.js';
import type { RunJournals } from './node-journals.js';
import type { OrderJudge } from './order-judge.js';

/** What the comparison of a run has found. */
export interface Compared {
  readonly protocol: Protocol;
  readonly topology: Topology;
  readonly properties: readonly Property[];
  readonly findings: Findings;
  readonly nodes: RunJournals;
  readonly steps: number;
  readonly links: Links;
  readonly missing: { readonly lost: number; readonly inFlight: number };
  readonly views: JournalViews;
  readonly order: OrderJudge;
  readonly cuts: CutsFound | undefined;
  readonly isTimed: boolean;
}

export function resultOf(compared: Compared): Conformed {
  const { findings, nodes, links, missing, cuts, properties } = compared;
  const journals = nodes.all.flatMap(({ id, all }) =>
    all.map(({ reader, incarnation, steps, end, beyond }) => {
      if (end === 'open')
        for (const [to, count] of beyond)
          findings.notes.add(
            `${reader.name}: its end is missing: ${count} messages to ${to} arrived that it does not have.`,
          );
      return {
        ...{ file: reader.name, node: id, incarnation, steps, end },
        missing: [...beyond.values()].reduce((sum, count) => sum + count, 0),
      };
    }),
  );
  const { sent, delivered, doubled, reordered, unnumbered } = links;
  const violates = findings.complaints.length > 0;
  return {
    verdict: violates ? 'violates' : findings.isComplete ? 'conforms' : 'incomplete',
    protocol: compared.protocol.name,
    topology: compared.topology.spec,
    steps: compared.steps,
    journals,
    messages: { sent, delivered, doubled, reordered, ...missing, unnumbered },
    properties: properties.map((property) => judged(property, compared)),
    cuts: cuts?.isComplete ? cuts.cuts : 0,
    complaints: findings.complaints,
    notes: [...findings.notes],
  };
}

/** How far a property was judged, and the result. */
function judged(property: Property, { views, order, cuts, isTimed }: Compared): JudgedProperty {
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
    case 'alwaysEventually':
    case 'leadsTo':
      return ['not checked', 'the beginning of a run does not decide it'];
  }
}

const isOfRun = (kind: Property['kind']): boolean =>
  !['always', 'never', 'increases', 'everyStep'].includes(kind);

const tooMany = 'there are too many consistent cuts';
