import { type AnyStateMachine, not } from 'xstate';
import type { Site, Slot } from './mutant.js';
import type { Operator } from './operators.js';
import { actionText, entitled, listText, pathText, rulesText, slotText } from './rule-text.js';
import { sendChanges, withChangedSend } from './sends.js';
import {
  type Part,
  type Rule,
  type Rules,
  rulesIn,
  type State,
  slotsOf,
  statesOf,
  withRules,
  withState,
} from './statechart.js';
import { definitionsIn, nodeAt, otherTargets } from './targets.js';

/** A statechart with one change. */
export interface MachineMutant {
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
export function* machineMutants(machine: AnyStateMachine, root: State): Generator<MachineMutant> {
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
