import { schemas } from '@conclave/core/internal/options';
import type { NodeId } from '@conclave/core/protocol';
import { cancel, flag, type OptionSchemas, time, whole } from '../../../options.js';

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
