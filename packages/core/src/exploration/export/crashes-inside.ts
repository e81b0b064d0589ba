import { partialSends } from '../../channel/partial-sends.js';
import { actionText } from '../worlds/action-text.js';
import { isStep } from '../worlds/world.js';
import type { Numbers } from './event-tables.js';
import type { EventTable, RowEntry } from './system-tables.js';

/**
 * The crashes in the middle of a step: for each event and each part of what it sends, the event
 * after which the node is down and that part is lost.
 */
export const crashesInside = (
  numbers: Numbers,
  events: readonly EventTable[],
): readonly EventTable[] =>
  events
    .filter(({ type }) => type !== 'crash')
    .flatMap((event) =>
      event.type === 'choose' ? ofChoice(numbers, event) : parts(numbers, event),
    );

/** An answer that sends and asks nothing can be lost itself where the node has more to answer. */
function ofChoice(numbers: Numbers, event: EventTable): readonly EventTable[] {
  const id = numbers.nodes[event.node]?.id;
  const isAgain = ({ rest }: { readonly rest: number }) =>
    numbers.choices.item(rest).some(({ node }) => node === id);
  const answers = (event.answers ?? []).map(({ list, rest }) => ({ list, rest }));
  const split = [answers.filter(isAgain), answers.filter((answer) => !isAgain(answer))];
  return split.flatMap((some, index) =>
    some.length === 0 ? [] : parts(numbers, { ...event, answers: some }, index === 0),
  );
}

function parts(numbers: Numbers, event: EventTable, isAgain = false): readonly EventTable[] {
  const { compiled, nodes, mayCrash, notices, choices } = numbers;
  const { order, protocol } = compiled.worlds;
  const { action: during } = event;
  if (!isStep(during)) return [];
  const byLost = new Map<string, { lost: readonly number[]; rows: RowEntry[] }>();
  for (const row of event.rows) {
    if (mayCrash[event.node]?.has(row.after) === false) continue;
    const groups = row.sends.map(({ channel, message }) =>
      order === 'fifo' ? channel : `${channel} ${message}`,
    );
    const isAsked = isAgain || row.asks.length > 0;
    for (const lost of partialSends(groups)) {
      if (!isAsked && lost.length === 0) continue;
      const key = lost.join();
      const known = byLost.get(key) ?? { lost, rows: [] };
      byLost.set(key, known);
      const left = row.sends.filter((_, position) => !lost.includes(position));
      known.rows.push({ ...row, asks: [], sends: [...left, ...(notices[event.node] ?? [])] });
    }
  }
  const id = nodes[event.node]?.id ?? '';
  const closed = event.answers?.map(({ list, rest }) => ({
    list,
    rest: choices.id(choices.item(rest).filter(({ node }) => node !== id)),
  }));
  return [...byLost.values()].map(({ lost, rows }) => ({
    ...event,
    ...(closed && { answers: closed }),
    label: actionText(protocol, { type: 'crash', node: id, during, lost }),
    ...{ fair: -1, isOptional: false, crashes: true as const, rows },
    enabled: new Set(rows.map(({ state }) => state)),
  }));
}
