import {
  always,
  everyStep,
  leadsTo,
  type NodeId,
  type Property,
  type Protocol,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { timers, validOptions } from '../../options.js';
import { receiversIn, sameIds, senderIn } from '../../steps.js';
import { type Command, commitProtocol, logOf, type TwoPhases } from '../commit.js';
import {
  coordinator,
  type Options,
  participant,
  twoPhaseCommitOptions,
} from './two-phase-commit.js';

export type { Command, Options };

/** By what a node has logged: the states that it may be in. */
const statesOf: Readonly<Record<string, readonly string[]>> = {
  none: ['initial', 'working', 'voting'],
  begun: ['collecting'],
  prepared: ['prepared'],
  committed: ['committed'],
  aborted: ['aborted'],
};

const ofLogs: readonly Property[] = [
  always('a node is in the state that it has logged', ({ nodes }) =>
    nodes.every((node) => node.crashed || statesOf[`${logOf(node)}`]?.includes(`${node.value}`)),
  ),
  leadsTo(
    'a participant that has not voted eventually votes, or aborts',
    ({ value, crashed }) => value === 'working' && !crashed,
    ({ value, crashed }) => value !== 'working' || crashed,
  ),
];

/** What a step of a node sends is due, and nothing else. */
const steps: readonly Property[] = [
  everyStep(
    'a coordinator tells its decision exactly to the participants whose yes has come',
    (step) => {
      const { before, after } = step;
      if (before.role !== 'coordinator') return true;
      const { peers, awaiting } = before.context as { readonly [name: string]: readonly NodeId[] }; // of its machine
      const told = receiversIn(step, 'commit', 'abort');
      if (before.tags.has('decided')) return sameIds(told, senderIn(step, 'yes'));
      if (logOf(after) === 'committed') return sameIds(told, peers);
      const voters = peers?.filter((id) => !awaiting?.includes(id)) ?? [];
      return sameIds(told, after.tags.has('decided') ? voters : []);
    },
  ),
  everyStep('a participant follows each decision that it gets', ({ after, cause }) => {
    if (cause.kind !== 'message' || after.role !== 'participant') return true;
    const decided = { commit: 'committed', abort: 'aborted' }[cause.message.type];
    return decided === undefined || logOf(after) === decided;
  }),
  everyStep('a participant that has aborted votes no when it is asked', (step) =>
    sameIds(
      step.cause.kind === 'choice' ? [] : receiversIn(step, 'no'),
      step.before.value === 'aborted' ? senderIn(step, 'prepare') : [],
    ),
  ),
];

/**
 * E4: two-phase commit of one transaction. The host answers `choose` with the vote of its node.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example twoPhaseCommit({ timeout: 500 })
 */
export function twoPhaseCommit(options: Options = {}): Protocol<Command> {
  const { timeout = 1000 } = validOptions('twoPhaseCommit', twoPhaseCommitOptions, options);
  return commitProtocol<TwoPhases>({
    id: 'E4',
    name: 'two-phase-commit',
    title: 'Two-phase commit',
    citation:
      'J. N. Gray: Notes on Data Base Operating Systems. Operating Systems: An Advanced Course, LNCS 60, 1978, 393–481, section 5.8.3; B. W. Lampson, H. E. Sturgis: Crash Recovery in a Distributed Data Storage System. Xerox PARC, 1976',
    options: { timeout },
    times: timers({ timeout }),
    topology: needs.star,
    channels: { order: 'any', loss: false, duplication: true },
    tolerates: ['crash', 'restart'],
    machines: { coordinator, participant },
    node: {
      input: (self, topology) => ({ peers: topology.successors(self), timeout, log: 'none' }),
      stable: ['log'],
    },
    messages: {
      prepare: { meaning: 'can you commit the transaction?' },
      yes: { meaning: 'I can, whatever happens from now on' },
      no: { meaning: 'I have aborted it' },
      commit: { meaning: 'all have voted yes: commit' },
      abort: { meaning: 'abort' },
    },
    safety: ofLogs,
    steps,
    cost: [2, 3],
  });
}
