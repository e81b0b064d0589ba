/** Properties of readers and writers. */
import { always, everyStep, type NodeView, type Property } from '@conclave/core/protocol';
import { isCommanded, receiversIn, stepsOf } from '../../../steps.js';
import { propertiesWith } from '../../mutual-exclusion.js';
import { waitingIsLarger } from './properties.js';
import type { SharingMessage } from './readers-writers.js';

const { receivedIn } = stepsOf<SharingMessage>();

const shares = ({ context }: NodeView): boolean => context.shared === true;

const writesAlone = always(
  'a node with an exclusive entry is alone in the critical section',
  (system) => {
    const inside = system.tagged('critical');
    return inside.length <= 1 || inside.every(shares);
  },
);

const repliesAtOnce = everyStep(
  'a node that shares, or wants to, replies at once to the request of another one that does',
  (step) => {
    const request = receivedIn(step, 'request');
    if (!request?.shared || !shares(step.before)) return true;
    return receiversIn(step, 'reply').includes(request.from);
  },
);

const isAsAsked = everyStep('an entry is shared exactly if its node asked for that', (step) => {
  if (isCommanded('share', step)) return shares(step.after);
  if (isCommanded('acquire', step)) return !shares(step.after);
  return shares(step.after) === shares(step.before);
});

export const sharingRules: readonly Property[] = [
  ...propertiesWith(writesAlone),
  waitingIsLarger((one, other) => !shares(one) || !shares(other)),
  repliesAtOnce,
  isAsAsked,
];
