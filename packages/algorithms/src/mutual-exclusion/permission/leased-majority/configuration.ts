/**
 * With the option `voters`: who votes. The configurations have numbers; the next one is decided by
 * a majority of the voters of the last one, after a majority of its own has voted.
 */
import type { NodeId } from '@conclave/core/protocol';

export interface Configuration {
  readonly number: number;
  readonly voters: readonly NodeId[];
}

/** The voters of the next configuration, as the client with this ballot proposes them. */
export interface Proposal {
  readonly ballot: number;
  readonly voters: readonly NodeId[];
}

/**
 * A change that a client makes. `asked`: it has been told, by its application, or by a voter that
 * has accepted it from another client; `proposed`: voters may accept it; `decided`: it counts;
 * `known`: a majority of the new voters knows it. Once it is decided, `voters` are those before.
 */
export interface Change extends Proposal {
  readonly phase: 'asked' | 'proposed' | 'decided' | 'known';
  /** Who has accepted it; once it is decided, who knows it. */
  readonly by: readonly NodeId[];
}

/** What requests, votes and refusals carry, with `voters`. */
export interface Stamp {
  /** The configuration that the sender knows. */
  readonly configuration?: Configuration;
  /** Of a request: what its client proposes; of a vote: what its voter has accepted last. */
  readonly next?: Proposal | null;
}

/** What this module reads of a context. */
interface Known {
  readonly nodes: readonly NodeId[];
  readonly ballot: number;
  readonly votes: readonly number[];
  readonly configuration?: Configuration;
  readonly accepted?: Proposal | null;
  readonly change?: Change | null;
}

/** Without the option `voters`, all nodes. */
export const votersOf = ({ nodes, configuration }: Known): readonly NodeId[] =>
  configuration?.voters ?? nodes;

/** To whom a client sends: the voters, and those of a change. */
export const electorateOf = (context: Known): readonly NodeId[] => {
  const voters = votersOf(context);
  const more = context.change?.voters.filter((id) => !voters.includes(id)) ?? [];
  return more.length === 0 ? voters : [...voters, ...more];
};

export const isMajority = (some: readonly NodeId[], voters: readonly NodeId[]): boolean =>
  2 * voters.filter((id) => some.includes(id)).length > voters.length;

/** Whether a majority of the voters has voted for round `first`, or for a later one. */
export const countsFrom = (context: Known, first: number): boolean =>
  context.configuration
    ? isMajority(votedFrom(context, first), votersOf(context))
    : 2 * context.votes.filter((latest) => latest > 0 && latest >= first).length >
      context.nodes.length;

const votedFrom = ({ nodes, votes }: Known, first: number): readonly NodeId[] =>
  nodes.filter((_, at) => (votes[at] ?? 0) >= Math.max(first, 1));

/** Whether majorities of the voters and of those of the change have voted for this ballot. */
export const mayPropose = (context: Known): boolean => {
  const { change } = context;
  const voted = votedFrom(context, 1);
  return (
    change?.phase === 'asked' &&
    isMajority(voted, votersOf(context)) &&
    isMajority(voted, change.voters)
  );
};

/**
 * Whether a majority of the voters has accepted the change. One of its own voters has voted for
 * this ballot before.
 */
export const isDecided = (context: Known): boolean =>
  context.change?.phase === 'proposed' && isMajority(context.change.by, votersOf(context));

/** Whether a majority of the voters of the change has voted for the present round. */
export const newVotersCount = (context: Known & { readonly round: number }): boolean =>
  isMajority(votedFrom(context, context.round), context.change?.voters ?? []);

/** Whether a majority of the voters knows the change by which they are. */
export const isKnown = (context: Known): boolean => {
  const { change } = context;
  return change?.phase === 'decided' && isMajority(change.by, votersOf(context));
};

export const stampOf = (context: Known, type: string): Stamp | undefined => {
  const { configuration, ballot, accepted = null, change } = context;
  if (!configuration || !['request', 'vote', 'refused'].includes(type)) return undefined;
  if (type === 'refused') return { configuration };
  if (type === 'vote') return { configuration, next: accepted };
  const proposes = change?.phase === 'proposed';
  return { configuration, next: proposes ? { ballot, voters: change.voters } : null };
};

/** The stamp of an event, if it has one. */
export const stampIn = (event: object): Stamp =>
  // as `stampOf` made it
  'configuration' in event ? (event as Stamp) : {};
