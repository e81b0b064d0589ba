import { answerOf, checkOptions } from '@conclave/core/internal';
import type { ConclaveError, NodeView, Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { withoutChance } from '../base/resumable.js';
import { budgetIn, checkGiven, overtakingOptions } from '../options/options.js';
import { LimitReached, type Limits, Watch } from '../search/limits/limits.js';
import { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import { confirmSearch, search } from '../search/traversal/search.js';
import { largestOvertaking } from '../verdicts/properties/overtaking.js';
import type { Budget } from '../worlds/budget.js';
import { nodeViewOf } from '../worlds/local-node.js';
import { timeOf, withFittingTick } from '../worlds/time.js';
import { Worlds } from '../worlds/worlds.js';

export interface OvertakingOptions extends Budget {
  /** Where a node waits. Default: tagged `waiting`. */
  readonly waits?: (node: NodeView) => boolean;
  /** Where a node is in its critical section. Default: tagged `critical`. */
  readonly inside?: (node: NodeView) => boolean;
  readonly limits?: Limits;
}

/** How often others enter between the request of a node and its entry, at most. */
export interface LargestOvertaking {
  /** The entries of one other node; Infinity if there is no bound. */
  readonly ofOne: number;
  /** The entries of all others together. */
  readonly ofAll: number;
  readonly states: number;
}

/**
 * The largest number of entries of others while a node waits, over every run of a system; undefined
 * if a limit ends the search. A budget bounds the entries, so a number that grows with the commands
 * of the budget tells that the protocol has no bound. See `overtaken` for a given bound.
 *
 * @throws {ConclaveError} `bad-topology`; `bad-input` for an unknown or invalid option; `impure`
 * for a machine that is not deterministic; `unhandled` or `bad-protocol` for one that breaks the
 * node contract in some run.
 * @example [2, 3, 4].map((commands) => overtaking(ricartAgrawala, complete(2), { commands, order:
 * 'fifo' })?.ofOne) // [2, 2, 2]
 */
export function overtaking(
  protocol: Protocol,
  topology: Topology,
  options: OvertakingOptions = {},
): LargestOvertaking | undefined {
  checkGiven('overtaking', { protocol, topology });
  checkOptions('overtaking', overtakingOptions, options);
  const watch = new Watch(options.limits);
  try {
    return withoutChance(() =>
      withFittingTick(timeOf(protocol, options), (time) => {
        const worlds = new Worlds(protocol, topology, { ...budgetIn(options), time }, () =>
          watch.look(),
        );
        return largestIn(new CompiledWorlds(worlds, watch), options, watch);
      }),
    );
  } catch (reached) {
    if (reached instanceof LimitReached) return undefined;
    throw reached;
  }
}

function largestIn(
  compiled: CompiledWorlds,
  options: OvertakingOptions,
  watch: Watch,
): LargestOvertaking | undefined {
  const {
    waits = ({ tags }) => tags.has('waiting'),
    inside = ({ tags }) => tags.has('critical'),
    limits = {},
  } = options;
  const goOn = () => true;
  const refuse = (_world: number, _action: number, error: ConclaveError) => {
    throw error; // what would come behind an action that fails is not searched
  };
  const listener = { found: goOn, ended: goOn, fault: refuse, progress: () => {} };
  const { complete, store, graph, states } = confirmSearch(
    search(compiled, { graph: true, limits, watch }, listener),
    () => compiled.confirm(),
  );
  if (!complete || !graph) return undefined;
  graph.watch = watch;
  const { protocol, topology } = compiled.worlds;
  const known = new Map<(node: NodeView) => boolean, (boolean | undefined)[][]>(
    [waits, inside].map((asked) => [asked, topology.nodes.map(() => [])]),
  );
  const at =
    (name: string, holds: (node: NodeView) => boolean) => (vector: Int32Array, node: number) => {
      const answers = known.get(holds)?.[node] ?? [];
      const place = vector[node] as number; // the vector begins with a number for each node
      const { state, crashed } = compiled.encoding.configurationOf(vector, node);
      answers[place] ??=
        !crashed &&
        answerOf(
          { name },
          holds,
          nodeViewOf(protocol, topology, topology.nodes[node] as string, state, crashed),
        ); // one of its nodes
      return answers[place];
    };
  const { ofOne, ofAll } = largestOvertaking(
    { store, graph, width: compiled.width },
    { isWaiting: at('waits', waits), isInside: at('inside', inside), nodes: topology.nodes.length },
  );
  return { ofOne, ofAll, states };
}
