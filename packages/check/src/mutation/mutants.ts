import { faults } from '@conclave/core/internal';
import type { Protocol } from '@conclave/core/protocol';
import { type AnyStateMachine, not } from 'xstate';
import type { Budget } from '../worlds/budget.js';
import type { Operator } from './operators.js';
import type { Mutant, Site, Slot } from './report.js';
import { contextWithNeighbours, sendChanges, withChangedSend, withNeighbours } from './sends.js';
import {
  actionText,
  definitionsIn,
  entitled,
  listText,
  machineOf,
  nodeAt,
  otherTargets,
  type Part,
  pathText,
  type Rule,
  type Rules,
  rulesIn,
  rulesText,
  type State,
  slotsOf,
  slotText,
  statechartOf,
  statechartText,
  statesOf,
  withRules,
  withState,
} from './statechart.js';

/**
 * Every protocol that differs from `protocol` in one place: in the statechart of a role, or in what
 * its channels may do. In a fixed order; identical ones are listed once.
 *
 * @example mutantsOf(ricartAgrawala).map(({ id }) => id) // ['node wanted: request #1 drop-guard',
 * …]
 */
export function mutantsOf(protocol: Protocol): readonly Mutant[] {
  const known = mutantLists.get(protocol) ?? everyMutant(protocol);
  mutantLists.set(protocol, known);
  return known;
}

/** Kept, since a report, its fingerprint and each search for one mutant need the whole list. */
const mutantLists = new WeakMap<Protocol, readonly Mutant[]>();

function everyMutant(protocol: Protocol): readonly Mutant[] {
  const mutants = [
    ...Object.keys(protocol.roles).flatMap((role) => roleMutants(protocol, role)),
    ...channelMutants(protocol),
  ];
  const used = new Map<string, number>();
  return mutants.map((mutant) => {
    const count = (used.get(mutant.id) ?? 0) + 1;
    used.set(mutant.id, count);
    return count === 1
      ? mutant
      : Object.defineProperty(copied(mutant), 'id', {
          value: `${mutant.id} (${count})`,
          enumerable: true,
        });
  });
}

/** A copy with a lazy protocol, too. */
const copied = (mutant: Mutant): Mutant =>
  // the same properties
  Object.defineProperties({}, Object.getOwnPropertyDescriptors(mutant)) as Mutant;

function roleMutants(protocol: Protocol, name: string): readonly Mutant[] {
  const role = protocol.roles[name];
  if (!role) return [];
  const root = statechartOf(role.machine);
  const several = Object.keys(protocol.roles).length > 1;
  const prefix = several ? `${name} · ` : ''; // with several roles, the lines name the role
  const numbers = new Map<object, number>();
  const idOf = (made: object) => {
    const known = numbers.get(made) ?? numbers.size;
    numbers.set(made, known);
    return known;
  };
  const written = new Set([statechartText(root, idOf)]);
  const found: Mutant[] = [];
  for (const { what, operator, root: changed, misdirects, ...mutant } of machineMutants(
    role.machine,
    root,
  )) {
    const text = statechartText(changed, idOf);
    if (written.has(text)) continue;
    written.add(text);
    found.push({
      ...mutant,
      before: prefix + mutant.before,
      after: prefix + mutant.after,
      id: `${several ? `${name} ` : ''}${what} ${operator}`,
      operator,
      role: name,
      budget: {},
      site: { ...mutant.site, role: name },
      get protocol() {
        return withStatechart(protocol, name, changed, misdirects);
      },
    });
  }
  return found;
}

function withStatechart(
  protocol: Protocol,
  name: string,
  root: State,
  misdirects: boolean,
): Protocol {
  const role = protocol.roles[name];
  if (!role) return protocol;
  if (!misdirects)
    return {
      ...protocol,
      roles: { ...protocol.roles, [name]: { ...role, machine: machineOf(role.machine, root) } },
    };
  const telling: State = {
    ...root,
    others: { ...root.others, context: contextWithNeighbours(root.others.context) },
  };
  const changed = {
    ...role,
    machine: machineOf(role.machine, telling),
    input: (...[self, topology]: Parameters<typeof role.input>) =>
      withNeighbours(role.input(self, topology), self, topology),
  };
  return { ...protocol, roles: { ...protocol.roles, [name]: changed } };
}

