import type { Json, NodeId } from '../../../protocol/node.js';
import type { Link } from '../../../topology/topology.js';
import { unsentOf } from '../../worlds/in-flight.js';
import { crosses } from '../../worlds/partition.js';
import type { World } from '../../worlds/world.js';
import type { Worlds } from '../../worlds/worlds.js';
import * as allowed from '../kernel/format/allowed.js';
import type { ActionTable } from './action-table.js';
import type { ContentTable } from './contents.js';
import { changesTheNetwork, type Environment, environmentOf, permits } from './environment.js';
import type { DataInterner } from './interner.js';
import type { ParcelTable } from './parcels.js';

/** What the actions of the network are numbered by. */
interface Numbered {
  readonly worlds: Worlds;
  readonly actions: ActionTable;
  readonly parcels: ParcelTable;
  readonly contents: ContentTable;
  readonly environments: DataInterner<Environment>;
  /** What choices offer. */
  readonly values: DataInterner<Json>;
  readonly nodeIndex: ReadonlyMap<NodeId, number>;
}

/** The actions of the channels and of the environment, as numbers. */
export class NetworkActions {
  readonly #links: readonly Link[];
  /** By channel and message: the number of the delivery. */
  readonly #deliveries: readonly number[][];

  constructor(private readonly numbers: Numbered) {
    this.#links = numbers.worlds.topology.links;
    this.#deliveries = this.#links.map(() => []);
  }

  /** The number of the delivery of a message in flight on a channel. */
  delivery(channel: number, parcel: number): number {
    const deliveries = this.#deliveries[channel] as number[];
    const known = deliveries[parcel];
    if (known !== undefined) return known;
    const action = this.on(channel, 'deliver', parcel);
    deliveries[parcel] = action;
    return action;
  }

  /** The number of an action on a channel. */
  on(channel: number, type: 'deliver' | 'drop' | 'duplicate', parcel: number): number {
    const { from, to } = this.#links[channel] as Link;
    const { actions, parcels } = this.numbers;
    const due = parcels.due(parcel);
    return actions.id({ type, from, to, message: parcels.message(parcel), ...(due && { due }) });
  }

  /**
   * The messages of a content that the crash of its sender may lose next: action, remaining
   * content, action …
   */
  unsent(channel: number, content: number): readonly number[] {
    const { from, to } = this.#links[channel] as Link;
    const { worlds, actions, parcels, contents } = this.numbers;
    const list = contents.list(content);
    const isNotice = (parcel: number) => worlds.isNotice(parcels.message(parcel));
    const isSame = (one: number, other: number) => list[one] === list[other];
    return unsentOf(list, { isNotice, isSame, order: worlds.order }).flatMap((unsent) => {
      const parcel = list[unsent] as number;
      const due = parcels.due(parcel);
      const action = actions.id({
        type: 'drop',
        from,
        to,
        message: parcels.message(parcel),
        ...(due && { due }),
        unsent,
      });
      return [action, contents.of(list.toSpliced(unsent, 1))];
    });
  }

  /**
   * For the Expander: what an environment allows, which channels are cut; then an open choice, or
   * actions of the network and their results.
   */
  environment(number: number): readonly number[] {
    const { worlds, actions, environments, nodeIndex, values } = this.numbers;
    const environment = environments.item(number);
    const { remaining, cut, choosing } = environment;
    const cuts = this.#links.map((link) => (crosses(cut, link) ? 1 : 0));
    const [choice, ...open] = choosing;
    const isAskedAgain = open.some(({ node }) => node === choice?.node);
    if (choice)
      return [
        allowed.choose |
          (permits(environment) & (allowed.cut | allowed.crash | allowed.begin)) |
          (isAskedAgain ? allowed.again : 0),
        ...cuts,
        nodeIndex.get(choice.node) ?? -1,
        ...choice.options.map((value) => values.id(value)),
      ];
    const { starting: _, ...initial } = worlds.initial;
    const world: World = {
      ...initial,
      ...environment,
      channels: {},
      remaining: { ...remaining, commands: {}, fulfilled: {} },
    };
    const changes = worlds.actions(world).filter(changesTheNetwork);
    return [
      permits(environment),
      ...cuts,
      ...changes.flatMap((action) => [
        actions.id(action),
        environments.id(environmentOf(worlds.next(world, action))),
      ]),
    ];
  }
}
