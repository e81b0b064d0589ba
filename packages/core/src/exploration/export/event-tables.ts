import type { Command } from '../../protocol/node.js';
import type { LocalState } from '../../protocol/step.js';
import { handled, violatedBy } from '../../protocol/unhandled-messages.js';
import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import type { DataInterner } from '../search/tables/interner.js';
import { actionText } from '../worlds/action-text.js';
import { sameData } from '../worlds/canonical.js';
import { type Action, isStep, type StepAction, type World } from '../worlds/world.js';
import type { EventTable, NodeTable, RowEntry, SendEntry } from './system-tables.js';

/** What the events of a system are numbered by, while its tables are built. */
export interface Numbers {
  readonly compiled: CompiledWorlds;
  readonly nodes: readonly NodeTable[];
  /** By node: the new number of each local state. */
  readonly states: readonly (readonly number[])[];
  readonly choices: DataInterner<World['choosing']>;
  /** By node: the local states in which it may crash; undefined: in all. */
  readonly mayCrash: readonly (ReadonlySet<number> | undefined)[];
  /** By node: what others are told of its crash. */
  readonly notices: readonly (readonly SendEntry[])[];
}

/** The events that the explorer has seen. */
export function eventsOf(numbers: Numbers): readonly EventTable[] {
  const { compiled, states } = numbers;
  const { length: nodeCount } = compiled.worlds.topology.nodes;
  const events = new Map<number, Collected>();
  for (const { id, index, number, action, outcome } of compiled.distinctSteps()) {
    if (!isOfNode(action)) continue; // a message to a node that is down
    const key = compiled.actionNumber(action);
    const event = events.get(key) ?? { ...nothingSeen(), node: index };
    events.set(key, event);
    const renumbered = states[index] ?? [];
    const state = renumbered[number];
    const after = renumbered[outcome.state];
    if (state === undefined) continue; // a state that no world has
    if (outcome.error) {
      event.failing.add(state);
      const violated = violatedBy(outcome.error, compiled.worlds.budget.unexpected);
      if (violated === handled) event.unhandled.add(state);
    } else if (after !== undefined)
      event.rows.push({
        ...{ state, after, sends: sendsOf(outcome.sends, nodeCount) },
        asks: outcome.choices.map((choice) => ({ node: id, ...choice })),
      });
  }
  return [...events].flatMap(([key, event]) => {
    const action = compiled.actionOf(key);
    const rows = event.rows.toSorted((a, b) => a.state - b.state);
    return isOfNode(action) ? eventOf(numbers, action, { ...event, rows }) : [];
  });
}

interface Collected {
  readonly rows: RowEntry[];
  readonly failing: Set<number>;
  readonly unhandled: Set<number>;
  readonly node: number;
}

export const nothingSeen = (): Omit<Collected, 'node'> => ({
  rows: [],
  failing: new Set(),
  unhandled: new Set(),
});

const isOfNode = (action: Action): action is EventTable['action'] =>
  isStep(action) || action.type === 'crash';

const sendsOf = (flat: readonly number[], nodeCount: number): readonly SendEntry[] =>
  flat.flatMap((slot, index) =>
    index % 2 === 0 ? [{ channel: slot - nodeCount, message: flat[index + 1] as number }] : [],
  );

type Seen = Pick<EventTable, 'node' | 'failing' | 'unhandled' | 'rows'>;

/** An event with what makes it possible. */
export function eventOf(
  numbers: Numbers,
  action: EventTable['action'],
  seen: Seen,
): readonly EventTable[] {
  const { compiled } = numbers;
  const number = compiled.actionNumber(action);
  const { type } = action;
  const common = {
    ...seen,
    action,
    type,
    label: actionText(compiled.worlds.protocol, action),
    fair: compiled.fairness(number),
    isOptional: compiled.isOptional(number),
  };
  const only = (enabled: ReadonlySet<number>) => ({
    enabled: new Set([...enabled].filter((state) => !seen.failing.has(state))),
  });
  switch (action.type) {
    case 'command':
      return [{ ...common, ...commandPart(numbers, seen.node, action.command, only) }];
    case 'deliver': {
      const channel = compiled.worlds.topology.links.findIndex(
        ({ from, to }) => from === action.from && to === action.to,
      );
      return [{ ...common, sent: { channel, message: compiled.parcels.id(action.message) } }];
    }
    case 'timeout': {
      const armed = statesWhere(numbers, seen.node, ({ timers }) =>
        timers.some(({ id }) => id === action.timer),
      );
      return [{ ...common, ...only(armed) }];
    }
    case 'choose':
      return [{ ...common, answers: answersTo(numbers, action) }];
    case 'crash': {
      const may = numbers.mayCrash[seen.node];
      return [{ ...common, ...(may && { enabled: may }) }];
    }
    case 'restart':
      return [common];
  }
}

function commandPart(
  { compiled, nodes, ...numbers }: Numbers,
  node: number,
  command: Command,
  only: (enabled: ReadonlySet<number>) => Pick<EventTable, 'enabled'>,
): Pick<EventTable, 'enabled' | 'counter' | 'condition'> {
  const { commands } = compiled.worlds;
  const local = compiled.worlds.node(compiled.worlds.topology.nodes[node] as string);
  const all = { commands: commands.initially(1), fulfilled: [] };
  const enabled = statesWhere({ compiled, nodes, ...numbers }, node, (state) =>
    commands.possible(local, state, all).some((other) => sameData(other, command)),
  );
  const position = commands.optional.findIndex((other) => sameData(other, command));
  const condition = nodes[node]?.conditions.findIndex(({ type }) => type === command.type) ?? -1;
  return {
    ...only(enabled),
    ...(position >= 0 && { counter: commands.counts[position] ?? 0 }),
    ...(position < 0 && condition >= 0 && { condition }),
  };
}

function statesWhere(
  { compiled, states }: Numbers,
  node: number,
  holds: (state: LocalState) => boolean,
): ReadonlySet<number> {
  const found = (states[node] ?? []).flatMap((number, old) =>
    holds(compiled.localState(node, old)) ? [number] : [],
  );
  return new Set(found);
}

function answersTo(
  { choices }: Numbers,
  { node, value }: Extract<StepAction, { readonly type: 'choose' }>,
): NonNullable<EventTable['answers']> {
  return choices.items.flatMap(([first, ...rest], list) =>
    first?.node === node && first.options.some((option) => sameData(option, value))
      ? [{ list, rest: choices.id(rest) }]
      : [],
  );
}
