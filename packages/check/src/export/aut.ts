import { checkOptions } from '@conclave/core/internal';
import type { Protocol } from '@conclave/core/protocol';
import { ConclaveError } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { withoutChance } from '../base/resumable.js';
import { assumptionsOf, discardedIn, discardsAssumed } from '../explore/assumptions.js';
import { budgetIn, checkGiven, exploreOptions } from '../options/options.js';
import { LimitReached, Watch } from '../search/limits/limits.js';
import { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import type { Graph } from '../search/traversal/graph.js';
import { searchByKernel } from '../search/traversal/kernel-search.js';
import { confirmSearch, type Search, type SearchListener } from '../search/traversal/search.js';
import { actionText } from '../worlds/run-lines.js';
import { timeOf, withFittingTick } from '../worlds/time.js';
import { Worlds } from '../worlds/worlds.js';
import { type ExportOptions, tooLarge } from './explored-system.js';

/** The explored worlds as a labelled transition system. */
export interface ExportedGraph {
  readonly text: string;
  readonly states: number;
  readonly transitions: number;
  readonly assumptions: readonly string[];
}

/**
 * The explored worlds in the format AUT (Aldébaran), which CADP, mCRL2 and LTSmin read; each label is
 * an action as a trace prints it. The first world has number 0.
 *
 * @throws {ConclaveError} as `explore`; `bad-input` where not every world was found; `bad-protocol`
 * or `unhandled` for a step that fails.
 */
export function exportAut(
  protocol: Protocol,
  topology: Topology,
  options: Omit<ExportOptions, 'head'> = {},
): ExportedGraph {
  checkGiven('exportAut', { protocol, topology });
  checkOptions('exportAut', exploreOptions, options);
  const watch = new Watch(options.limits);
  try {
    return withoutChance(() =>
      withFittingTick(timeOf(protocol, options), (time) => {
        const budget = { ...budgetIn(options), time };
        const worlds = new Worlds(protocol, topology, budget, () => watch.look());
        const compiled = new CompiledWorlds(worlds, watch);
        const { states, transitions, complete, limit, graph } = searched(compiled, options, watch);
        if (!complete || !graph)
          throw tooLarge(topology, `has more than ${states} states; limit: ${limit ?? 'none'}`);
        return {
          ...{ text: autText(compiled, graph, { states, transitions }), states, transitions },
          assumptions: [
            ...assumptionsOf(protocol, topology, budget),
            ...discardsAssumed(discardedIn(compiled)),
          ],
        };
      }),
    );
  } catch (reached) {
    if (!(reached instanceof LimitReached)) throw reached;
    throw tooLarge(topology, `was not explored within the limit of ${reached.limit}`);
  }
}

function searched(
  compiled: CompiledWorlds,
  { limits = {}, onProgress = () => {} }: ExportOptions,
  watch: Watch,
): Search {
  const listener: SearchListener = {
    found: () => true,
    ended: () => true,
    fault: (_, action, { code, what }) => {
      const text = actionText(compiled.worlds.protocol, compiled.actionOf(action));
      throw new ConclaveError(
        code,
        `The step '${text}' fails, and leads to no state: ${what}`,
        'Run conclave check first.',
      );
    },
    progress: (...figures) => onProgress(...figures, []),
  };
  return confirmSearch(searchByKernel(compiled, { limits, watch, graph: true }, listener), () =>
    compiled.confirm(),
  );
}

function autText(
  compiled: CompiledWorlds,
  graph: Graph,
  { states, transitions }: { readonly states: number; readonly transitions: number },
): string {
  const labels: string[] = [];
  const labelOf = (action: number) => {
    labels[action] ??= actionText(compiled.worlds.protocol, compiled.actionOf(action))
      .replaceAll('"', "'")
      .replaceAll('\n', ' ');
    return labels[action];
  };
  const lines = [`des (0, ${transitions}, ${states})`];
  for (let world = 0; world < states; world++) {
    const end = graph.end(world);
    for (let edge = graph.first(world); edge < end; edge++)
      lines.push(`(${world}, "${labelOf(graph.action(edge))}", ${graph.target(edge)})`);
  }
  return `${lines.join('\n')}\n`;
}
