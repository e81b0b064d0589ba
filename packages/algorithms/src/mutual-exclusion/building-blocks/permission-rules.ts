/** What Ricart and Agrawala's algorithm (CACM 24:1, 1981) promises of each step of a node. */
import { everyStep, type NodeStep, type NodeView, type Property } from '@conclave/core/protocol';
import { clockTicks, sameIds, wishIsTold } from './clock-rules.js';

const deferredBy = ({ context }: NodeView): readonly string[] => (Array.isArray(context.deferred) ? context.deferred.map(String) : []);
const answersIn = ({ sent }: NodeStep): readonly string[] => sent.filter(({ message }) => message.type === 'reply').map(({ to }) => to);

/** Whoever asks is answered or deferred, and whoever is deferred is answered some day: nobody is forgotten, and nobody is answered twice. */
const answeredOnce = everyStep('each request is answered once: at once, or later if it is deferred', (step) => {
  const { before, after, cause } = step;
  const asked = cause.kind === 'message' && cause.message.type === 'request' ? [cause.from] : [];
  return sameIds([...deferredBy(before), ...asked], [...answersIn(step), ...deferredBy(after)]);
});

const nothingLeft = everyStep(
  'a node defers only while it waits or is inside',
  ({ after }) => after.tags.has('waiting') || after.tags.has('critical') || deferredBy(after).length === 0,
);

export const permissionRules: readonly Property[] = [wishIsTold, answeredOnce, nothingLeft, clockTicks(['request'])];
