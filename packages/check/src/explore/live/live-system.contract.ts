/**
 * What can happen next in a system of live nodes, by definition: ages of messages, timers and
 * stays, and crashes at any instant.
 */

import { nodesAccepting, roleOf } from '@conclave/core/internal';
import type { Command, Message, NodeId, NodeView } from '@conclave/core/protocol';
import { ConclaveError, type Protocol } from '@conclave/core/protocol';
import type { Link, Topology } from '@conclave/core/topology';
import { viewOfNode } from '../../../../core/src/protocol/check-properties.js';
import { examplesOf } from '../../../../core/src/protocol/commands.js';
import { crashNotices } from '../../../../core/src/protocol/crash-notices.js';
import type { Send } from '../../../../core/src/protocol/effects.js';
import { crashCondition } from '../../worlds/check-budget.js';
import type { ExploreOptions } from '../options.js';
import { LiveNode, type LiveStep, type Local, textOf } from './live-node.contract.js';
import {
  anyInstant,
  anyMoment,
  type Crashes,
  channelOf,
  type Durations,
  isDown,
  isOver,
  isRipe,
  type Letter,
  type LiveWorld,
  type Move,
  type Next,
  nextLetters,
  type Order,
  older,
  type Place,
  placeAt,
  type Range,
  withoutLetter,
} from './live-world.contract.js';

export interface Rules {
  readonly crashes: Crashes;
  readonly durations: Durations;
}

export const untimed: Rules = { crashes: anyInstant, durations: anyMoment };

export class LiveSystem {
  readonly first: LiveWorld;
  readonly order: Order;
  readonly #nodes: readonly LiveNode[];
  readonly #starts: readonly LiveStep[];
  readonly #optional: readonly Command[];
  readonly #obligatory: readonly Command[];

