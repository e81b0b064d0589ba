import type { World } from '@conclave/check';
import type { LocalState, NodeId } from '@conclave/core/protocol';
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { abbreviations, type Looks, looksOf } from '../../model/looks.js';
import {
  flightsOf,
  type NetworkScene,
  networkScene,
  progressOf,
} from '../../model/network-scene.js';
import type { Player } from '../../model/player.js';
import { separates } from '../../model/possible.js';
import { type Badge, badges } from '../../model/properties.js';
import type { Moment } from '../../model/run.js';
import type { Session } from '../../model/session.js';
import { playerOf } from '../play/players.js';

/** How much of a message is written on it. */
export type Detail = 'full' | 'short' | 'dot' | 'speck';

/** The space that a message takes with all that it carries, in square pixels. */
const fullToken = 80 * 18;

/** What all parts of one drawing share. */
export class Drawing {
  readonly size = signal({ width: 0, height: 0 });
  readonly scene: ReadonlySignal<NetworkScene>;
  readonly looks: Looks;
  readonly abbreviations: ReadonlyMap<string, string>;
  /** Nodes that a property blames, with the reason. */
  readonly blamed: ReadonlySignal<ReadonlyMap<NodeId, string>>;
  readonly detail: ReadonlySignal<Detail>;
  /**
   * Of the world that is shown: hundreds of edges and messages look at these, and most steps leave
   * one as it is.
   */
  readonly channels: ReadonlySignal<World['channels']>;
  readonly #cut: ReadonlySignal<World['cut']>;
  /** How many messages are on their way. */
  readonly count: ReadonlySignal<number>;
  readonly stepped: ReadonlySignal<Moment | undefined>;
  readonly player: Player;
  /** The element that Tab reaches: the key of its target. */
  readonly roving = signal('');

  constructor(readonly session: Session) {
    const { system, now, stepped } = session;
    this.stepped = stepped;
    this.player = playerOf(session);
    this.channels = computed(() => now.value.world.channels);
    this.#cut = computed(() => now.value.world.cut);
    this.count = computed(() => Object.values(this.channels.value).flat().length);
    this.scene = computed(() =>
      networkScene(system.topology, this.size.value.width, this.size.value.height),
    );
    this.looks = looksOf(system);
    this.abbreviations = abbreviations(Object.keys(system.protocol.messages));
    this.blamed = computed(() => blamedBy(badges(session).value));
    this.detail = computed(() => {
      const { value: count } = this.count;
      const { width, height } = this.scene.value;
      const covered = (count * fullToken) / Math.max(1, width * height);
      return count > 80 ? 'speck' : covered > 0.35 ? 'dot' : covered > 0.12 ? 'short' : 'full';
    });
  }

  local(node: NodeId): LocalState | undefined {
    return this.session.now.value.world.nodes[node];
  }

  isWaiting(node: NodeId): boolean {
    const { protocol, worlds } = this.session.system;
    const { world } = this.session.now.value;
    if (protocol.waiting === false || world.crashed.includes(node)) return false;
    return protocol.waiting
      ? protocol.waiting(worlds.view(world).node(node))
      : (this.local(node)?.tags.includes('waiting') ?? false);
  }

  isCut(from: NodeId, to: NodeId): boolean {
    return separates(this.#cut.value, from, to);
  }

  /**
   * In a run with times: how far each message of a channel is on its way, from 0 to 1, when the
   * motion is over.
   */
  progress(from: NodeId, to: NodeId): readonly number[] | undefined {
    const { session, player, channels } = this;
    const time = player.drawnAt.value;
    const flights = flightsOf(session).value;
    if (time === undefined || !flights) return undefined;
    const key = `${from}→${to}`;
    return progressOf(
      session.system.protocol,
      flights.get(key) ?? [],
      { from, messages: channels.value[key] ?? [], depth: session.now.value.depth },
      time,
    );
  }

  hasMessages(from: NodeId, to: NodeId): boolean {
    return this.channels.value[`${from}→${to}`] !== undefined;
  }
}

function blamedBy(badges: readonly Badge[]): ReadonlyMap<NodeId, string> {
  const blamed = new Map<NodeId, string>();
  for (const { value, nodes, reason } of badges)
    for (const node of value === 'false' ? nodes : []) {
      const before = blamed.get(node);
      blamed.set(node, before === undefined ? reason : `${before}; ${reason}`);
    }
  return blamed;
}

const context = createContext<Drawing | undefined>(undefined);
export const DrawingProvider = context.Provider;

export function useDrawing(): Drawing {
  const drawing = useContext(context);
  if (!drawing) throw new Error('A part of the network is drawn outside of it');
  return drawing;
}
