/**
 * Whether the machine of a role keeps the node contract, as far as its definition shows: it is one
 * machine without actors, acts by assign, emit, raise and cancel, and handles what the protocol
 * names. What only a step shows, the host refuses when it happens.
 */
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import type { Role } from './protocol.js';
import { boundMicrosteps, stateNodes } from './regions.js';
import { misfitOf } from './xstate-version.js';

type Refuse = (what: string, cure?: string) => never;

const oneMachine = 'A node is one machine; let it emit(send(…)) and wait by after.';

export function checkMachine(
  role: string,
  { machine }: Role,
  known: ReadonlySet<string>,
  refuse: Refuse,
): void {
  const misfit = misfitOf(machine);
  if (misfit) refuse(`the machine of role '${role}' ${misfit.what}`, misfit.cure);
  boundMicrosteps(machine);
  const where = (node: AnyStateNode) => `role '${role}', state '${node.id}'`;
  if (Object.keys(machine.implementations.actors).length > 0)
    refuse(`role '${role}' brings actors of its own`, oneMachine);
  for (const [name, action] of Object.entries(machine.implementations.actions))
    checkAction(action, machine, `role '${role}', action '${name}'`, refuse);
  for (const node of stateNodes(machine)) {
    checkInitial(node, where(node), refuse);
    checkWords(node, where(node), refuse);
    if (node.invoke.length > 0) refuse(`${where(node)} invokes an actor`, oneMachine);
    for (const descriptor of node.transitions.keys()) {
      if (
        descriptor.includes('*') ||
        descriptor.startsWith('xstate.') ||
        descriptor === '' ||
        known.has(descriptor)
      )
        continue;
      if (isRaised(machine, descriptor)) continue;
      refuse(
        `${where(node)} handles '${descriptor}', which is neither a message nor a command`,
        `It knows ${[...known].join(', ')}.`,
      );
    }
    for (const action of actionsOf(node)) checkAction(action, machine, where(node), refuse);
    for (const { guard } of transitionsOf(node)) checkGuard(guard, machine, where(node), refuse);
  }
}

/** XState looks for an initial state when it is needed. */
function checkInitial(node: AnyStateNode, where: string, refuse: Refuse): void {
  try {
    void node.initial;
  } catch {
    refuse(
      `${where} begins in '${node.config.initial}', which does not exist`,
      `It has ${Object.keys(node.states).join(', ')}.`,
    );
  }
}

/** Words of XState 4 that XState 5 ignores, often silently, and the words that replaced them. */
const formerWords = {
  state: { onEntry: 'entry', onExit: 'exit', activities: 'invoke', data: 'output' },
  transition: { cond: 'guard', in: 'guard: stateIn(…)', internal: 'reenter, the opposite' },
};

/** @throws {ConclaveError} `bad-protocol` for a word that XState 5 has replaced. */
function checkWords(node: AnyStateNode, where: string, refuse: Refuse): void {
  const refuseWords = (config: object, words: Readonly<Record<string, string>>) => {
    for (const [word, now] of Object.entries(words))
      if (Object.hasOwn(config, word))
        refuse(`${where} has '${word}', a word of XState 4 that XState 5 ignores`, `Write ${now}.`);
  };
  refuseWords(node.config, formerWords.state);
  for (const transition of transitionsOf(node)) refuseWords(transition, formerWords.transition);
}

const transitionsOf = (node: AnyStateNode) => [
  ...[...node.transitions.values()].flat(),
  ...(node.always ?? []),
];

const actionsOf = (node: AnyStateNode): readonly unknown[] => [
  ...node.entry,
  ...node.exit,
  ...transitionsOf(node).flatMap(({ actions }) => actions),
  ...node.initial.actions,
];

/** What XState keeps of a built-in action or of a combined guard: a function with fields. */
interface BuiltIn {
  readonly type?: string;
  readonly resolve?: unknown;
  readonly event?: unknown;
  readonly delay?: unknown;
  readonly id?: unknown;
  readonly guards?: readonly unknown[];
}

function builtIn(made: unknown): BuiltIn | undefined {
  // XState's own shape of them
  return typeof made === 'function' ? (made as unknown as BuiltIn) : undefined;
}

const forbidden = ['xstate.spawnChild', 'xstate.sendTo', 'xstate.stopChild'];

function checkAction(
  action: unknown,
  machine: AnyStateMachine,
  where: string,
  refuse: Refuse,
): void {
  const made = builtIn(action);
  if (made) {
    const { type = '', resolve, event, delay, id } = made;
    if (forbidden.includes(type))
      refuse(`${where} uses ${type}`, 'A node is one machine; let it emit(send(…)).');
    if (!resolve)
      refuse(
        `${where} runs a plain function`,
        'A node acts by assign, emit, raise and cancel only; the host does the rest.',
      );
    if (type !== 'xstate.raise' || delay === undefined) return;
    if (typeof delay === 'string' && !Object.hasOwn(machine.implementations.delays, delay))
      refuse(
        `${where} waits for the delay '${delay}', which does not exist`,
        'Give it in setup({ delays }).',
      );
    if (id === undefined)
      refuse(
        `${where} raises '${nameOf(event)}' after a delay, but without an id`,
        'Give the delayed raise one: raise(event, { delay, id }).',
      );
    return;
  }
  const name = nameOf(action);
  if (!Object.hasOwn(machine.implementations.actions, name))
    refuse(
      `${where} runs the action '${name}', which does not exist`,
      'Give it in setup({ actions }).',
    );
}

function checkGuard(guard: unknown, machine: AnyStateMachine, where: string, refuse: Refuse): void {
  if (guard === undefined) return;
  const made = builtIn(guard);
  if (made) {
    for (const inner of made.guards ?? []) checkGuard(inner, machine, where, refuse);
    return;
  }
  const name = nameOf(guard);
  if (!Object.hasOwn(machine.implementations.guards, name))
    refuse(
      `${where} uses the guard '${name}', which does not exist`,
      'Give it in setup({ guards }).',
    );
}

/** XState names an action, a guard or an event by a string, or by an object with a type. */
const nameOf = (named: unknown): string =>
  typeof named === 'object' && named !== null && 'type' in named
    ? String(named.type)
    : typeof named === 'string'
      ? named
      : '…';

/**
 * Whether the machine raises `type` to itself. A raise whose event is computed counts as any type.
 * What `enqueueActions` raises cannot be seen from outside: the state that handles it lists it, as
 * in `meta: { raises: ['overdue'] }`.
 */
function isRaised(machine: AnyStateMachine, type: string): boolean {
  if (stateNodes(machine).some(({ meta }) => [Object(meta).raises].flat().includes(type)))
    return true;
  const raises = (action: unknown) => {
    const made = builtIn(action);
    return (
      made?.type === 'xstate.raise' &&
      (typeof made.event === 'function' || nameOf(made.event) === type)
    );
  };
  return [
    ...Object.values(machine.implementations.actions),
    ...stateNodes(machine).flatMap(actionsOf),
  ].some(raises);
}
