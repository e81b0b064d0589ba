import { ConclaveError } from '../protocol/error.js';
import type { Json } from '../protocol/node.js';
import { notPlain } from '../protocol/plain-data.js';
import type { AtMost, EveryStep, Increases, Overtaken, Property, Verdict } from '../protocol/property.js';
import { CompiledPlain, type PlainSystem } from './compiled/system.js';
import { type Limit, type Limits, type SearchOptions, search } from './search/search.js';
import { pathTo } from './search/visited.js';
import { type Claim, judge } from './verdicts/judge.js';
import type { Fairness } from './verdicts/liveness.js';

export interface PlainOptions<S extends Json> {
  /** Of the state as a whole; `leadsTo`, too. There are no messages that an `atMost` could count, and no nodes with numbers. */
  readonly properties: readonly Exclude<Property<S, S>, AtMost | Increases<S> | EveryStep<S> | Overtaken<S>>[];
  /** Default `weak`. */
  readonly fairness?: Fairness;
  readonly limits?: Limits;
  /** Default `breadth`: every path is a shortest one. */
  readonly order?: SearchOptions['order'];
  /** Go on after the first violation. Default true. */
  readonly all?: boolean;
  readonly onProgress?: (states: number, transitions: number, depth: number) => void;
}

export interface PlainStep<S extends Json, A extends Json> {
  readonly action: A;
  /** The state after it. */
  readonly state: S;
}

export interface PlainFinding<S extends Json, A extends Json> {
  readonly name: string;
  readonly kind: Property['kind'];
  readonly verdict: Verdict;
  /** A shortest run from the initial state that decides it. */
  readonly path?: readonly PlainStep<S, A>[];
  /** For a violated `leadsTo` or `eventually`: the step, from 0, from which on the path repeats; its length where it comes to rest. */
  readonly loopsFrom?: number;
  /** What `next` threw at the end of the path. */
  readonly fault?: string;
}

export interface PlainExploration<S extends Json, A extends Json> {
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  /** The most states that were found and not yet expanded. */
  readonly width: number;
  readonly seconds: number;
  readonly complete: boolean;
  readonly limit?: Limit;
  readonly properties: readonly PlainFinding<S, A>[];
}

/**
 * Looks at every run of a system written as plain functions: two-phase commit, Paxos, whatever has states and actions.
 *
 * @throws {ConclaveError} `bad-input`: a state that is not plain data.
 * @example
 * exploreSystem({ initial: 0, actions: (n) => (n < 3 ? ['up'] : []), next: (n) => n + 1 }, { properties: [always('small', (n) => n <= 3)] });
 */
export function exploreSystem<S extends Json, A extends Json>(system: PlainSystem<S, A>, options: PlainOptions<S>): PlainExploration<S, A> {
  const compiled = new CompiledPlain(system);
  const stateOf = (vector: Int32Array) => compiled.states.item(vector[0] as number);
  const claims = options.properties.map((property): Claim => {
    const { name, kind } = property;
    const holds = (vector: Int32Array) => property.holds(stateOf(vector));
    if (property.kind !== 'leadsTo') return { name, kind, holds };
    const paid = (vector: Int32Array) => property.then(stateOf(vector));
    return { name, kind, holds, cases: [{ paid, owes: (vector) => !paid(vector) && holds(vector) }] };
  });
  const rules: Claim = { name: 'every action leads to a state', kind: 'always', holds: () => true };
  const { fairness = 'weak', limits = {}, order = 'breadth', all = true, onProgress } = options;
  const {
    search: found,
    evidence,
    verdict,
  } = judge(compiled, claims, {
    fairness,
    search: (graph, listener) =>
      search(
        compiled,
        { limits, order, graph },
        {
          ...listener,
          found: (world, vector) => {
            requirePlain(stateOf(vector));
            return listener.found(world, vector);
          },
        },
      ),
    runs: true,
    all,
    optional: () => false,
    rules,
    onProgress,
  });

  const { store, graph, states, transitions, depth, width, seconds, complete, limit } = found;
  const vector = new Int32Array(1);
  const stepTo = (action: number, world: number): PlainStep<S, A> => {
    store.read(world, vector);
    return { action: compiled.actions.item(action).action, state: stateOf(vector) };
  };
  const findings = [...claims, rules].map((claim): PlainFinding<S, A> => {
    const { name, kind } = claim;
    const decided = evidence.get(claim);
    if (!decided) return { name, kind, verdict: verdict(claim) };
    const { worlds, actions } = pathTo(store, decided.world);
    const path = actions.map((action, index) => stepTo(action, worlds[index + 1] as number));
    const { run, fault } = decided;
    if (!run || !graph) return { name, kind, verdict: verdict(claim), path, ...(fault ? { fault: fault.error.message } : {}) };
    for (const edge of run.approach) path.push(stepTo(graph.action(edge), graph.target(edge)));
    const loopsFrom = path.length;
    for (const edge of run.edges) path.push(stepTo(graph.action(edge), graph.target(edge)));
    return { name, kind, verdict: verdict(claim), path, loopsFrom };
  });
  return { states, transitions, depth, width, seconds, complete, ...(limit ? { limit } : {}), properties: findings };
}

/** States that are not plain data would be taken for each other. */
function requirePlain(state: Json): void {
  const bad = notPlain(state, 'state');
  if (bad === undefined) return;
  throw new ConclaveError(
    'bad-input',
    `The system: ${bad} is not plain data`,
    'Use numbers, strings, booleans, null, arrays and objects of them.',
  );
}
