/** What all parts of one drawing of a network share, and its nodes. */
import type { World } from '@conclave/check';
import { stateText } from '@conclave/core/internal';
import type { LocalState, NodeId } from '@conclave/core/protocol';
import { computed, type ReadonlySignal, signal, useComputed } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { counted } from '../../base/numbers.js';
import { flightsOf, progressOf } from '../../model/flights.js';
import { abbreviations, type Looks, looksOf, shortState } from '../../model/looks.js';
import {
  inward,
  type NetworkScene,
  networkScene,
  type SceneNode,
} from '../../model/network-scene.js';
import type { Player } from '../../model/player.js';
import { separates } from '../../model/possible.js';
import { type Badge, badges } from '../../model/properties.js';
import type { Moment, Session } from '../../model/session.js';
import { say } from '../../texts/say.js';
import { isNode, pointed } from '../actions.js';
import { shownNode } from '../chart.js';
import { playerOf } from '../play.js';

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
  /** Of the world that is shown: hundreds of parts read these, and most steps change neither. */
  readonly channels: ReadonlySignal<World['channels']>;
  readonly #cut: ReadonlySignal<World['cut']>;
  /** The channels that carry messages; the same array while these do not change. */
  readonly busy: ReadonlySignal<readonly string[]>;
  readonly #bothWays: ReadonlySignal<ReadonlySet<string>>;
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
    const names = computed(() => Object.keys(this.channels.value).join('\n'));
    this.busy = computed(() => names.value.split('\n').filter(Boolean));
    const bothWays = computed(() => {
      const busy = new Set(this.busy.value);
      return [...busy].filter((key) => busy.has(key.split('→').reverse().join('→'))).join('\n');
    });
    this.#bothWays = computed(() => new Set(bothWays.value.split('\n')));
    this.#cut = computed(() => now.value.world.cut);
    this.count = computed(() => Object.values(this.channels.value).flat().length);
    this.scene = computed(() =>
      networkScene(system.topology, this.size.value.width, this.size.value.height),
    );
    this.looks = looksOf(system.protocol);
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

  /** In a run with times: how far each message is on its way, 0 to 1, after the motion. */
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

  /** Whether both channels of two neighbours carry messages. */
  isBusyBack(from: NodeId, to: NodeId): boolean {
    return this.#bothWays.value.has(`${from}→${to}`);
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

/** How a node looks: what a step does not change is not drawn again. */
function useLook(id: NodeId) {
  const drawing = useDrawing();
  const { session, stepped, blamed, roving } = drawing;
  const { now } = session;
  const isCrashed = useComputed(() => now.value.world.crashed.includes(id)).value;
  const timers = useComputed(() => drawing.local(id)?.timers.length ?? 0).value;
  return {
    isCrashed,
    timers: isCrashed ? 0 : timers,
    text: stateText(useComputed(() => drawing.local(id)?.value ?? '').value),
    isWaiting: useComputed(() => drawing.isWaiting(id)).value,
    isChoosing: useComputed(() => now.value.world.choosing[0]?.node === id).value,
    blame: useComputed(() => blamed.value.get(id)).value,
    isChosen: useComputed(() => shownNode(session).value === id).value,
    isPointed: useComputed(() => isNode(pointed.value, id)).value,
    isRoving: useComputed(() => roving.value === `node ${id}`).value,
    pulse: useComputed(() => (actor(stepped.value) === id ? stepped.value?.id : undefined)).value,
  };
}

type Look = ReturnType<typeof useLook>;

const descriptionOf = (id: NodeId, look: Look): string =>
  `${id}: ${[
    look.text,
    look.isCrashed && say('crashed'),
    look.isChoosing && say('has a choice to answer'),
    look.isWaiting && say('waiting'),
    look.timers > 0 && counted(look.timers, 'armed timer'),
    look.blame,
    look.isChosen && say('chosen'),
  ]
    .filter((note, index) => note || index === 0)
    .join(', ')}`;

export function NodeMark({ node: { id, at, side, isNameInside } }: { readonly node: SceneNode }) {
  const { looks, scene } = useDrawing();
  const look = useLook(id);
  const { radius, hasStates, letters } = scene.value;
  const { text, isCrashed, isChosen, isPointed, timers } = look;
  const colour = looks.state(text);
  const isStrong = colour.startsWith('strong');
  const hasState = hasStates || isChosen || isPointed || isCrashed || colour !== 'initial';
  const state = isCrashed ? say('crashed') : shortState(looks, text, letters);
  const lines = [
    ...(isNameInside ? [] : [{ text: id, kind: 'name' }]),
    ...(hasState ? [{ text: state, kind: 'state' }] : []),
  ];
  const classes = { chosen: isChosen, pointed: isPointed, crashed: isCrashed, strong: isStrong };
  const names = Object.entries(classes).flatMap(([name, is]) => (is ? [name] : []));
  const description = descriptionOf(id, look);
  const reach = radius * 0.6;
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no button
    <g
      class={['node', ...names].join(' ')}
      transform={`translate(${at.x} ${at.y})`}
      style={`--look: var(--${colour})`}
      data-node={id}
      role="button"
      aria-haspopup="menu"
      tabindex={look.isRoving ? 0 : -1}
      aria-label={description}
    >
      <title>{description}</title>
      {look.pulse !== undefined && <circle key={look.pulse} class="pulse" r={radius} />}
      <circle class="halo" r={radius + 4} />
      <circle class="ring" r={radius} />
      <circle class="core" r={Math.max(1, radius - (isStrong ? 5.5 : 4))} />
      {timers > 0 && <circle class="timers" r={radius + 3} />}
      {isCrashed && (
        <path
          class="cross"
          d={`M${-reach} ${-reach}L${reach} ${reach}M${-reach} ${reach}L${reach} ${-reach}`}
        />
      )}
      {isNameInside && (
        <text class="name inside" dy="0.35em">
          {`${id} ` /* a blank, so that it is a word of its own */}
        </text>
      )}
      <Words lines={lines} at={at} side={side} radius={radius + (timers > 0 || isChosen ? 3 : 0)} />
      <Marks look={look} side={side} corner={radius * 0.8} />
    </g>
  );
}

