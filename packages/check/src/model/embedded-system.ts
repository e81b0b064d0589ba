import type { Embedded } from '@conclave/core/embedding';
import { embed } from '@conclave/core/embedding';
import { answerOf, unlabelled } from '@conclave/core/internal';
import { handStepped } from '@conclave/core/internal/embedding';
import type { ConclaveError, Json, NodeId } from '@conclave/core/protocol';
import type { TraceLine } from '@conclave/core/trace';
import { badInput } from '../base/bad-input.js';
import { canonical } from '../worlds/canonical.js';
import { actionLines } from '../worlds/run-lines.js';
import type { Action, World } from '../worlds/world.js';
import { differenceOf, type PathPlace, pathFailure } from './failure.js';
import type { Model } from './model.js';

type HandStepped = ReturnType<typeof handStepped>;

/** The nodes of a system, embedded on a hand-stepped network. */
export class EmbeddedSystem {
  readonly #network: HandStepped;
  readonly #nodes = new Map<NodeId, Embedded>();
  readonly #errors: ConclaveError[] = [];
  readonly #lines: TraceLine[] = [];
  /**
   * An action that leads to a choice waits until the choice is known: an embedded node chooses
   * within the step.
   */
  #held: Action | undefined;
  #answers: Json[] = [];
  #world: World;
  #steps = 0;

  constructor(
    private readonly worlds: Model['worlds'],
    private readonly place: Pick<PathPlace, 'path' | 'paths'>,
  ) {
    this.#network = handStepped(worlds.topology, {
      order: worlds.order,
      loss: false,
      duplication: false,
      crashes: 'reported',
    });
    this.#world = worlds.initial;
  }

  /** Called once the choices of the nodes' starts are known. */
  #embed(): void {
    const { protocol, topology } = this.worlds;
    for (const self of topology.nodes) {
      const node = embed(protocol, {
        self,
        topology,
        transport: this.#network.transport(self),
        clock: this.#network.clock(self),
        choose: () => this.#answers.shift() ?? null,
        onError: (error) => this.#errors.push(error),
      });
      this.#nodes.set(self, node);
    }
  }

  perform(action: Action): void {
    this.#steps++;
    this.#lines.push(...actionLines(this.worlds, this.#world, action));
    if (action.type === 'choose') this.#answers.push(action.value);
    else this.#held = action;
    this.#world = this.worlds.next(this.#world, action);
  }

  /** Brings the embedded nodes to `world` and compares; false while a choice is open. */
  reaches(world: World): boolean {
    if (world.choosing.length > 0) return false;
    if (this.#nodes.size === 0) this.#embed();
    if (this.#held) this.#move(this.#held);
    this.#held = undefined;
    this.#compare(world);
    return true;
  }

  async close(): Promise<void> {
    for (const node of this.#nodes.values()) await node.close();
  }

  #move(action: Action): void {
    switch (action.type) {
      case 'command':
        return this.#node(action.node).send(action.command);
      case 'deliver':
        return this.#network.deliver(action.from, action.to, unlabelled(action.message));
      case 'timeout':
        return this.#network.fire(action.node, action.timer);
      case 'tick':
        return; // the network is stepped by hand: its timers fire when they are told to
      case 'choose':
      case 'crash':
      case 'restart':
      case 'split':
      case 'heal':
        throw badInput(
          `A model test cannot perform '${action.type}' on embedded nodes`,
          'Leave crashes, restarts and partitions out of the budget of a model test.',
        );
      default: // a fault of a channel
        return this.#network[action.type](action.from, action.to, unlabelled(action.message));
    }
  }

  #compare(world: World): void {
    const { protocol, topology } = this.worlds;
    for (const id of topology.nodes) {
      const { value, context } = this.#node(id).state;
      const local = world.nodes[id];
      this.#same(
        `node ${id}`,
        {
          value: local?.value,
          context: local?.context,
          timers: local?.timers.map((timer) => timer.id),
        },
        { value, context, timers: this.#network.timers(id) },
      );
    }
    for (const { from, to } of topology.links)
      this.#same(
        `channel ${from}→${to}`,
        (world.channels[`${from}→${to}`] ?? []).map(unlabelled).toSorted(byText),
        this.#network.channel(from, to).toSorted(byText),
      );
    if (this.#errors.length > 0) throw this.#failure(this.#errors[0]?.message ?? '');
    const view = this.worlds.view(world);
    for (const property of protocol.properties)
      if (
        (property.kind === 'always' || property.kind === 'never') &&
        answerOf(property, property.holds, view) !== (property.kind === 'always')
      )
        throw this.#failure(`violated: ${property.kind} ${property.name}`);
  }

  #same(what: string, expected: unknown, embedded: unknown): void {
    const difference = differenceOf(what, expected, embedded);
    if (difference !== undefined) throw this.#failure(difference);
  }

  #failure(what: string): Error {
    const { protocol, topology } = this.worlds;
    const place = { ...this.place, protocol, topology: topology.spec };
    return pathFailure(place, this.#steps, what, this.#lines);
  }

  #node(id: NodeId): Embedded {
    const node = this.#nodes.get(id);
    if (!node) throw badInput(`The system has no node '${id}'`);
    return node;
  }
}

const byText = (one: unknown, other: unknown): number =>
  canonical(one) < canonical(other) ? -1 : 1;
