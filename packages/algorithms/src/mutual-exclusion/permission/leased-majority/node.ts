/** Messages, input, context and events of a node. */
import type { NodeId, Received, Shape } from '@conclave/core/protocol';
import type { CancellableCommand } from '../../cancel.js';

/** A request, with the priority 0 without the option `priority`. */
interface Ranked {
  readonly ballot: number;
  readonly priority?: number;
}

/** Whether `one` is served before `other`: of a higher priority, or of the same one and older. */
export const isBefore = (one: Ranked, other: Ranked): boolean => {
  const more = (one.priority ?? 0) - (other.priority ?? 0);
  return more > 0 || (more === 0 && one.ballot < other.ballot);
};

/** With `servers`: a ballot that nobody else gets, for a client that has none of its own; 0: none. */
interface Ticket {
  readonly ticket?: number;
}

/** With `servers`: a request for the votes of those voters that are free. */
export type Try = {
  readonly type: 'try';
  readonly ballot: number;
  readonly round: number;
  readonly floor: number;
  readonly priority?: number;
} & Stamp;

/**
 * REQUEST and RELEASED (`release` is the application's command) go from client to voter, the others
 * back.
 */
export type Message =
  | ({
      readonly type: 'request';
      readonly ballot: number;
      readonly round: number;
      readonly floor: number;
      readonly priority?: number;
    } & Stamp)
  | ({
      readonly type: 'vote';
      readonly ballot: number;
      readonly round: number;
      readonly wanted?: boolean;
    } & Ticket &
      Stamp)
  | ({ readonly type: 'inquire'; readonly ballot: number } & Ticket)
  | ({ readonly type: 'refused'; readonly ballot: number; readonly floor: number } & Ticket & Stamp)
  | { readonly type: 'released'; readonly ballot: number; readonly floor: number }
  | Revocation;

/** With `revoke`: no smaller ballot than `floor` may enter, and who is inside by one leaves. */
type Revocation = {
  readonly type: 'revoked';
  readonly floor: number;
  readonly reason: string;
} & Ticket;

/**
 * Tells the application that it has the lock no longer: votes of a majority could not be renewed in
 * time.
 */
export type Notification =
  | { readonly type: 'lost'; readonly reason: 'lease-expired' }
  /** With `voters`: a majority of these voters knows the change. */
  | ({ readonly type: 'changed' } & Configuration)
  | { readonly type: 'lost'; readonly reason: 'revoked'; readonly why: string };

/**
 * With `follow`: a client asks all servers who leads, and the one that does answers. `asked` is the
 * number of the question.
 */
export type Following =
  | { readonly type: 'follow'; readonly asked: number }
  | { readonly type: 'leads'; readonly ballot: number; readonly asked: number }
  | { readonly type: 'ended'; readonly ballot: number };

/** With `announce`: the sender has the lock, by `ballot`. */
export type Announcement = { readonly type: 'leader'; readonly ballot: number };

/** Of all options. */
export type Said = Message | Try | Following | Announcement;

/** Without `revoke`. */
export type PlainMessage = Exclude<Message, Revocation>;

export interface Input {
  readonly self: NodeId;
  /**
   * All nodes, in their order. Each has ballots of its own: those whose remainder by the number of
   * nodes is the node's place in this list.
   */
  readonly nodes: readonly NodeId[];
  /** How long, in milliseconds, a vote binds its voter. */
  readonly lease: number;
  /** How long, in milliseconds, a client counts a vote, from when it sent the request. */
  readonly validity: number;
  /** The time, in milliseconds, from one request for the votes to the next. */
  readonly renewal: number;
  /** The client's latest ballot; 0 before the first. */
  readonly ballot: number;
  /**
   * The least ballot that this node may vote for: no smaller than that of any entry by one of its
   * votes.
   */
  readonly floor: number;
  /** The ballot that has the voter's vote; 0: none. */
  readonly vote: number;
  /**
   * With `keep`: for how long, in milliseconds, a client keeps its votes, from when it has left
   * first.
   */
  readonly keep?: number;
  /** With `keep`: how often a client enters with one ballot, at most. */
  readonly block?: number;
  /** With `greedy`: how often in a row a client enters under its votes while others wait. */
  readonly greedy?: number;
  /** With `voters`: the latest configuration that this node knows to be decided. */
  readonly configuration?: Configuration;
  /** With `voters`: the proposal for the next configuration that this voter has accepted last. */
  readonly accepted?: Proposal | null;
  /** With `servers`, at a voter: the client that has its vote; empty where it is none, or no client. */
  readonly client?: NodeId;
  /** With `servers`, at a voter: no ticket that it has given is larger. */
  readonly ahead?: number;
  /** With `follow`, at a client: how many questions it asks. Default: it never ends to ask. */
  readonly questions?: number;
}