interface MarksProps extends Pick<SceneNode, 'side'> {
  readonly look: Look;
  readonly corner: number;
}

/** Small signs at the corners of a node, away from its words. */
function Marks({ look: { isChoosing, isWaiting, blame }, side, corner }: MarksProps) {
  const to = (x: number, y: number) => ({ transform: `translate(${x} ${y})` });
  const across = side === 'right' ? -corner : corner;
  const [up, upLeft] = [side === 'above', side === 'above' || side === 'right'];
  return (
    <>
      {isChoosing && (
        <g class="mark choosing" {...to(across, up ? corner : -corner)}>
          <circle r="7" />
          <text dy="0.36em">?</text>
        </g>
      )}
      {isWaiting && !isChoosing && (
        <g class="mark waiting" {...to(across, up ? corner : -corner)}>
          <circle r="6" />
          <path d="M-2.2 -3h4.4L-2.2 3h4.4z" />
        </g>
      )}
      {blame !== undefined && (
        <g class="mark blamed" {...to(-corner, upLeft ? corner : -corner)}>
          <path d="M0 -7.5L7.5 6h-15z" />
          <path class="stroke" d="M0 -2.5v4.2M0 4v.1" />
        </g>
      )}
    </>
  );
}

function actor(moment: Moment | undefined): NodeId | undefined {
  const action = moment?.step?.action;
  if (!action) return undefined;
  return 'node' in action ? action.node : action.type === 'deliver' ? action.to : undefined;
}

interface WordsProps extends Pick<SceneNode, 'at' | 'side'> {
  readonly lines: readonly { readonly text: string; readonly kind: string }[];
  readonly radius: number;
}

function Words({ lines, at, side, radius }: WordsProps) {
  const { width } = useDrawing().scene.value;
  const more = (lines.length - 1) * 12;
  const [anchor, x, first] = {
    right: ['start', radius + 4, 4 - more / 2] as const,
    left: ['end', -radius - 4, 4 - more / 2] as const,
    below: ['middle', 0, radius + 12] as const,
    above: ['middle', 0, -radius - 5 - more] as const,
  }[side];
  return (
    <g>
      {lines.map(({ text, kind }, index) => (
        <text
          key={kind}
          class={kind}
          text-anchor={anchor}
          x={x + inward(labelWidth(text), anchor, at.x + x, width)}
          y={first + index * 12}
        >
          {text}
        </text>
      ))}
    </g>
  );
}

let canvas: CanvasRenderingContext2D | null | undefined;

/** How wide the name or the state of a node is at most, in pixels, in the font of this page. */
function labelWidth(text: string): number {
  if (canvas === undefined) {
    canvas = document.createElement('canvas').getContext('2d');
    if (canvas) canvas.font = `600 11px ${getComputedStyle(document.body).fontFamily}`;
  }
  return canvas?.measureText(text).width ?? 0;
}
