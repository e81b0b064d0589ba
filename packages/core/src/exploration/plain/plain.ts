import type { Json } from '../../protocol/node.js';
import { withoutChance } from '../../protocol/purity.js';
import { Watch } from '../search/limits/watch.js';
import { confirmSearch } from '../search/traversal/confirm-search.js';
import { type SearchListener, search } from '../search/traversal/search.js';
import { judge } from '../verdicts/judge.js';
import type { CompiledProperty } from '../verdicts/properties/compiled-property.js';
import { CompiledPlain } from './compiled-plain.js';
import type { PlainExploration } from './plain-exploration.js';
import { plainFinding } from './plain-findings.js';
import { type PlainOptions, requireOptions } from './plain-options.js';
import { compilePlainProperty, endsOnlyWhenDone } from './plain-properties.js';
import { type PlainSystem, requireSystem } from './plain-system.js';

/**
 * Checks every run of a system written as plain functions: two-phase commit, Paxos, anything with
 * states and actions.
 *
 * @throws {ConclaveError} `bad-input`: an invalid system or option; a state or an action that is
 * not plain data; a property that throws, or returns no boolean. `bad-protocol`: `actions` throws. `impure`: a function that
 * changes its input, reads a clock, draws a random number or is not deterministic.
 * @example exploreSystem({ initial: 0, actions: (n) => (n < 3 ? ['up'] : []), next: (n) => n + 1 },
 * { properties: [always('small', (n) => n <= 3)] });
 */
export function exploreSystem<S extends Json, A extends Json>(
  system: PlainSystem<S, A>,
  options: PlainOptions<S>,
): PlainExploration<S, A> {
  requireSystem(system);
  requireOptions(options);
  const watch = new Watch(options.limits);
  return withoutChance(() => exploreWithin(system, options, watch));
}

/** The time of one user function, measured in table look-ups. */
const stepWeight = 64;

function exploreWithin<S extends Json, A extends Json>(
  system: PlainSystem<S, A>,
  options: PlainOptions<S>,
  watch: Watch,
): PlainExploration<S, A> {
  const { fairness = 'weak', limits = {}, order = 'breadth', all = true, onProgress } = options;
  const compiled = new CompiledPlain(system, () => watch.tick(stepWeight));
  const properties = options.properties.map((property) =>
    compilePlainProperty(property, compiled.states),
  );
  const deadlocks = system.done && endsOnlyWhenDone(system.done, compiled.states);
  let ends = 0;
  const counting = (listener: SearchListener): SearchListener => ({
    ...listener,
    ended: (world, vector) => {
      ends++;
      return listener.ended(world, vector);
    },
  });
  const judgement = judge(compiled, properties, {
    ...{ fairness, all, deadlocks, onProgress, watch },
    search: (graph, listener) =>
      confirmSearch(search(compiled, { limits, watch, order, graph }, counting(listener)), () =>
        compiled.confirm(),
      ),
    optional: () => false,
    faults: [noActionFails],
    violatedBy: () => noActionFails,
  });
  watch.end();
  const { states, transitions, depth, width, complete, limit } = judgement.search;
  const judged: readonly CompiledProperty[] = [
    ...properties,
    noActionFails,
    ...(deadlocks ? [deadlocks] : []),
  ];
  return {
    ...{ states, transitions, depth, width, ends },
    ...{ seconds: watch.elapsed, complete },
    ...(limit ? { limit } : {}),
    assumptions: compiled.isSampled
      ? [
          'that actions and next do the same each time: asked twice for the first 10,000 states and for one in 16 of the others',
        ]
      : [],
    properties: judged.map((property) => plainFinding(compiled, property, judgement)),
  };
}

const noActionFails: CompiledProperty = {
  name: 'every action leads to a state',
  kind: 'always',
  holds: () => true,
};
