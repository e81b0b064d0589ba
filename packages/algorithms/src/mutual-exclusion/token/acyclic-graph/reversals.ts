/** What becomes of the edges that point away from the node to which the token comes, where they are not simply given up. */
import { type NodeId, send } from '@conclave/core/protocol';
import { assertEvent } from 'xstate';
import { pointingTo } from '../building-blocks/edge-orientation.js';
import { chart, node } from './acyclic-graph.js';

/** Whoever sent the token has turned its edge itself. */
const othersOf = (out: readonly NodeId[], sender: NodeId) => out.filter((id) => id !== sender);

const turnAndTell = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'token');
  for (const id of othersOf(context.out, event.from)) enqueue.emit(send(id, { type: 'reversed' }));
  enqueue.assign({ out: [] });
});

/** The neighbours at the other ends turn them, too, when they hear of it. */
const all = (chooses: boolean) => chart({ neighbours: 'are told', chooses }).provide({ actions: { turnEdges: turnAndTell } });

const turnAndAwait = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'token');
  const telling = othersOf(context.out, event.from);
  for (const id of telling) enqueue.emit(send(id, { type: 'reversed' }));
  enqueue.assign({ out: [], telling });
});

const pointBackAndAcknowledge = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'reversed');
  enqueue.assign({ out: pointingTo(event.from, context.out) });
  enqueue.emit(send(event.from, { type: 'acknowledged' }));
});

/** And the token stays until they have said so. */
const acknowledged = (chooses: boolean) =>
  chart({ neighbours: 'answer', chooses }).provide({ actions: { turnEdges: turnAndAwait, pointBack: pointBackAndAcknowledge } });

const takeAndCount = node.assign(({ event }) => {
  assertEvent(event, 'token');
  return { entries: event.entries + 1 };
});

const turnAndTellNumber = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'token');
  for (const id of othersOf(context.out, event.from)) enqueue.emit(send(id, { type: 'reversed', entries: context.entries }));
  enqueue.assign({ out: [] });
});

const pointToLater = node.assign(({ context, event }) => {
  assertEvent(event, 'reversed');
  return { out: (event.entries ?? 0) > context.entries ? pointingTo(event.from, context.out) : context.out };
});

const passAndRemember = node.enqueueActions(({ context: { queue, out, entries }, enqueue }) => {
  const [first, ...others] = queue;
  if (first === undefined) return;
  enqueue.emit(send(first, { type: 'token', entries }));
  enqueue.assign({ queue: others, out: pointingTo(first, out) });
});

/**
 * The token counts its visits, too, and each node remembers the number it had when it left there last. News of a visit before that come too
 * late; then the edge stays undirected.
 */
const numbered = (chooses: boolean) =>
  chart({ neighbours: 'are told', chooses }).provide({
    actions: { takeToken: takeAndCount, turnEdges: turnAndTellNumber, pointBack: pointToLater, passToken: passAndRemember },
  });

/** Edges that pointed away from where the token comes are given up, and nobody is told. */
const travelled = (chooses: boolean) => chart({ neighbours: 'are not told', chooses });

/** The chart of each; `chooses`: whether the host chooses over which edge to ask. */
export const charts = { travelled, all, acknowledged, numbered };