/** Channels that may do one thing that the protocol rules out. */
function channelMutants(protocol: Protocol): readonly Mutant[] {
  const { order, time = 'untimed' } = protocol.channels;
  const weakened = (
    operator: Operator,
    before: string,
    after: string,
    channels: Partial<Protocol['channels']>,
    budget: Budget = {},
  ): Mutant => ({
    ...{
      id: `channels ${operator}`,
      operator,
      role: undefined,
      state: undefined,
      event: undefined,
      site: undefined,
    },
    ...{ before: `channels: ${before}`, after: `channels: ${after}`, budget },
    protocol: { ...protocol, channels: { ...protocol.channels, ...channels } },
  });
  return [
    ...(order === 'fifo'
      ? [weakened('any-order', 'order fifo', 'order any', { order: 'any' })]
      : []),
    ...(['losses', 'duplications'] as const).flatMap((fault) => {
      const { tolerance, name } = faults.kinds[fault];
      const [before, after] = [`no ${name[0]}`, `one ${name[0]}`];
      const operator = fault === 'losses' ? 'lose' : 'repeat';
      return protocol.channels[tolerance]
        ? []
        : [weakened(operator, before, after, { [tolerance]: true }, { [fault]: 1 })];
    }),
    ...(time === 'untimed'
      ? []
      : [weakened('untimed', 'exact time', 'untimed', { time: 'untimed' })]),
  ];
}

/** A statechart with one change. */
interface MachineMutant {
  readonly operator: Operator;
  /** `wanted: request #2 witness`: where and what, without the operator. */
  readonly what: string;
  readonly state: string;
  readonly event: string | undefined;
  readonly before: string;
  readonly after: string;
  readonly site: Omit<Site, 'role'>;
  readonly root: State;
  /** Whether the machine needs its neighbours as input. */
  readonly misdirects: boolean;
}

/** A list of actions with one change. */
interface ListChange {
  readonly operator: Operator;
  readonly what: string;
  readonly actions: readonly Part[];
}

/** Every statechart that differs from `root` in one place, in the order of the config. */
function* machineMutants(machine: AnyStateMachine, root: State): Generator<MachineMutant> {
  for (const [path, state] of statesOf(root)) {
    yield* stateMutants(machine, root, path, state);
    for (const slot of slotsOf(state)) yield* slotMutants(machine, root, path, state, slot);
  }
}

/** Tags, entry and exit. */
function* stateMutants(
  machine: AnyStateMachine,
  root: State,
  path: readonly string[],
  state: State,
): Generator<MachineMutant> {
  const name = pathText(path, machine);
  const made = (
    operator: Operator,
    what: string,
    list: 'tags' | 'entry' | 'exit',
    changed: readonly Part[],
  ): MachineMutant => ({
    operator,
    what: `${name}: ${what}`,
    state: name,
    event: undefined,
    before: listText(name, list, state[list]),
    after: listText(name, list, changed),
    site: { path, by: 'entering' },
    root: withState(root, path, (old) => ({ ...old, [list]: changed })),
    misdirects: operator === 'misdirect-send',
  });
  for (const [index, tag] of state.tags.entries())
    yield made('drop-tag', tag, 'tags', state.tags.toSpliced(index, 1));
  for (const list of ['entry', 'exit'] as const)
    for (const { operator, what, actions } of listChanges(machine, state[list]))
      yield made(operator, `${list} ${what}`, list, actions);
}

