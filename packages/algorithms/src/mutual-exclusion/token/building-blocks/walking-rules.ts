/** What each step promises of nodes whose wishes spread by waves, and whose token walks back. */
import { everyStep, type NodeId, type NodeStep, type NodeView, type Property } from '@conclave/core/protocol';
import { countOf, entriesOn, fenceOf } from './token-knowledge.js';
import { countsEntries, isTold, nothingTwice, receivedIn, remembersRequests, requestsInOrder, sentIn } from './token-steps.js';
import type { Hearer } from './wave.js';

const hearer = ({ context }: NodeView): Hearer => context as unknown as Hearer; // as the machines' own type says

const searchIn = (step: NodeStep) => {
  const search = receivedIn(step, 'search');
  return search && { initiator: String(search.initiator), k: Number(search.k), from: search.from };
};

/** Whom the wish is news to that a step makes, or hears of: all neighbours but the one that it comes from. */
function toldIn(step: NodeStep): readonly NodeId[] {
  const { requested, neighbours } = hearer(step.before);
  const search = searchIn(step);
  if (search) return search.k > countOf(requested, search.initiator) ? neighbours.filter((id) => id !== search.from) : [];
  return isTold('acquire', step) && !step.before.tags.has('token') ? neighbours : [];
}

const spreads = everyStep(
  'whoever has a wish or hears of one first tells all its other neighbours, and nobody tells anything else',
  (step) => {
    const told = toldIn(step);
    const sent = sentIn(step, 'search').map(({ to }) => to);
    return sent.length === told.length && told.every((id) => sent.includes(id));
  },
);

/** Where the wave was heard of first, by who says what it is for. */
const goesBack = (type: string, field: string) => (step: NodeStep) => {
  const { towards } = hearer(step.after);
  return sentIn(step, type).every(({ to, message }) => to === towards[String(message[field])]);
};

const tokenGoesBack = everyStep(
  'the token goes to the neighbour from which the wish was heard first that it is for',
  goesBack('token', 'to'),
);

export const echoGoesBack = everyStep('an echo goes to the neighbour from which the wish was heard first', goesBack('echo', 'initiator'));

/**
 * Chang's rule: whoever has heard from all neighbours, by the wave itself or by an echo, tells the one that it heard from first. An older wish of
 * the same node is nobody's concern any more.
 */
export const echoes = everyStep(
  'whoever has heard of the latest wish of a node from all neighbours sends an echo, and nobody else does',
  (step) => {
    const heard = receivedIn(step, 'search', 'echo');
    const sent = sentIn(step, 'echo');
    if (!heard) return sent.length === 0;
    const { self, neighbours, requested, awaited = {} } = hearer(step.before);
    const [initiator, k] = [String(heard.initiator), Number(heard.k)];
    const isNews = k > countOf(requested, initiator);
    const isOfLatest = isNews || (k === countOf(requested, initiator) && countOf(awaited, initiator) > 0);
    const left = (isNews ? neighbours.length : countOf(awaited, initiator)) - (isOfLatest ? 1 : 0);
    const isDue = isOfLatest && left === 0 && initiator !== self;
    return countOf(hearer(step.after).awaited ?? {}, initiator) === left && sent.length === (isDue ? 1 : 0);
  },
);

export const walkingRules: readonly Property[] = [
  countsEntries(fenceOf, entriesOn),
  requestsInOrder,
  remembersRequests((step) => {
    const { initiator, k } = searchIn(step) ?? {};
    return initiator === undefined || k === undefined ? undefined : [initiator, k];
  }),
  spreads,
  tokenGoesBack,
  nothingTwice,
];
