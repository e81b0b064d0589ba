import { stateText } from '@conclave/core/internal';
import type { NodeId } from '@conclave/core/protocol';
import { useComputed } from '@preact/signals';
import { counted } from '../../base/numbers.js';
import { shortState } from '../../model/looks.js';
import { inward, type SceneNode } from '../../model/network-scene.js';
import type { Moment } from '../../model/run.js';
import { say } from '../../texts/say.js';
import { isNode, pointed } from '../actions/offered.js';
import { shownNode } from '../chart/follow.js';
import { useDrawing } from './drawing.js';

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

/** The node that acted in the step to a moment. */
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

let context: CanvasRenderingContext2D | null | undefined;

/** How wide the name or the state of a node is at most, in pixels, in the font of this page. */
function labelWidth(text: string): number {
  if (context === undefined) {
    context = document.createElement('canvas').getContext('2d');
    if (context) context.font = `600 11px ${getComputedStyle(document.body).fontFamily}`;
  }
  return context?.measureText(text).width ?? 0;
}