  constructor(
    readonly protocol: Protocol,
    readonly topology: Topology,
    private readonly options: ExploreOptions,
    private readonly rules: Rules,
  ) {
    const {
      commands = 1,
      initiators = topology.nodes,
      losses = 0,
      duplications = 0,
      crashes = 0,
      restarts = 0,
    } = options;
    this.order = options.order ?? protocol.channels.order;
    const ofKind = (wanted: string) =>
      Object.entries(protocol.commands).flatMap(([type, { kind }]) =>
        kind === wanted ? examplesOf(protocol, type).slice(0, 1) : [],
      );
    this.#optional = ofKind('optional');
    this.#obligatory = ofKind('obligatory');
    this.#nodes = topology.nodes.map((id) => new LiveNode(id, protocol, topology));
    this.#starts = this.#nodes.map((node) => node.start());
    const places = this.#starts.map((started, node): Place => {
      const left = this.#optional.map(() =>
        initiators.includes(this.#id(node)) ? Number(commands) : 0,
      );
      return {
        local: started.after,
        ...this.#clocks(undefined, started),
        commands: left,
        given: [],
      };
    });
    const channels = topology.links.map(() => []);
    const silent: LiveWorld = {
      places,
      channels,
      left: { losses, duplications, crashes, restarts },
      starting: [],
    };
    const world = this.#starts.reduce(
      (before, { sends }, node) => this.#sent(before, node, sends),
      silent,
    );
    this.first = {
      ...world,
      starting: [...places.keys()].filter((node) => this.#inStart(world, node).length > 0),
    };
  }

  /**
   * One for each action. A choice is answered before anything else happens, unless the node goes
   * down.
   */
  next(world: LiveWorld): readonly Next[] {
    const asked = world.places.findIndex(({ local }) => local.open.length > 0);
    const begun = { ...world, starting: [] };
    const moves = asked < 0 ? this.#moves(begun) : this.#answers(world, asked);
    const between = asked < 0 ? this.#betweenSteps(begun) : [];
    const others = asked < 0 ? [...this.#ofNetwork(begun), ...this.#later(begun)] : [];
    const inside = [
      ...moves.flatMap((move) => this.#insideStep(move)),
      ...this.#insideStarts(world),
    ];
    return [
      ...moves.map((move) => ({ world: this.#moved(move), isCrash: false })),
      ...others.map((after) => ({ world: after, isCrash: false })),
      ...[...between, ...inside].map((after) => ({ world: after, isCrash: true })),
    ];
  }

  /** Whether time can pass: nothing has to happen now. */
  letsTimePass({ places, channels }: LiveWorld): boolean {
    const { stays, timer } = this.rules.durations;
    const isFree = ({ local, armed, stayed }: Place) =>
      local.open.length === 0 &&
      armed.every((age, index) => !isOver(timer(local.timers[index]?.delay ?? 0), age)) &&
      stays.every(({ range }, index) => !isOver(range, stayed[index] ?? -1));
    const isPatient = (letters: readonly Letter[], link: number) =>
      nextLetters(letters, this.order).every(
        ({ message, age }) => !isOver(this.#delay(link, message), age),
      );
    return places.every(isFree) && channels.every(isPatient);
  }

  viewOf(local: Local, node: number): NodeView {
    const id = this.#id(node);
    return viewOfNode(
      this.protocol,
      id,
      roleOf(this.protocol, id, this.topology).name,
      local,
      undefined,
      local.crashed,
    );
  }

  #answers(world: LiveWorld, node: number): readonly Move[] {
    const [options = []] = placeAt(world, node).local.open;
    const starting = world.starting.filter((other) => other !== node);
    return options.map(
      (value): Move => ({ world: { ...world, starting }, node, told: { kind: 'answer', value } }),
    );
  }

  #moves(world: LiveWorld): readonly Move[] {
    const { left } = world;
    const restart: readonly LiveWorld[] =
      left.restarts > 0 ? [{ ...world, left: { ...left, restarts: left.restarts - 1 } }] : [];
    return [
      ...world.places.flatMap((place, node) =>
        place.local.crashed
          ? restart.map((back): Move => ({ world: back, node, told: { kind: 'restart' } }))
          : this.#own(world, place, node),
      ),
      ...world.channels.flatMap((letters, link) => {
        const { from, node } = this.#ends(link);
        if (isDown(world, node)) return [];
        const ripe = nextLetters(letters, this.order).filter(({ message, age }) =>
          isRipe(this.#delay(link, message), age),
        );
        return ripe.map((letter): Move => {
          const event = { ...letter.message, from };
          return {
            world: withoutLetter(world, link, letter),
            node,
            told: { kind: 'event', event },
          };
        });
      }),
    ];
  }

  /** The commands that a node may get, and the timers that may fire. */
  #own(world: LiveWorld, place: Place, node: number): readonly Move[] {
    const left = this.#optional.filter((_, index) => (place.commands[index] ?? 0) > 0);
    const due = this.#obligatory.filter(({ type }) => !place.given.includes(type));
    const { timers } = place.local;
    const fires = timers.filter(({ delay }, index) =>
      isRipe(this.rules.durations.timer(delay), place.armed[index] ?? 0),
    );
    return [
      ...[...left, ...due]
        .filter((command) => this.#mayCome(place, node, command))
        .map(
          (command): Move => ({ world, node, told: { kind: 'event', event: command }, command }),
        ),
      ...fires.map(({ id }): Move => ({ world, node, told: { kind: 'fire', timer: id } })),
    ];
  }

  /** A command comes where the application may give it, and does not end a stay before its time. */
  #mayCome({ local, stayed }: Place, node: number, command: Command): boolean {
    const { when } = this.protocol.commands[command.type] ?? {};
    if (!(when ? this.#isDue(local, node, command.type) : this.#node(node).takes(local, command)))
      return false;
    const young = this.rules.durations.stays.filter(
      ({ range }, index) => (stayed[index] ?? -1) >= 0 && !isRipe(range, stayed[index] ?? 0),
    );
    if (young.length === 0) return true;
    const taken = this.#node(node).step(local, { kind: 'event', event: command });
    return (
      taken instanceof ConclaveError || young.every(({ tag }) => taken.after.tags.includes(tag))
    );
  }

  #isDue(local: Local, node: number, type: string): boolean {
    const { when } = this.protocol.commands[type] ?? {};
    const isAccepted = nodesAccepting(this.protocol, this.topology, type).includes(this.#id(node));
    return when !== undefined && isAccepted && when(this.viewOf(local, node));
  }

  #taken({ world, node, told }: Move): LiveStep | ConclaveError {
    return this.#node(node).step(placeAt(world, node).local, told);
  }

  #moved(move: Move): LiveWorld | undefined {
    const taken = this.#taken(move);
    return taken instanceof ConclaveError ? undefined : this.#stepped(move, taken, taken.sends);
  }

  /** The world after a step of which `sends` leave the node. */
  #stepped({ world, node, command }: Move, taken: LiveStep, sends: readonly Send[]): LiveWorld {
    const before = placeAt(world, node);
    const given =
      command && this.#obligatory.includes(command)
        ? [...before.given, command.type].sort()
        : before.given;
    const place: Place = {
      local: taken.after,
      ...this.#clocks(before, taken),
      commands: before.commands.map(
        (count, index) => count - (this.#optional[index] === command ? 1 : 0),
      ),
      given: given.filter((type) => this.#isDue(taken.after, node, type)),
    };
    return this.#sent({ ...world, places: world.places.with(node, place) }, node, sends);
  }

  /** The crashes in the middle of a step. */
  #insideStep(move: Move): readonly LiveWorld[] {
    const taken = this.#taken(move);
    if (taken instanceof ConclaveError) return [];
    return this.#partsOf(move.world, move.node, taken).map((kept) =>
      this.#down(this.#stepped(move, taken, kept), move.node),
    );
  }

  /**
   * What may leave a node that goes down in a step. That all leaves is a crash after the step,
   * unless a choice is open: then the step goes on.
   */
  #partsOf(
    { left }: LiveWorld,
    node: number,
    { after, sends }: LiveStep,
  ): readonly (readonly Send[])[] {
    if (left.crashes === 0 || this.options.atomicSteps || !this.#mayGoDown(after, node)) return [];
    return this.rules.crashes
      .parts(sends, this.order)
      .filter((kept) => after.open.length > 0 || kept.length < sends.length);
  }

  #inStart(world: LiveWorld, node: number): readonly (readonly Send[])[] {
    return this.#partsOf(world, node, this.#starts[node] as LiveStep);
  }

  /**
   * The crashes in the middle of a start: nothing else has happened, so that the channels hold what
   * nodes send at their start.
   */
  #insideStarts(world: LiveWorld): readonly LiveWorld[] {
    return world.starting.flatMap((node) => {
      const channels = world.channels.map((letters, link) =>
        this.#link(link).from === this.#id(node) ? [] : letters,
      );
      return this.#inStart(world, node).map((kept) =>
        this.#down(this.#sent({ ...world, channels }, node, kept), node),
      );
    });
  }

  #betweenSteps(world: LiveWorld): readonly LiveWorld[] {
    if (world.left.crashes === 0) return [];
    const nodes = [...world.places.keys()].filter(
      (node) => !isDown(world, node) && this.#mayGoDown(placeAt(world, node).local, node),
    );
    return nodes.map((node) => this.#down(world, node));
  }

  #mayGoDown(local: Local, node: number): boolean {
    return crashCondition(this.options)?.(this.viewOf(local, node)) ?? true;
  }

  #down(world: LiveWorld, node: number): LiveWorld {
    const before = placeAt(world, node);
    const local = this.rules.crashes.down(this.#node(node), before.local);
    const crashes = world.left.crashes - 1;
    const place: Place = {
      ...before,
      local,
      armed: [],
      stayed: this.rules.durations.stays.map(() => -1),
      given: [],
    };
    const starting = crashes > 0 ? world.starting.filter((other) => other !== node) : [];
    const down = {
      ...world,
      places: world.places.with(node, place),
      left: { ...world.left, crashes },
      starting,
    };
    return this.#sent(down, node, crashNotices(this.protocol, this.topology, this.#id(node)));
  }

  /** Losses, copies, and messages that arrive where no node is up. */
  #ofNetwork(world: LiveWorld): readonly LiveWorld[] {
    const { left, channels } = world;
    return channels.flatMap((letters, link) =>
      nextLetters(letters, this.order).flatMap((letter) => {
        const without = withoutLetter(world, link, letter);
        const isVain =
          isDown(world, this.#ends(link).node) &&
          isRipe(this.#delay(link, letter.message), letter.age);
        const lost =
          left.losses > 0 ? [{ ...without, left: { ...left, losses: left.losses - 1 } }] : [];
        const copied = channels.with(
          link,
          channelOf(letters.toSpliced(letters.indexOf(letter), 0, letter), this.order),
        );
        const twice = {
          ...world,
          channels: copied,
          left: { ...left, duplications: left.duplications - 1 },
        };
        return [...(isVain ? [without] : lost), ...(left.duplications > 0 ? [twice] : [])];
      }),
    );
  }

  /** One tick later, if that makes a difference. */
  #later(world: LiveWorld): readonly LiveWorld[] {
    if (!this.letsTimePass(world)) return [];
    const { stays, timer } = this.rules.durations;
    const places = world.places.map((place) => ({
      ...place,
      armed: place.armed.map((age, index) =>
        older(timer(place.local.timers[index]?.delay ?? 0), age),
      ),
      stayed: stays.map(({ range }, index) =>
        (place.stayed[index] ?? -1) < 0 ? -1 : older(range, place.stayed[index] ?? 0),
      ),
    }));
    const aged = world.channels.map((letters, link) =>
      letters.map(
        ({ message, age }): Letter => ({ message, age: older(this.#delay(link, message), age) }),
      ),
    );
    const channels = aged.map((letters) => channelOf(letters, this.order));
    const agesOf = (all: readonly Place[]) => all.map(({ armed, stayed }) => [armed, stayed]);
    const isSame =
      textOf([agesOf(places), channels]) === textOf([agesOf(world.places), world.channels]);
    return isSame ? [] : [{ ...world, places, channels }];
  }

  #clocks(before: Place | undefined, { after, armed }: LiveStep): Pick<Place, 'armed' | 'stayed'> {
    const ages = new Map(
      before?.local.timers.map(({ id }, index) => [id, before.armed[index] ?? 0]),
    );
    const stay = ({ tag }: { readonly tag: string }, index: number) =>
      after.tags.includes(tag) ? Math.max(0, before?.stayed[index] ?? 0) : -1;
    return {
      armed: after.timers.map(({ id }) => (armed.includes(id) ? 0 : (ages.get(id) ?? 0))),
      stayed: this.rules.durations.stays.map(stay),
    };
  }

  #sent(world: LiveWorld, node: number, sends: readonly Send[]): LiveWorld {
    const channels = [...world.channels];
    for (const { to, message } of sends) {
      const link = this.topology.links.findIndex(
        (one) => one.from === this.#id(node) && one.to === to,
      );
      channels[link] = channelOf([...(channels[link] ?? []), { message, age: 0 }], this.order);
    }
    return { ...world, channels };
  }

  #delay(link: number, message: Message): Range {
    const { from, to } = this.#link(link);
    return this.rules.durations.message(from, to, message);
  }

  #ends(link: number): { readonly from: NodeId; readonly node: number } {
    const { from, to } = this.#link(link);
    return { from, node: this.topology.nodes.indexOf(to) };
  }

  #link(link: number): Link {
    return this.topology.links[link] as Link; // its own positions
  }

  #id(node: number): NodeId {
    return this.topology.nodes[node] as NodeId; // its own positions
  }

  #node(node: number): LiveNode {
    return this.#nodes[node] as LiveNode; // its own positions
  }
}
