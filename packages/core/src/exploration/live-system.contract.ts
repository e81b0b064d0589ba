/** A whole system of live nodes by definition: every interleaving, with ages of messages, timers and stays, and crashes inside steps. */
import { viewOfNode } from '../protocol/check-properties.js';
import { crashNotices } from '../protocol/crash-notice.js';
import { ConclaveError } from '../protocol/error.js';
import type { Command, Message, Send } from '../protocol/node.js';
import { nodesAccepting } from '../protocol/nodes-accepting.js';
import { examplesOf } from '../protocol/optional-commands.js';
import type { NodeView } from '../protocol/property.js';
import { type Protocol, roleOf } from '../protocol/protocol.js';
import type { Topology } from '../topology/topology.js';
import { anyMoment, type Durations, isOver, isRipe, never, older } from './live-time.contract.js';
import { LiveNode, type LiveStep, type Local, type Told, textOf } from './live-node.contract.js';
import type { ExploreOptions } from './options.js';

/** A message in flight. */
export interface Letter {
  readonly message: Message;
  readonly age: number;
}

/** A node and the ages of its clocks: none runs where it is down. */
export interface Place {
  readonly local: Local;
  /** By armed timer. */
  readonly armed: readonly number[];
  /** By tag with a bounded stay; −1: it has not got this tag. */
  readonly stayed: readonly number[];
  /** By optional command: how many are left. */
  readonly commands: readonly number[];
  /** The obligatory commands that it has got since they became due. */
  readonly given: readonly string[];
}

/** By position: nodes and links in the order of the topology. */
export interface LiveWorld {
  readonly places: readonly Place[];
  /** The oldest letter first; with `any` order sorted, since a channel is a bag. */
  readonly channels: readonly (readonly Letter[])[];
  readonly left: { readonly losses: number; readonly duplications: number; readonly crashes: number; readonly restarts: number };
  /** The nodes that may still go down in the middle of their start. */
  readonly starting: readonly number[];
}

/** What one node may do next: `told`, in the world without what it takes from it. */
interface Move {
  readonly world: LiveWorld;
  readonly node: number;
  readonly told: Told;
  readonly command?: Command;
}

/** Which of the sends of a step leave before a crash: each distinct part once. */
export type Parts = (sends: readonly Send[], order: 'fifo' | 'any') => readonly (readonly Send[])[];

export interface Rules {
  readonly parts: Parts;
  /** What a node is after a crash. */
  readonly down: (node: LiveNode, local: Local) => Local;
  readonly durations: Durations;
}

/** Any subset of the sends that keeps, on a `fifo` channel, no message without those before it. */
export const everyPart: Parts = (sends, order) => {
  const subsets = sends.reduce<readonly (readonly Send[])[]>((known, send) => known.flatMap((kept) => [[...kept, send], kept]), [[]]);
  const inOrder = (kept: readonly Send[]) =>
    sends.every((send, index) => kept.includes(send) || !sends.slice(index + 1).some((later) => later.to === send.to && kept.includes(later)));
  const possible = order === 'fifo' ? subsets.filter(inOrder) : subsets;
  return [...new Map(possible.map((kept) => [kept.map(textOf).sort().join(' '), kept])).values()];
};

export const usualRules: Rules = { parts: everyPart, down: (node, local) => node.down(local), durations: anyMoment };

/** Undefined: the machine breaks the node contract there. */
export type Next = LiveWorld | undefined;

export class LiveSystem {
  readonly first: LiveWorld;
  readonly order: 'fifo' | 'any';
  readonly #nodes: readonly LiveNode[];
  readonly #starts: readonly LiveStep[];
  readonly #optional: readonly Command[];
  readonly #obligatory: readonly Command[];

