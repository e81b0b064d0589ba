/** What Ricart and Agrawala's algorithm (CACM 24:1, 1981) promises of each step of a node. */
import { everyStep, type NodeId, type NodeStep, type NodeView, type Property } from '@conclave/core/protocol';
import { clockTicks, requestIsTold, sameIds } from './clock-rules.js';

const entriesOf = ({ context: { deferred } }: NodeView): readonly unknown[] => (Array.isArray(deferred) ? deferred : []);
/** A node, and where its request is kept or answered with its time stamp, that too. */
const named = (id: NodeId, of: object): string => ('ts' in of ? `${id} ${of.ts}` : id);
const deferredBy = (node: NodeView): readonly string[] =>
  entriesOf(node).map((one) => (typeof one === 'object' && one !== null && 'id' in one ? named(String(one.id), one) : String(one)));
const answersIn = ({ sent }: NodeStep): readonly string[] =>
  sent.filter(({ message }) => message.type === 'reply').map(({ to, message }) => named(to, message));

/** Whoever asks is answered or deferred, and whoever is deferred is answered some day: nobody is forgotten, and nobody is answered twice. */
const answeredOnce = (stamped: boolean): Property =>
  everyStep('each request is answered once: at once, or later if it is deferred', (step) => {
    const { before, after, cause } = step;
    const asked = cause.kind === 'message' && cause.message.type === 'request' ? [named(cause.from, stamped ? cause.message : {})] : [];
    return sameIds([...deferredBy(before), ...asked], [...answersIn(step), ...deferredBy(after)]);
  });

const nothingLeft = everyStep(
  'a node defers only while it waits or is inside',
  ({ after }) => after.tags.has('waiting') || after.tags.has('critical') || deferredBy(after).length === 0,
);

const allPermit = everyStep(
  'whoever is inside waits for nobody’s permission',
  ({ after: { tags, context } }) => !tags.has('critical') || (Array.isArray(context.awaiting) && context.awaiting.length === 0),
);

/** `stamped`: replies carry the stamps of the requests. */
export const permissionRules = ({ stamped = false }: { readonly stamped?: boolean } = {}): readonly Property[] => [
  requestIsTold,
  answeredOnce(stamped),
  nothingLeft,
  allPermit,
  clockTicks(['request']),
];
