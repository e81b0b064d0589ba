/** Properties of the options `keep` and `greedy`. */
import { always, everyStep, leadsTo, type Property } from '@conclave/core/protocol';
import { isCommanded, stepsOf } from '../../../steps.js';
import { inCriticalSection } from '../../mutual-exclusion.js';
import { favoursIn } from '../../token/building-blocks/greedy.js';
import { othersWait } from './actions.js';
import type { Context, Message, Try } from './node.js';
import { hasLock, isDue, keepsVotes, stateIn, stays } from './step-properties.js';

const { contextOf, receivedIn, sentIn } = stepsOf<Message | Try, Context>();

/** The properties of the option `keep`. */
export const keepRules: readonly Property[] = [
  always(
    'the renewals of a client run while it has the lock, and the time of `keep` from when it has left first',
    ({ nodes }) =>
      nodes.every((node) => {
        if (node.crashed) return true;
        const [renewals, tenure] = [stateIn(node, 'renewals'), stateIn(node, 'tenure')];
        if (!hasLock(node))
          return renewals === 'off' && tenure === 'off' && (contextOf(node).again ?? 0) === 0;
        return (
          renewals === 'running' && (stateIn(node, 'client') !== 'keeping' || tenure === 'running')
        );
      }),
  ),
  everyStep(
    'a node that releases keeps its votes, unless another one waits, `keep` has passed, or its block is used',
    (step) => {
      if (!isCommanded('release', step)) return true;
      const { again = 0, block = 1 } = contextOf(step.before);
      const mustYield =
        othersWait({ context: contextOf(step.before) }) ||
        contextOf(step.before).change != null ||
        stateIn(step.before, 'tenure') === 'over' ||
        again + 1 >= block;
      return mustYield || keepsVotes(step.after);
    },
  ),
  everyStep(
    'when `keep` has passed, a node keeps its votes no longer than a turn',
    (step) =>
      !isDue(step, 'keep') ||
      ((!keepsVotes(step.after) || stays(step.after)) &&
        (stateIn(step.after, 'tenure') === 'over' || !hasLock(step.after))),
  ),
  everyStep(
    'a node that keeps its votes enters again at once, without a message, with the next token of its block',
    (step) => {
      if (!isCommanded('acquire', step) || !keepsVotes(step.before)) return true;
      const [last = 0, next = 0] = [step.before, step.after].map((node) => contextOf(node).again);
      return (
        inCriticalSection(step.after) &&
        step.sent.length === 0 &&
        next === last + 1 &&
        next < (contextOf(step.after).block ?? 0)
      );
    },
  ),
  everyStep(
    'only a node that releases begins to keep its votes',
    (step) => !keepsVotes(step.after) || keepsVotes(step.before) || isCommanded('release', step),
  ),
  everyStep(
    'a node that yields, or whose ballot is inquired of while it keeps its votes, keeps them no longer',
    (step) => {
      const inquired = receivedIn(step, 'inquire');
      const isAsked =
        isCommanded('yield', step) ||
        (inquired?.ballot === contextOf(step.before).ballot && !stays(step.before));
      return !isAsked || !keepsVotes(step.before) || !keepsVotes(step.after);
    },
  ),
  always('no node keeps its votes while the request of another node waits at it', ({ nodes }) =>
    nodes.every(
      (node) => !keepsVotes(node) || stays(node) || !othersWait({ context: contextOf(node) }),
    ),
  ),
  leadsTo(
    'a node that keeps its votes eventually enters again or returns them',
    keepsVotes,
    (node) => !keepsVotes(node),
    { vacuous: 'its block has one token' },
  ),
];

/** The properties of the option `greedy`. */
export const greedyRules = (greedy: number): readonly Property[] => [
  favoursIn(greedy),
  everyStep(
    'a node that leaves while others wait keeps its votes for a turn only if it may enter before them',
    (step) => {
      if (!isCommanded('release', step)) return stays(step.before) || !stays(step.after);
      const { favours = 0 } = contextOf(step.before);
      const waited = othersWait({ context: contextOf(step.before) });
      return stays(step.after) ? waited && favours < greedy : !waited || !keepsVotes(step.after);
    },
  ),
  everyStep(
    'a node that keeps its votes for a turn keeps them until it ends, unless it enters, yields or loses them',
    (step) => {
      const { before, after, cause } = step;
      const ends = ['acquire', 'yield', 'revoke'].some((type) => isCommanded(type, step));
      if (!stays(before) || ends || receivedIn(step, 'revoked')) return true;
      if (isDue(step, 'turn')) return !stays(after);
      if (cause.kind === 'timeout') return true; // its lease may be over
      const { ballot } = contextOf(before);
      return (
        stays(after) && sentIn(step, 'released').every(({ message }) => message.ballot !== ballot)
      );
    },
  ),
  everyStep('a node counts each entry before others that wait', (step) => {
    const [last = 0, next = 0] = [step.before, step.after].map((node) => contextOf(node).favours);
    if (isCommanded('acquire', step) && stays(step.before)) return next === last + 1;
    return hasLock(step.after) ? next === last : next === 0;
  }),
];