function* slotMutants(
  machine: AnyStateMachine,
  root: State,
  path: readonly string[],
  state: State,
  slot: Slot,
): Generator<MachineMutant> {
  const name = pathText(path, machine);
  const event = slotText(slot);
  const rules = rulesIn(state, slot);
  const made = (
    operator: Operator,
    what: string,
    site: Partial<Site>,
    changed: Rules | undefined,
  ): MachineMutant => ({
    operator,
    what: `${name}: ${event}${what === '' ? '' : ` ${what}`}`,
    state: name,
    event,
    before: rulesText(name, slot, rules),
    after: rulesText(name, slot, changed),
    site: { path, slot, by: 'taking', ...site },
    root: withState(root, path, (old) => withRules(old, slot, changed)),
    misdirects: operator === 'misdirect-send',
  });
  if (slot.kind === 'on') {
    yield made('delete-transition', '', {}, undefined);
    yield made('ignore', '', {}, [{ actions: [], others: {} }]);
  }
  // A timer that never expires may still prevent others.
  if (slot.kind === 'after') yield made('drop-timer', '', { by: 'entering' }, undefined);
  const node = nodeAt(machine, path);
  const definitions = definitionsIn(node, slot);
  for (const [index, rule] of rules.entries()) {
    const which = rules.length > 1 ? `#${index + 1}` : '';
    for (const { operator, what, by, rule: changed } of ruleChanges(machine, rule, slot, () =>
      otherTargets(node, definitions[index]),
    ))
      yield made(
        operator,
        [which, what].filter((text) => text !== '').join(' '),
        { index, by },
        changed ? rules.with(index, changed) : withoutRule(rules, index),
      );
  }
}

/** An event without rules is not listed: for XState an empty list still arms a timer. */
const withoutRule = (rules: Rules, index: number): Rules | undefined =>
  rules.length === 1 ? undefined : rules.toSpliced(index, 1);

interface RuleChange {
  readonly operator: Operator;
  readonly what: string;
  readonly by: Site['by'];
  /** Undefined: it is taken out. */
  readonly rule: Rule | undefined;
}

function* ruleChanges(
  machine: AnyStateMachine,
  rule: Rule,
  { kind }: Slot,
  elsewhere: () => readonly string[],
): Generator<RuleChange> {
  const { target, guard, actions, others } = rule;
  const guarded = guard === undefined ? {} : { guard };
  const { reenter: _, ...staying } = others;
  yield {
    operator: kind === 'always' ? 'drop-always' : 'delete-transition',
    what: '',
    by: 'taking',
    rule: undefined,
  };
  if (kind !== 'always')
    yield {
      operator: 'ignore',
      what: '',
      by: 'taking',
      rule: { ...guarded, actions: [], others: staying },
    };
  if (guard !== undefined) {
    const { guard: __, ...unguarded } = rule;
    yield { operator: 'drop-guard', what: '', by: 'asking', rule: unguarded };
    yield {
      operator: 'negate-guard',
      what: '',
      by: 'asking',
      rule: { ...rule, guard: not(guard as Parameters<typeof not>[0]) },
    }; // XState's type wants to know of which kind it is
  }
  if (target !== undefined)
    yield {
      operator: 'drop-target',
      what: '',
      by: 'taking',
      rule: { ...guarded, actions, others: staying },
    };
  for (const other of elsewhere())
    yield {
      operator: 'retarget',
      what: `to ${other.replace(/^#[^.]*\./, '')}`,
      by: 'taking',
      rule: { ...rule, target: [other] },
    };
  for (const { operator, what, actions: changed } of listChanges(machine, actions))
    yield { operator, what, by: 'taking', rule: { ...rule, actions: changed } };
}

const sendOperators = {
  drop: 'drop-send',
  duplicate: 'duplicate-send',
  misdirect: 'misdirect-send',
} as const;
const sendTitles = {
  drop: 'without its first message',
  duplicate: 'with its first message twice',
  misdirect: 'with its first message misdirected',
};

function* listChanges(machine: AnyStateMachine, actions: readonly Part[]): Generator<ListChange> {
  for (const [index, action] of actions.entries()) {
    const what = actionText(action);
    yield { operator: 'drop-action', what, actions: actions.toSpliced(index, 1) };
    yield { operator: 'duplicate-action', what, actions: actions.toSpliced(index, 0, action) };
    const next = actions[index + 1];
    if (next !== undefined)
      yield {
        operator: 'swap-actions',
        what: `${what}, ${actionText(next)}`,
        actions: actions.toSpliced(index, 2, next, action),
      };
    for (const change of sendChanges(machine, action)) {
      const changed = entitled(
        withChangedSend(machine, action, change) as Part & object,
        `${what} (${sendTitles[change]})`,
      ); // what XState makes is a function
      yield { operator: sendOperators[change], what, actions: actions.with(index, changed) };
    }
  }
}
