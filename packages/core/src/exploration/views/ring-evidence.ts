import { ring } from '../../topology/generators.js';
import { canonical } from '../worlds/canonical.js';
import {
  aboutNumbers,
  type Evidence,
  type Judgement,
  noFaults,
  notProved,
  provable,
} from './evidence.js';
import type { StateProperty } from './property-judge.js';
import { ordersOf, type RingAbstraction } from './ring-proof.js';
import { RingProperty } from './ring-property.js';
import { ringsToTry } from './ring-samples.js';
import type { RingOrigin } from './ring-views.js';
import { type RingWorld, ringKey } from './ring-world.js';
import { Unprovable } from './unprovable.js';

/** The evidence of rings whose nodes stand in any order of their names. */
export const ringEvidenceOf = (found: RingAbstraction, k: number): Evidence => ({
  judge: (property, name) => {
    const judgement = provable(() =>
      property ? judged(found, property, k) : ofSteps(found, name),
    );
    return judgement instanceof Unprovable ? notProved(judgement) : judgement;
  },
  networksOf: (n) => ordersOf(found.worlds.family.names(n)).map((order) => ring(order)),
  assumptions: assumptionsOf(found, k),
  figures: found.figures,
});

const holds: Judgement = { verdict: 'holds for every n' };

/** A property that says of all steps that they do not fail. */
function ofSteps({ views, smaller }: RingAbstraction, name: string): Judgement {
  const failure = [views, ...smaller].map(({ failures }) => failures.get(name)).find(Boolean);
  if (!failure) return holds;
  return {
    verdict: 'not proved',
    reason: `a step of a view fails, which may be of no real ring: ${failure.error.message}`,
    because: originLines(failure.origin),
  };
}

function judged(found: RingAbstraction, property: StateProperty, k: number): Judgement {
  const { worlds, views, smaller, forgotten } = found;
  const check = new RingProperty(worlds, forgotten, views, property);
  for (const view of views.views.values()) {
    if (check.holdsOnView(view)) continue;
    const origin = views.origins.get(ringKey(view));
    return {
      verdict: 'not proved',
      reason: 'a view violates it, which may be of no real ring',
      because: [`view: ${textOf(view)}`, ...(origin ? originLines(origin) : ['at the start'])],
    };
  }
  const small = smaller.flatMap(({ views }) => [...views.values()]);
  const bad = small.find((world) => !check.holdsOn(world));
  if (bad)
    return {
      verdict: 'not proved',
      reason: 'a small ring violates it',
      because: [`world: ${textOf(bad)}`],
    };
  const reason = check.notLocal(ringsToTry(found), k);
  return reason === undefined ? holds : { verdict: 'not proved', reason };
}

const plain = (data: unknown): string => canonical(data).replaceAll('"', '');

const textOf = (world: RingWorld): string =>
  world
    .map(({ id, state, sent }) =>
      [`${id} ${plain(state.value)} ${plain(state.context)} →`, ...sent.map(plain)].join(' '),
    )
    .join('; ');

const originLines = ({ world, step }: RingOrigin): readonly string[] => [
  ...(world.length > 0 ? [`from: ${textOf(world)}`] : []),
  `step: ${step.replaceAll('"', '')}`,
];

function assumptionsOf(
  { figures, forgotten, guessed, views }: RingAbstraction,
  k: number,
): readonly string[] {
  const { compared, alike, random } = figures;
  return [
    `a node of a network of more than ${alike.nodes} nodes does nothing new`,
    `compared were all steps of nodes in rings of up to ${compared.nodes} nodes in all orders of names, of up to ${alike.nodes} in some, and those of random runs of up to ${random.nodes}; in the source of guards and actions no larger number was found; functions that they call were not read`,
    `the properties speak of ${k} nodes at a time: compared on rings of up to ${alike.nodes} nodes with each state of each node, on random ones of up to ${random.nodes}, and on views with many more nodes like theirs`,
    ...aboutNumbers([...forgotten].sort(), [...guessed].sort()),
    ...(views.failures.size > 0
      ? ['a run ends with a step that fails: that none does is not proved']
      : []),
    'the names may stand in any order around the ring, of which machines see no more than which of two is larger',
    noFaults,
  ];
}
