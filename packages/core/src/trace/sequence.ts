import type { NodeId } from '../protocol/node.js';
import { eventText, statesText, type Trace, type TraceLine } from './trace.js';

/**
 * A trace as a Mermaid sequence diagram: an arrow for each delivery, a crossed one for each loss,
 * notes for all else that happens to a node and for its changes of state. Messages appear when they
 * arrive; the space-time diagram also shows when they were sent.
 */
export function sequenceDiagram(trace: Trace): string {
  const ids = participants(trace);
  const names = new Map(ids.map((id, index) => [id, `n${index + 1}`])); // an id may be a word of Mermaid's, such as `end`
  const name = (id: string): string => names.get(id) ?? id;
  return [
    'sequenceDiagram',
    ...ids.map((id) => `participant ${name(id)} as ${label(id)}`),
    ...trace.lines.flatMap((line) => statements(line, name)),
  ].join('\n    ');
}

function statements(line: TraceLine, name: (id: string) => string): string[] {
  const { node, event, before, after, effects } = line;
  const remarks = [
    ...(before !== undefined && before !== after ? [statesText(line)] : []),
    ...effects.flatMap((effect) => (effect.kind === 'notify' ? [`notify ${effect.call}`] : [])),
  ];
  const note = (...texts: string[]): string[] =>
    texts.length === 0 ? [] : [`Note over ${name(node)}: ${texts.map(label).join('<br/>')}`];
  const { kind } = event;
  if (kind === 'deliver')
    return [`${name(event.from)}->>${name(node)}: ${label(event.call)}`, ...note(...remarks)];
  if (kind === 'drop') return [`${name(event.from)}-x${name(node)}: ${label(event.call)}`];
  if ('from' in event)
    return [`Note over ${name(event.from)},${name(node)}: ${label(eventText(event))}`];
  return kind === 'start' ? note(...remarks) : note(eventText(event), ...remarks);
}

/** `text` with the characters that mean something to Mermaid as its entities. */
const label = (text: string): string =>
  text.replace(
    /[^\p{L}\p{N} .,:()[\]_→&'*+/=!?-]/gu,
    (character) => `#${character.codePointAt(0)};`,
  );

/**
 * The nodes of a trace: those its header lists under `nodes`, in that order, then all others that
 * occur in it, by their order.
 */
export function participants(trace: Trace): readonly NodeId[] {
  const listed = trace.header.get('nodes')?.split(/\s+/).filter(Boolean) ?? [];
  const others = new Set<NodeId>();
  for (const { node, event, effects } of trace.lines) {
    others.add(node);
    if ('from' in event) others.add(event.from);
    for (const effect of effects) if (effect.kind === 'send') others.add(effect.to);
  }
  for (const id of listed) others.delete(id);
  return [...new Set(listed), ...[...others].sort()];
}
