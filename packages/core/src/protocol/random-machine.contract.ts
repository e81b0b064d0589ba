/** Random statecharts from fast-check: hierarchy, parallel regions, history, final states, guards, timers, choices. */
import fc, { type GeneratorValue } from 'fast-check';
import { type AnyMachineSnapshot, type AnyStateMachine, assign, cancel, createMachine, emit, enqueueActions, raise } from 'xstate';
import { choose, notify, send } from './node.js';

interface Context {
  /** Read by guards. */
  readonly n: number;
  /** How many more internal transitions the machine may take, so that each step ends. */
  readonly fuel: number;
}

export const eventTypes = ['e', 'f', 'job', 'job.a', 'job.a.b', 'jobless'];
const descriptors = [...eventTypes, 'job.*', 'job.a.*', '*'];

const count = assign(({ context }: { context: Context }) => ({ n: (context.n + 1) % 6 }));

/** Does `what` while there is fuel. */
const burning = (what: (enqueue: { raise(event: { type: string }): void; emit(effect: object & { type: string }): void }) => void) =>
  enqueueActions(({ context, enqueue }: { context: Context; enqueue: unknown }) => {
    if (context.fuel === 0) return;
    const queue = enqueue as Parameters<typeof what>[0] & { assign(change: Partial<Context>): void };
    queue.assign({ fuel: context.fuel - 1 });
    what(queue);
  });

const actions = [
  count,
  emit(({ context }: { context: Context }) => send('b', { type: 'hello', n: context.n } as { type: string })),
  emit(notify({ type: 'news' })),
  burning((enqueue) => enqueue.raise({ type: 'e' })),
  burning((enqueue) => enqueue.emit(choose('left', 'right'))),
  [cancel('t'), raise({ type: 'f' }, { id: 't', delay: 7 })],
  [cancel('u'), raise({ type: 'job.a' }, { id: 'u', delay: 3 })],
  raise({ type: 'e' }, { id: 'risky', delay: 9 }),
  cancel('t'),
].map((action) => (Array.isArray(action) ? action : [action]));

const hasFuel = ({ context }: { context: Context }) => context.fuel > 0 && context.n % 2 === 1;
const isOurs = ({ event }: { event: { type: string } }) => !event.type.startsWith('xstate.');

/** Makes a random machine. */
function makeUp(g: GeneratorValue): AnyStateMachine {
  const nat = (max: number) => g(fc.nat, { max });
  const oneOf = <T>(options: readonly T[]): T => options[nat(options.length - 1)] as T; // in range
  const seldom = (oneIn: number) => nat(oneIn - 1) === oneIn - 1;
  const targets: string[] = [];

  const guarded = () => {
    if (!seldom(2)) return {};
    const [modulus, rest] = [2 + nat(1), nat(1)];
    return { guard: ({ context }: { context: Context }) => context.n % modulus === rest };
  };
  const someActions = () => ({ actions: Array.from({ length: nat(2) }, () => oneOf(actions)).flat() });
  const transition = (): object => ({
    ...(seldom(4) ? {} : { target: `#${oneOf(targets)}` }),
    ...guarded(),
    ...someActions(),
    ...(seldom(3) ? { reenter: true } : {}),
  });

  /** Wildcards ignore the internal events of XState: otherwise the end of a state might lead back to it without end. */
  const onEvent = (type: string) => (type === '*' ? { ...transition(), guard: isOurs } : transition());
  const fresh = (): Record<string, unknown> => {
    const id = `s${targets.length}`;
    targets.push(id);
    return { id };
  };
  // First the tree, then its transitions: their targets may be anywhere.
  const fillIns: (() => void)[] = [];
  const state = (depth: number, mayEnd: boolean): Record<string, unknown> => {
    const made = fresh();
    if (mayEnd && seldom(5)) return Object.assign(made, { type: 'final' });
    if (seldom(2)) made.tags = [`tag-${9 - (targets.length % 4)}`];
    fillIns.push(() => {
      const events = Array.from({ length: nat(3) }, () => oneOf(descriptors));
      made.on = Object.fromEntries(events.map((type) => [type, seldom(6) ? {} : Array.from({ length: 1 + nat(1) }, () => onEvent(type))]));
      if (seldom(3)) made.after = { [oneOf([5, 20])]: transition() };
      if (seldom(5)) {
        made.always = { guard: hasFuel, target: `#${oneOf(targets)}`, actions: burning(() => {}) };
      }
      if (seldom(3)) made.entry = someActions().actions;
      if (seldom(3)) made.exit = someActions().actions;
    });
    if (depth === 0 || seldom(3)) return made;
    if (!seldom(3)) return compound(made, depth - 1);
    return Object.assign(made, { type: 'parallel', states: { z: compound(fresh(), depth - 1), a: compound(fresh(), depth - 1) } });
  };
  const compound = (made: Record<string, unknown>, depth: number): Record<string, unknown> => {
    const inner: Record<string, object> = { x: state(depth, false) };
    for (let more = nat(2); more > 0; more--) inner[`y${more}`] = state(depth, true);
    if (seldom(2)) inner.h = Object.assign(fresh(), { type: 'history', history: oneOf(['shallow', 'deep']) });
    if (seldom(3))
      fillIns.push(() => Object.assign(made, { onDone: { guard: hasFuel, target: `#${oneOf(targets)}`, actions: burning(() => {}) } }));
    return Object.assign(made, { initial: 'x', states: inner });
  };

  const top = state(3, false);
  const second = state(2, false);
  const end = fresh();
  for (const fillIn of fillIns) fillIn();
  const machine = createMachine({
    id: 'a machine. v1',
    context: { n: 0, fuel: 8 },
    initial: 'top',
    states: { top, second, end: { ...end, type: 'final' } },
    on: { chosen: { actions: count } },
  });
  return Object.defineProperty(machine, fc.toStringMethod, { value: () => text(machine) });
}

/** For fast-check, which would print the whole object graph of a machine. */
const text = ({ config }: AnyStateMachine) =>
  JSON.stringify(config, (_key, value) => (typeof value === 'function' ? `${value.name}()` : value));

export const randomMachine: fc.Arbitrary<AnyStateMachine> = fc.gen().map(makeUp);

/**
 * Whether the active states form a legal configuration: each inside an active one, one inside each compound one. After some
 * transitions out of nested parallel regions XState 5.33 leaves illegal ones; steps after that have no meaning.
 */
export const isLegal = ({ _nodes }: AnyMachineSnapshot): boolean =>
  _nodes.every((node) => {
    const inside = _nodes.filter(({ parent }) => parent === node).length;
    const expected = node.type === 'compound' ? 1 : node.type === 'parallel' ? Object.keys(node.states).length : 0;
    return inside === expected && (!node.parent || _nodes.includes(node.parent));
  });
