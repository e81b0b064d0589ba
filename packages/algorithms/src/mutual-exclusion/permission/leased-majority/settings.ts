import { ConclaveError } from '@conclave/core/protocol';
import { validOptions } from '../../../options.js';
import { leasedMajorityOptions, type Options } from './options.js';

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
  const validity = validityOf(lease, drift, renewal);
  if (validity < 2 * renewal)
    throw new ConclaveError(
      'bad-input',
      `leasedMajority: a lease of ${lease} ms is too short for two renewals, ${renewal} ms each, with a drift of ${drift}`,
      'Give a longer lease, or renew more often.',
    );
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
 * A vote binds its voter for at least lease · (1 − drift). A client counts it for at most validity
 * · (1 + drift), from an earlier moment on. So validity is the largest multiple of `renewal` that
 * is less than lease · (1 − drift) / (1 + drift).
 */
const validityOf = (lease: number, drift: number, renewal: number): number =>
  (Math.ceil((lease * (1 - drift)) / (1 + drift) / renewal) - 1) * renewal;

/**
 * The stopwatch of the leader that runs out last was started after the question of a client, and
 * runs for at least validity · (1 − drift). The client's runs for at most shown · (1 + drift). So
 * shown is the largest multiple of a quarter of `renewal` that ends before.
 */
const shownFor = (validity: number, drift: number, renewal: number): number =>
  ((Math.ceil((validity * (1 - drift)) / (1 + drift) / (renewal / 4)) - 1) * renewal) / 4;