/** A request that waits for the voter's vote, by the latest round that has arrived. */
export interface Queued {
  readonly ballot: number;
  readonly round: number;
  readonly priority?: number;
  /** With `servers`: the client whose request it is, where it is no voter. */
  readonly from?: NodeId;
  /** With `servers`: it was not repeated since the voter looked last. */
  readonly silent?: true;
}

/** With `follow`: a client that has asked the server while it led. */
export interface Follower {
  readonly id: NodeId;
  /** The number of its latest question. */
  readonly asked: number;
  /** The first round of votes that the server began after the question had come. */
  readonly round: number;
  /** Whether it has no answer yet. */
  readonly waits: boolean;
}

export interface Context extends Input {
  /** The largest ballot that this node has seen. */
  readonly largest: number;
  /** How often the client has requested the votes for its ballot. */
  readonly round: number;
  /** For each node, the latest round for which it has voted; 0: none. */
  readonly votes: readonly number[];
  /** The oldest, that is the smallest ballot, first. */
  readonly queue: readonly Queued[];
  /** With `keep`: how often the client has entered with this ballot after it had left. */
  readonly again?: number;
  /** With `priority`: of the client's request, and of the request that has the voter's vote. */
  readonly priority?: number;
  readonly votePriority?: number;
  /** With `voters`: the change that the client makes with its ballot. */
  readonly change?: Change | null;
  /** With `revoke`: the latest revocation that has arrived. */
  readonly revoked?: Pick<Revocation, 'floor' | 'reason'>;
  /** With `keep` and `servers` or `voters`: a voter has told the client that others wait. */
  readonly wanted?: boolean;
  /** With `greedy`: how often the client has entered under its votes while others waited. */
  readonly favours?: number;
  /** With `servers`, at a client: the latest ticket that it has not used; 0: none. */
  readonly reserve?: number;
  /** With `servers`, at a client: its ballot is a ticket that it had in reserve. */
  readonly isTry?: boolean;
  /** With `follow`, at a server: whom it tells that it leads, and tells when it leads no longer. */
  readonly followers?: readonly Follower[];
  /** With `follow`, at a client: the number of its latest question. */
  readonly asked?: number;
  /** With `follow`, at a client: the latest question that the leader has answered; 0: none. */
  readonly answered?: number;
  /** With `follow`, at a client, and with `announce`: the leader that it shows; empty: none. */
  readonly leader?: NodeId;
  /** With `announce`: the latest ballot by which a leader was shown, or this node has led. */
  readonly term?: number;
}

/**
 * With `keep`: the application returns the votes that its node keeps. With `revoke`: it takes the
 * lock away from whatever node has it. With `voters`: that of the holder changes the voters.
 */
export type LeaseCommand =
  | CancellableCommand
  | { readonly type: 'yield' }
  | { readonly type: 'revoke'; readonly reason: string }
  | { readonly type: 'change'; readonly voters: readonly NodeId[] };

/**
 * The client's own: it has sent an even or odd round, waits for votes no longer, or has to renew
 * them.
 */
type Internal = { readonly type: 'even' | 'odd' | 'stopped' | 'renew' };

export type Event = LeaseCommand | Received<Said> | Internal;

/** A message that an option adds fields to, and what they say. */
export const shapeWith = <F extends string, G extends string>(
  { fields = [], counters = [], meaning }: Shape<F>,
  more: readonly G[],
  saying: string,
  counted: NonNullable<Shape<G>['counters']> = [],
): Shape<F | G> => ({
  fields: [...fields, ...more],
  counters: [...counters, ...counted],
  meaning: `${meaning}; ${saying}`,
});

// The option `voters`: who votes. The configurations have numbers; the next one is decided by a
// majority of the voters of the last one, after a majority of its own has voted.

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
