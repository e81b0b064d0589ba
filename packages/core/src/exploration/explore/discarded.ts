import { stateText } from '../../protocol/handles.js';
import { roleOf } from '../../protocol/protocol.js';
import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';

/** Messages of one type that nodes of one role have discarded in one state. */
export interface Discarded {
  readonly role: string;
  readonly state: string;
  readonly message: string;
  /** In how many distinct steps: a local state of a node, and a message. */
  readonly steps: number;
}

/** What the nodes have discarded; undefined where unexpected messages are refused. */
export function discardedIn(
  compiled: Pick<CompiledWorlds, 'worlds' | 'distinctSteps'>,
): readonly Discarded[] | undefined {
  const { protocol, topology, budget } = compiled.worlds;
  if (budget.unexpected !== 'discard') return undefined;
  const found = new Map<string, Discarded>();
  for (const { id, node, state, action } of compiled.distinctSteps()) {
    if (action.type !== 'deliver' || !node.discards(state, action)) continue;
    const place = {
      role: roleOf(protocol, id, topology).name,
      state: stateText(state.value),
      message: action.message.type,
    };
    const key = JSON.stringify(place);
    found.set(key, { ...place, steps: (found.get(key)?.steps ?? 0) + 1 });
  }
  return [...found.values()];
}

/** The assumption that a verdict rests on where messages were discarded. */
export function discardsAssumed(discarded: readonly Discarded[] = []): readonly string[] {
  if (discarded.length === 0) return [];
  const places = discarded.map(({ message, state }) => `'${message}' in '${state}'`);
  return [
    `that a node discards a message that its state does not handle: ${[...new Set(places)].join(', ')}`,
  ];
}
