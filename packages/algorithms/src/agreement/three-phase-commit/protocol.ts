import {
  always,
  everyStep,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
  type Protocol,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { receiversIn, sameIds, senderIn, stepsOf } from '../../steps.js';
import { type Command, commitProtocol, isDecided } from '../commit.js';
import { type Context, coordinator, type Message, participant } from './three-phase-commit.js';

export type { Command };

const { contextOf } = stepsOf<Message, Context>();
const liveOf = (node: NodeView): readonly NodeId[] => contextOf(node).live;
const leads = (node: NodeView): boolean => liveOf(node)[0] === node.id;

/** Skeen's condition: what another node may have decided shows in the state of each that lives. */
const noDoubt = always(
  'no node that lives is prepared while another has committed, or precommitted while another has aborted',
  ({ nodes }) => {
    const some = (value: string) => nodes.some((node) => node.value === value);
    const someLive = (value: string) => nodes.some((node) => !node.crashed && node.value === value);
    return (
      !(some('committed') && someLive('prepared')) && !(some('aborted') && someLive('precommitted'))
    );
  },
);

/** A coordinator sends to all others that live, once, what brings them to its state. */
const tellsOthers = (type: Message['type'], state: string): Property =>
  everyStep(
    `a node that becomes a coordinator in '${state}' sends '${type}' to all others, and no other node does`,
    (step) => {
      const { before, after } = step;
      const isDue = (node: NodeView) => leads(node) && node.value === state;
      const others = liveOf(after).filter((id) => id !== after.id);
      return sameIds(receiversIn(step, type), isDue(after) && !isDue(before) ? others : []);
    },
  );

/** The nodes that are alive after a step, as the node must believe. */
function liveAfter(step: NodeStep): readonly NodeId[] {
  const live = liveOf(step.before);
  const [down] = senderIn(step, 'down');
  const [leader = ''] = senderIn(step, 'precommit', 'revert');
  const follows = ['prepared', 'precommitted'].includes(`${step.before.value}`);
  if (follows && live.includes(leader)) return live.slice(live.indexOf(leader));
  return live.filter((id) => id !== down);
}

const steps: readonly Property[] = [
  everyStep(
    'a participant that has not decided takes the state of the coordinator that it follows, and stays when another node is down',
    (step) => {
      const { before, after } = step;
      const [asks] = senderIn(step, 'precommit', 'revert');
      const [from] = senderIn(step, 'precommit', 'revert', 'commit', 'abort');
      const isIdle = senderIn(step, 'down').length > 0 && !leads(after);
      if (isIdle || (from !== undefined && !liveOf(before).includes(from)))
        return after.value === before.value;
      if (asks === undefined || isDecided(before)) return true;
      const isReverting = senderIn(step, 'revert').length > 0;
      const reverted = before.value === 'working' ? 'aborted' : 'prepared';
      return after.value === (isReverting ? reverted : 'precommitted');
    },
  ),
  tellsOthers('prepare', 'collecting'),
  tellsOthers('precommit', 'precommitted'),
  tellsOthers('revert', 'prepared'),
  tellsOthers('commit', 'committed'),
  tellsOthers('abort', 'aborted'),
  everyStep(
    'a node knows who is down, and who was coordinator before the one it follows',
    (step) =>
      (step.before.tags.has('decided') && step.before.role === 'coordinator') ||
      sameIds(liveOf(step.after), liveAfter(step)),
  ),
  everyStep('a node that has not decided answers the coordinator that it follows', (step) => {
    const asked = senderIn(step, 'precommit', 'revert').filter((id) =>
      liveOf(step.before).includes(id),
    );
    const acked = receiversIn(step, 'ack');
    return sameIds(acked, asked) || (step.before.tags.has('decided') && acked.length < 2);
  }),
];

/**
 * E4b: three-phase commit of one transaction. The host answers `choose` with the vote of its node.
 *
 * @example threePhaseCommit
 */
export const threePhaseCommit: Protocol<Command> = commitProtocol<Message>({
  id: 'E4b',
  name: 'three-phase-commit',
  title: 'Three-phase commit',
  citation:
    'D. Skeen: Nonblocking Commit Protocols. SIGMOD 1981, 133–142; P. A. Bernstein, V. Hadzilacos, N. Goodman: Concurrency Control and Recovery in Database Systems. Addison-Wesley, 1987, section 7.5',
  topology: needs.complete,
  channels: { order: 'fifo', loss: false, duplication: false },
  crashNotice: 'down',
  tolerates: ['crash'],
  machines: { coordinator, participant },
  node: { input: (self, { nodes }) => ({ self, live: nodes }) satisfies Omit<Context, 'awaiting'> },
  messages: {
    prepare: { meaning: 'can you commit the transaction?' },
    yes: { meaning: 'I can' },
    no: { meaning: 'I have aborted it' },
    precommit: { meaning: 'all have voted yes: I will commit when all know it' },
    revert: {
      meaning: 'I do not know whether all have voted yes: I will abort when all have my state',
    },
    ack: { meaning: 'I have your state' },
    commit: { meaning: 'commit' },
    abort: { meaning: 'abort' },
    down: { meaning: 'from the network: the sender has crashed' },
  },
  safety: [noDoubt],
  steps,
  cost: [3, 5],
});
