/** What Maekawa's voting (ACM TOCS 3:2, 1985), with Sanders' correction, promises of clients, voters and each step. */
import { always, everyStep, type NodeId, type NodeStep, type NodeView, type Property } from '@conclave/core/protocol';
import { sameIds, stampOf } from '../building-blocks/clock-rules.js';
import { ticked } from '../building-blocks/lamport-clock.js';

const idsOf = ({ context }: NodeView, field: 'votes' | 'quorum' | 'refusals' | 'inquiries') => context[field] as readonly NodeId[]; // as the machine's own types say
const numberOf = ({ context }: NodeView, field: 'clock' | 'fence' | 'entries') => Number(context[field]);
const lockOf = ({ context }: NodeView) => context.lock as { readonly id: NodeId } | null; // as the machine's own types say
const isInside = ({ tags }: NodeView) => tags.has('critical');
const sentTo = ({ sent }: NodeStep, type: string) => sent.filter(({ message }) => message.type === type).map(({ to }) => to);
/** What the message of this type carries in a field; undefined where the step is about another one. */
const told = ({ cause }: NodeStep, type: string, field: string): number | undefined =>
  cause.kind === 'message' && cause.message.type === type
    ? Number(Object.entries(cause.message).find(([name]) => name === field)?.[1])
    : undefined;

const oneVoteEach = always('each voter’s vote is in one place: with itself, with one client, or on its way', (system) => {
  const places = [
    ...system.nodes.filter((node) => !lockOf(node)).map(({ id }) => id),
    ...system.nodes.flatMap((node) => idsOf(node, 'votes')),
    ...system.inFlight('locked').map(({ from }) => from),
    ...[...system.inFlight('relinquish'), ...system.inFlight('released')].map(({ to }) => to),
  ];
  return places.length === system.nodes.length && new Set(places).size === places.length;
});

const wholeQuorumLocked = always('whoever is in the critical section has its whole quorum locked', (system) =>
  system.tagged('critical').every((inside) => idsOf(inside, 'quorum').every((voter) => lockOf(system.node(voter))?.id === inside.id)),
);

/** What keeps requests from being passed for ever: each is younger than all that its node knew of. */
const stamps = everyStep(
  'a request is told to each other node of the quorum, with a time stamp past all that its node has seen',
  (step) => {
    const { before, after, cause, sent } = step;
    if (cause.kind !== 'command' || cause.command.type !== 'acquire')
      return numberOf(after, 'clock') === Math.max(numberOf(before, 'clock'), told(step, 'request', 'ts') ?? 0);
    const others = idsOf(after, 'quorum').filter((id) => id !== after.id);
    const stamp = ticked(numberOf(before, 'clock'));
    const requests = sent.filter(({ message }) => message.type === 'request');
    return (
      sameIds(sentTo(step, 'request'), others) &&
      numberOf(after, 'clock') === stamp &&
      requests.every(({ message }) => stampOf(message) === stamp)
    );
  },
);

const counts = everyStep(
  'an entry’s number is one more than the largest that its voters know, and stays as long as the node is inside',
  (step) => {
    const { before, after } = step;
    if (!isInside(after)) return true;
    const [was, is] = [numberOf(before, 'fence'), numberOf(after, 'fence')];
    return is === (isInside(before) ? was : 1 + Math.max(was, numberOf(after, 'entries'), told(step, 'locked', 'entries') ?? 0));
  },
);

/** A vote that is given back without need goes round in circles; one that is kept may deadlock. */
const givesBack = everyStep('a client that waits gives a vote back only if another voter has refused it', (step) => {
  const relinquished = sentTo(step, 'relinquish');
  return relinquished.length === 0 || idsOf(step.after, 'refusals').some((id) => !idsOf(step.before, 'votes').includes(id));
});

const keepsNone = everyStep(
  'a client that is refused by a voter keeps no vote that it was asked for',
  ({ after }) => idsOf(after, 'refusals').length === 0 || idsOf(after, 'inquiries').length === 0,
);

const nothingTwice = everyStep('no step says the same to the same node twice', ({ sent }) => {
  const said = sent.map(({ to, message }) => `${message.type} ${to}`);
  return new Set(said).size === said.length;
});

export const votes: readonly Property[] = [oneVoteEach, wholeQuorumLocked];

export const rules: readonly Property[] = [stamps, counts, givesBack, keepsNone, nothingTwice];