  constructor(
    readonly protocol: Protocol,
    readonly topology: Topology,
    private readonly options: ExploreOptions,
    private readonly rules: Rules = usualRules,
  ) {
    const { commands = 1, initiators = topology.nodes, losses = 0, duplications = 0, crashes = 0, restarts = 0 } = options;
    this.order = options.order ?? protocol.channels.order;
    const ofKind = (wanted: string) =>
      Object.entries(protocol.commands).flatMap(([type, { kind }]) => (kind === wanted ? examplesOf(protocol, type).slice(0, 1) : []));
    this.#optional = ofKind('optional');
    this.#obligatory = ofKind('obligatory');
    this.#nodes = topology.nodes.map((id) => new LiveNode(id, protocol, topology));
    this.#starts = this.#nodes.map((node) => node.start());
    const places = this.#starts.map(
      (started, node): Place => ({
        local: started.after,
        ...this.#clocks(undefined, started),
        commands: this.#optional.map(() => (initiators.includes(this.#id(node)) ? commands : 0)),
        given: [],
      }),
    );
    const empty: LiveWorld = {
      places,
      channels: topology.links.map(() => []),
      left: { losses, duplications, crashes, restarts },
      starting: [],
    };
    const world = this.#starts.reduce((before, { sends }, node) => this.#sent(before, node, sends), empty);
    this.first = { ...world, starting: topology.nodes.flatMap((_, node) => (this.#startParts(world, node).length > 0 ? [node] : [])) };
  }

  /** The worlds after each possible action. */
  next(world: LiveWorld): readonly Next[] {
    const asked = world.places.findIndex(({ local }) => local.open.length > 0);
    const moves = asked < 0 ? this.#moves(world) : this.#answers(world, asked);
    const others = asked < 0 ? [...this.#networks(world), ...this.#crashes(world), ...this.#later(world)] : [];
    return [...moves.map((move) => this.#moved(move)), ...others, ...moves.flatMap((move) => this.#downInside(move)), ...this.#downAtStart(world)];
  }

  /** Whether time can pass: nothing has to happen now. */
  letsTimePass(world: LiveWorld): boolean {
    const { durations } = this.rules;
    const isFree = ({ local, armed, stayed }: Place) =>
      local.open.length === 0 &&
      local.timers.every(({ delay }, index) => !isOver(durations.timer(delay), armed[index] ?? -1)) &&
      durations.stays.every(({ range }, index) => !isOver(range, stayed[index] ?? -1));
    const isWaiting = (letters: readonly Letter[], link: number) =>
      (this.order === 'fifo' ? letters.slice(0, 1) : letters).every(({ message, age }) => !isOver(this.#delay(link, message), age));
    return world.places.every(isFree) && world.channels.every(isWaiting);
  }

  viewOf({ local }: Place, node: number): NodeView {
    const id = this.#id(node);
    return viewOfNode(this.protocol, id, roleOf(this.protocol, id, this.topology).name, local, local.crashed);
  }

  #answers(world: LiveWorld, node: number): readonly Move[] {
    const [options = []] = (world.places[node] as Place).local.open;
    const starting = world.starting.filter((other) => other !== node);
    return options.map((value) => ({ world: { ...world, starting }, node, told: { kind: 'answer', value } }));
  }

  #moves(before: LiveWorld): readonly Move[] {
    const world = { ...before, starting: [] };
    return [
      ...world.places.flatMap((place, node) => (place.local.crashed ? this.#restart(world, node) : this.#ownMoves(world, place, node))),
      ...world.channels.flatMap((letters, link) => {
        const { from, node } = this.#ends(link);
        if (world.places[node]?.local.crashed) return [];
        return this.#ready(letters, link)
          .filter((letter) => isRipe(this.#delay(link, letter.message), letter.age))
          .map((letter): Move => ({ world: this.#without(world, link, letter), node, told: { kind: 'event', event: { ...letter.message, from } as never } }));
      }),
    ];
  }

  #ownMoves(world: LiveWorld, place: Place, node: number): readonly Move[] {
    const commands = [
      ...this.#optional.filter((_, index) => (place.commands[index] ?? 0) > 0),
      ...this.#obligatory.filter(({ type }) => !place.given.includes(type)),
    ].filter((command) => this.#mayCome(place, node, command));
    const fires = place.local.timers.filter(({ delay }, index) => isRipe(this.rules.durations.timer(delay), place.armed[index] ?? 0));
    return [
      ...commands.map((command): Move => ({ world, node, told: { kind: 'event', event: command }, command })),
      ...fires.map(({ id }): Move => ({ world, node, told: { kind: 'fire', timer: id } })),
    ];
  }

  #restart(world: LiveWorld, node: number): readonly Move[] {
    const { left } = world;
    return left.restarts > 0 ? [{ world: { ...world, left: { ...left, restarts: left.restarts - 1 } }, node, told: { kind: 'restart' } }] : [];
  }

  #mayCome(place: Place, node: number, command: Command): boolean {
    const isDue = this.protocol.commands[command.type]?.when ? this.#isDue(place.local, node, command.type) : this.#node(node).takes(place.local, command);
    if (!isDue) return false;
    const unripe = this.rules.durations.stays.filter(({ range }, index) => {
      const age = place.stayed[index] ?? -1;
      return age >= 0 && !isRipe(range, age);
    });
    if (unripe.length === 0) return true;
    const taken = this.#node(node).step(place.local, { kind: 'event', event: command });
    return taken instanceof ConclaveError || unripe.every(({ tag }) => taken.after.tags.includes(tag));
  }

  #isDue(local: Local, node: number, type: string): boolean {
    const { when } = this.protocol.commands[type] ?? {};
    if (!when || !nodesAccepting(this.protocol, this.topology, type).includes(this.#id(node))) return false;
    return when(this.viewOf({ local } as Place, node));
  }

  #taken({ world, node, told }: Move): LiveStep | ConclaveError {
    return this.#node(node).step((world.places[node] as Place).local, told);
  }

  #moved(move: Move): Next {
    const taken = this.#taken(move);
    return taken instanceof ConclaveError ? undefined : this.#stepped(move, taken, taken.sends);
  }

  /** The world after a step of which `sends` leave. */
  #stepped({ world, node, command }: Move, taken: LiveStep, sends: readonly Send[]): LiveWorld {
    const before = world.places[node] as Place;
    const isObligatory = command !== undefined && this.#obligatory.some(({ type }) => type === command.type);
    const given = isObligatory ? [...before.given, command.type].sort() : before.given;
    const place: Place = {
      local: taken.after,
      ...this.#clocks(before, taken),
      commands: before.commands.map((count, index) => count - (this.#optional[index] === command ? 1 : 0)),
      given: given.filter((type) => this.#isDue(taken.after, node, type)),
    };
    return this.#sent({ ...world, places: world.places.with(node, place) }, node, sends);
  }

  /** What a node goes down in the middle of: its step has an outcome, and a part of its sends leaves. */
  #downInside(move: Move): readonly LiveWorld[] {
    const taken = this.#taken(move);
    if (move.world.left.crashes === 0 || this.options.atomicSteps || taken instanceof ConclaveError) return [];
    if (!this.#mayGoDown(taken.after, move.node)) return [];
    const isInside = taken.after.open.length > 0; // otherwise a crash that loses nothing falls between two steps
    return this.rules
      .parts(taken.sends, this.order)
      .filter((kept) => isInside || kept.length < taken.sends.length)
      .map((kept) => this.#wentDown(this.#stepped(move, taken, kept), move.node));
  }

  #startParts({ left }: LiveWorld, node: number): readonly (readonly Send[])[] {
    const { after, sends } = this.#starts[node] as LiveStep;
    if (left.crashes === 0 || this.options.atomicSteps || !this.#mayGoDown(after, node)) return [];
    return this.rules.parts(sends, this.order).filter((kept) => after.open.length > 0 || kept.length < sends.length);
  }

  #downAtStart(world: LiveWorld): readonly LiveWorld[] {
    return world.starting.flatMap((node) => {
      const id = this.#id(node);
      const channels = world.channels.map((letters, link) => (this.topology.links[link]?.from === id ? [] : letters));
      return this.#startParts(world, node).map((kept) => this.#wentDown(this.#sent({ ...world, channels }, node, kept), node));
    });
  }

  #crashes(before: LiveWorld): readonly LiveWorld[] {
    const world = { ...before, starting: [] };
    if (world.left.crashes === 0) return [];
    return world.places.flatMap(({ local }, node) => (!local.crashed && this.#mayGoDown(local, node) ? [this.#wentDown(world, node)] : []));
  }

  #mayGoDown(local: Local, node: number): boolean {
    return this.options.mayCrash?.(this.viewOf({ local } as Place, node)) ?? true;
  }

  #wentDown(world: LiveWorld, node: number): LiveWorld {
    const before = world.places[node] as Place;
    const { stays } = this.rules.durations;
    const local = this.rules.down(this.#node(node), before.local);
    const crashes = world.left.crashes - 1;
    const down: LiveWorld = {
      ...world,
      places: world.places.with(node, { ...before, local, armed: [], stayed: stays.map(() => -1), given: [] }),
      left: { ...world.left, crashes },
      starting: crashes > 0 ? world.starting.filter((other) => other !== node) : [],
    };
    return this.#sent(down, node, crashNotices(this.protocol, this.topology, this.#id(node)));
  }

  /** Losses, copies, and messages that nobody is there to receive. */
  #networks(before: LiveWorld): readonly LiveWorld[] {
    const world = { ...before, starting: [] };
    const { left } = world;
    return world.channels.flatMap((letters, link) => {
      const isDown = world.places[this.#ends(link).node]?.local.crashed ?? false;
      return this.#ready(letters, link).flatMap((letter) => {
        const without = this.#without(world, link, letter);
        const isFree = isDown && isRipe(this.#delay(link, letter.message), letter.age);
        const lost = isFree ? [without] : left.losses > 0 ? [{ ...without, left: { ...left, losses: left.losses - 1 } }] : [];
        const copied = world.channels.with(link, this.#bag(letters.toSpliced(letters.indexOf(letter), 0, letter)));
        const twice = { ...world, channels: copied, left: { ...left, duplications: left.duplications - 1 } };
        return left.duplications > 0 ? [...lost, twice] : lost;
      });
    });
  }

  /** One tick later, if that makes a difference. */
  #later(before: LiveWorld): readonly LiveWorld[] {
    if (!this.letsTimePass(before)) return [];
    const { durations } = this.rules;
    const world: LiveWorld = {
      ...before,
      starting: [],
      places: before.places.map((place) => ({
        ...place,
        armed: place.armed.map((age, index) => older(durations.timer(place.local.timers[index]?.delay ?? 0), age)),
        stayed: place.stayed.map((age, index) => (age < 0 ? age : older(durations.stays[index]?.range ?? never, age))),
      })),
      channels: before.channels.map((letters, link) =>
        this.#bag(letters.map(({ message, age }) => ({ message, age: older(this.#delay(link, message), age) }))),
      ),
    };
    return textOf([world.places, world.channels]) === textOf([before.places, before.channels]) ? [] : [world];
  }

  #clocks(before: Place | undefined, { after, armed }: LiveStep): Pick<Place, 'armed' | 'stayed'> {
    const ages = new Map(before?.local.timers.map(({ id }, index) => [id, before.armed[index] ?? 0]));
    return {
      armed: after.timers.map(({ id }) => (armed.includes(id) ? 0 : (ages.get(id) ?? 0))),
      stayed: this.rules.durations.stays.map(({ tag }, index) => (after.tags.includes(tag) ? Math.max(0, before?.stayed[index] ?? 0) : -1)),
    };
  }

  #sent(world: LiveWorld, node: number, sends: readonly Send[]): LiveWorld {
    const channels = [...world.channels];
    for (const { to, message } of sends) {
      const link = this.topology.links.findIndex((one) => one.from === this.#id(node) && one.to === to);
      channels[link] = this.#bag([...(channels[link] ?? []), { message, age: 0 }]);
    }
    return { ...world, channels };
  }

  /** The letters of a channel that may be next: one with `fifo`, each different one with `any`. */
  #ready(letters: readonly Letter[], _link: number): readonly Letter[] {
    if (this.order === 'fifo') return letters.slice(0, 1);
    return [...new Map(letters.map((letter) => [textOf(letter), letter])).values()];
  }

  #without(world: LiveWorld, link: number, letter: Letter): LiveWorld {
    const letters = world.channels[link] ?? [];
    return { ...world, channels: world.channels.with(link, letters.toSpliced(letters.indexOf(letter), 1)) };
  }

  #bag(letters: readonly Letter[]): readonly Letter[] {
    return this.order === 'fifo' ? letters : letters.toSorted((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
  }

  #delay(link: number, message: Message) {
    const { from, to } = this.topology.links[link] as { readonly from: string; readonly to: string };
    return this.rules.durations.message(from, to, message);
  }

  #ends(link: number): { readonly from: string; readonly node: number } {
    const { from, to } = this.topology.links[link] as { readonly from: string; readonly to: string };
    return { from, node: this.topology.nodes.indexOf(to) };
  }

  #id(node: number): string {
    return this.topology.nodes[node] as string; // its own positions
  }

  #node(node: number): LiveNode {
    return this.#nodes[node] as LiveNode; // its own positions
  }
}
