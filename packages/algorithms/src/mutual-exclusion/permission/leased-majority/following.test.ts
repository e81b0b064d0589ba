/** The option `follow`: clients of the servers that never have the lock, and know who has it. */
import { type ExploreOptions, explore } from '@conclave/core/exploration';
import { start, step } from '@conclave/core/internal/protocol';
import { always, type LocalState, type Property, type Protocol, send } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { leftToVerify, proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assign } from 'xstate';
import { everyInterleavingOfVariant, type Mutant } from '../../../contract/explored.contract.js';
import { mutantOf, withMachine, withState } from '../../../contract/mutant.js';
import { followerMachine, leadingOf } from './following.js';
import { machine } from './leased-majority.js';
import type { Context, Event, Follower } from './node.js';
import { leasedMajority } from './protocol.js';
import { withQuestions } from './questions.contract.js';

const leadingMachine = leadingOf(machine);

/** So many servers, and clients that ask so often. */
const followed = (servers: number, questions: number) =>
  withQuestions(
    leasedMajority({ lease: 5_000, renewal: 2_000, servers, follow: true }),
    questions,
  );
const [one, two, three] = [followed(1, 2), followed(2, 2), followed(3, 2)];
const messages = { kind: 'exact', delay: [1_000, 1_000], stays: { critical: [0, 1_000] } } as const;
/** Messages and stays that take no time. */
const points = { kind: 'exact', delay: [0, 0], stays: { critical: [0, 0] } } as const;
const server = { crashes: 1, restarts: 1, mayCrash: ['server'] } as const;
const client = { crashes: 1, mayCrash: ['client'] } as const;

const ofServer = mutantOf(one, 'server');
const ofClient = mutantOf(one, 'client');

const mutants: Readonly<Record<string, Mutant>> = {
  'a client takes an answer of an earlier term': ofClient(
    '?',
    followerMachine.provide({ guards: { isAnswer: () => true } }),
  ),
  'a client does not hear that a term has ended': ofClient(
    '?',
    followerMachine.provide({ guards: { isNoEarlier: () => false } }),
  ),
  'a leader tells nobody that it leads no longer': ofServer(
    '?',
    leadingMachine.provide({ actions: { tellEnd: assign({}) } }),
  ),
};

describe('leased-majority, clients that follow one server', () => {
  everyInterleavingOfVariant(
    one,
    [
      ['a client asks twice', complete(2), { initiators: ['a'], time: points }, 0],
      [
        'a server enters twice',
        complete(2),
        { initiators: ['a'], commands: 2, time: points },
        0,
      ],
      [
        'a loss, messages of 1 s',
        complete(2),
        { initiators: ['a'], losses: 1, time: messages },
        0,
      ],
      [
        'two entries, the server crashes and restarts',
        complete(2),
        { initiators: ['a'], commands: 2, ...server, time: points },
        0,
      ],
      [
        'two clients, one crashes',
        complete(3),
        { initiators: ['a'], ...client, time: points },
        0,
      ],
    ],
    mutants,
  );
});
