/** The options of A19, their defaults, and what follows from them. */
import { schemas } from '@conclave/core/internal';
import { ConclaveError, type NodeId } from '@conclave/core/protocol';
import {
  cancel,
  flag,
  type OptionSchemas,
  time,
  validityOf,
  validOptions,
  whole,
} from '../../../options.js';

export type Options = {
  /**
   * How long, in milliseconds, a vote binds its voter. After a crash of the holder, the others wait
   * as long. Two renewals must fit into it. In real time at least 1 / `drift`, such as 100: a timer
   * may end 1 ms early, and the drift must allow for that. Default 10,000.
   */
  readonly lease?: number;
  /**
   * By which part of itself each measured time may be wrong, at most: a timer of 1,000 ms fires
   * after 1,000 · (1 − drift) to 1,000 · (1 + drift) ms. Default 0.01.
   */
  readonly drift?: number;
  /**
   * The time, in milliseconds, from one request for the votes to the next; more than a round trip,
   * and in real time at least 10. Default: a fifth of `lease`.
   */
  readonly renewal?: number;
  /**
   * For how long, in milliseconds, a node that has left keeps its votes, from when it has left first
   * with them: meanwhile it enters again without a message, until another node asks. At least 10.
   * All nodes must give it, or none. Default: a node that leaves returns its votes.
   */
  readonly keep?: number;
  /**
   * Each request has a priority, `claim: { priority: 1 }` of a lock: the highest is served first. A
   * request that is overtaken gains one with each new ballot. Default false.
   */
  readonly priority?: boolean;
  /**
   * Which nodes vote at first; the holder may change that, by the command `change`. Not with
   * `servers`. Default: all nodes, for good.
   */
  readonly voters?: readonly NodeId[];
  /** An operator may take the lock away, at a node that votes: `lock.revoke(reason)`. Default false. */
  readonly revoke?: boolean;
  /**
   * With `keep`: the number of times in a row that a node may enter under its votes while another
   * one waits. All nodes may have another one. Default 0.
   */
  readonly greedy?: number;
  /**
   * How many nodes vote: the first ones of the network. The others are clients, any number of them,
   * which no voter needs to know before. Not with `voters`. Default: all nodes vote.
   */
  readonly servers?: number;
  /**
   * With `servers`: the clients only follow. They never have the lock, and know which server has it.
   * Not with `keep` or `priority`. Default false.
   */
  readonly follow?: boolean;
  /**
   * The node that has the lock tells all others, for an election: each knows who leads. Not with
   * `keep`, `priority` or `voters`, and with `servers` only where the clients follow. Default false.
   */
  readonly announce?: boolean;
  /** The application may withdraw a request. Default false. */
  readonly cancel?: boolean;
};

export const leasedMajorityOptions: OptionSchemas<Options> = {
  lease: time('how long a vote binds its voter'),
  drift: {
    type: 'number',
    meaning: 'by which part of it a time on a clock may be wrong, at most: 0.01',
    schema: schemas.drift,
  },
  renewal: time('the time from one request for the votes to the next'),
  keep: time('how long a node that has left keeps its votes'),
  priority: flag('requests have priorities'),
  voters: {
    type: 'list',
    meaning: 'which nodes vote at first: a,b,c',
    schema: schemas.nodeIds,
  },
  revoke: flag('an operator may take the lock away'),
  greedy: whole(0, 'with keep: how often in a row a node may enter while another one waits'),
  servers: whole(1, 'how many nodes vote, the first ones; the others are clients'),
  follow: flag('with servers: the clients only follow, and never have the lock'),
  announce: flag('the node that has the lock tells all others'),
  cancel,
};

/** Why these do not go together; all other options do. */
const apart: Readonly<Record<string, string>> = {
  'voters and servers':
    'a client has its tickets from the servers that it is told of at its start, and of these all vote',
};

/**
 * The options with their defaults, and what follows from them.
 *
 * @throws {ConclaveError} `bad-input`, as `leasedMajority` does.
 */
export function settingsOf(options: Options) {
  const {
    lease = 10_000,
    drift = 0.01,
    renewal = lease / 5,
    keep,
    greedy = 0,
    priority = false,
    revoke = false,
    servers,
    voters,
    follow = false,
    announce = false,
    cancel = false,
  } = validOptions('leasedMajority', leasedMajorityOptions, options);
  const validity = validityOf('leasedMajority', { lease, drift, renewal });
  if (greedy > 0 && keep === undefined)
    throw new ConclaveError(
      'bad-input',
      `leasedMajority: greedy is ${greedy}, and the node keeps no votes to enter again with`,
      'Give keep, too.',
    );
  if (follow && (servers === undefined || keep !== undefined || priority))
    throw new ConclaveError(
      'bad-input',
      'leasedMajority: follow is for the clients of servers, in an election, which has no keep and no priority',
      'Give servers, and leave out the others; or leave out follow.',
    );
  if (announce && (keep !== undefined || priority || voters || (servers !== undefined && !follow)))
    throw new ConclaveError(
      'bad-input',
      'leasedMajority: announce is for an election, which has no keep, no priority, and no voters that change, and whose clients follow',
      'Leave out the others, or announce.',
    );
  requireFit({ voters, servers });
  const keeps = keep !== undefined;
  return {
    lease,
    drift,
    renewal,
    validity,
    keep,
    greedy,
    priority,
    revoke,
    servers,
    voters,
    follow,
    announce,
    /** How long a client shows a leader, from its question on. */
    shown: shownFor(validity, drift, renewal),
    cancel,
    keeps,
    isGreedy: greedy > 0,
    /** Whether voters tell clients that others wait. */
    isTelling: keeps && (servers !== undefined || voters !== undefined),
  };
}

/** @throws {ConclaveError} `bad-input` where two options are given that do not go together. */
function requireFit(options: Readonly<Record<string, unknown>>): void {
  const given = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : name,
  );
  for (const [index, first] of given.entries())
    for (const second of given.slice(index + 1)) {
      const why = apart[`${first} and ${second}`];
      if (why)
        throw new ConclaveError(
          'bad-input',
          `leasedMajority: ${first} and ${second} do not go together: ${why}`,
          'Leave out one of them.',
        );
    }
}

/**
 * The stopwatch of the leader that runs out last was started after the question of a client, and
 * runs for at least validity · (1 − drift). The client's runs for at most shown · (1 + drift). So
 * shown is the largest multiple of a quarter of `renewal` that ends before.
 */
const shownFor = (validity: number, drift: number, renewal: number): number =>
  ((Math.ceil((validity * (1 - drift)) / (1 + drift) / (renewal / 4)) - 1) * renewal) / 4;
