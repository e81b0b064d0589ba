import { type NodeId, stateText } from '@conclave/core/protocol';
import { useComputed } from '@preact/signals';
import type { SceneNode } from '../../model/network-scene.js';
import { shortState } from '../../model/node-label.js';
import type { Moment } from '../../model/run.js';
import { isPointedNode } from '../actions/offered.js';
import { useDrawing } from './drawing.js';

/** One node: what a step does not change is not drawn again. */
export function NodeMark({ node: { id, at, side, isNameInside } }: { readonly node: SceneNode }) {
  const drawing = useDrawing();
  const { session, looks } = drawing;
  const value = useComputed(() => drawing.local(id)?.value ?? '').value;
  const timers = useComputed(() =>
    drawing.session.now.value.world.crashed.includes(id)
      ? 0
      : (drawing.local(id)?.timers.length ?? 0),
  ).value;
  const isCrashed = useComputed(() => session.now.value.world.crashed.includes(id)).value;
  const isWaiting = useComputed(() => drawing.isWaiting(id)).value;
  const isChoosing = useComputed(() => session.now.value.world.choosing[0]?.node === id).value;
  const blame = useComputed(() => drawing.blamed.value.get(id)).value;
  const isChosen = useComputed(() => session.node.value === id).value;
  const isPointed = useComputed(() => isPointedNode(id)).value;
  const isRoving = useComputed(() => drawing.roving.value === `node ${id}`).value;
  const pulse = useComputed(() =>
    actor(drawing.stepped.value) === id ? drawing.stepped.value?.id : undefined,
  ).value;
  const { radius, hasStates, letters } = drawing.scene.value;
  const text = stateText(value);
  const look = looks.state(text);
  const corner = radius * 0.8;
  const isStrong = look.startsWith('strong');
  const state = isCrashed ? 'crashed' : shortState(looks, text, letters);
  const lines = [
    ...(isNameInside ? [] : [{ text: id, kind: 'name' }]),
    ...(hasStates || isChosen || isPointed || isCrashed || look !== 'initial'
      ? [{ text: state, kind: 'state' }]
      : []),
  ];
  const notes = [
    isCrashed && 'crashed',
    isChoosing && 'has a choice to answer',
    isWaiting && 'waiting',
    timers > 0 && `${timers} armed ${timers === 1 ? 'timer' : 'timers'}`,
    blame,
    isChosen && 'chosen',
  ];
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no button
    <g
      class={`node ${isChosen ? 'chosen' : ''} ${isPointed ? 'pointed' : ''} ${isCrashed ? 'crashed' : ''} ${isStrong ? 'strong' : ''}`}
      transform={`translate(${at.x} ${at.y})`}
      style={`--look: var(--${look})`}
      data-node={id}
      role="button"
      aria-haspopup="menu"
      tabindex={isRoving ? 0 : -1}
      aria-label={`${id}: ${[text, ...notes.filter(Boolean)].join(', ')}`}
    >
      <title>{`${id}: ${[text, ...notes.filter(Boolean)].join(', ')}`}</title>
      {pulse !== undefined && <circle key={pulse} class="pulse" r={radius} />}
      <circle class="halo" r={radius + 4} />
      <circle class="ring" r={radius} />
      <circle class="core" r={Math.max(1, radius - (isStrong ? 5.5 : 4))} />
      {timers > 0 && <circle class="timers" r={radius + 3} />}
      {isCrashed && (
        <path
          class="cross"
          d={`M${-radius * 0.6} ${-radius * 0.6}L${radius * 0.6} ${radius * 0.6}M${-radius * 0.6} ${radius * 0.6}L${radius * 0.6} ${-radius * 0.6}`}
        />
      )}
      {isNameInside && (
        <text class="name inside" dy="0.35em">
          {id}
        </text>
      )}
      <Words lines={lines} side={side} radius={radius + (timers > 0 || isChosen ? 3 : 0)} />
      {isChoosing && (
        <g
          class="mark choosing"
          transform={`translate(${side === 'right' ? -corner : corner} ${side === 'above' ? corner : -corner})`}
        >
          <circle r="7" />
          <text dy="0.36em">?</text>
        </g>
      )}
      {isWaiting && !isChoosing && (
        <g
          class="mark waiting"
          transform={`translate(${side === 'right' ? -corner : corner} ${side === 'above' ? corner : -corner})`}
        >
          <circle r="6" />
          <path d="M-2.2 -3h4.4L-2.2 3h4.4z" />
        </g>
      )}
      {blame !== undefined && (
        <g
          class="mark blamed"
          transform={`translate(${-corner} ${side === 'above' || side === 'right' ? corner : -corner})`}
        >
          <path d="M0 -7.5L7.5 6h-15z" />
          <path class="stroke" d="M0 -2.5v4.2M0 4v.1" />
        </g>
      )}
    </g>
  );
}

/** The node that acted in the step to a moment. */
function actor(moment: Moment | undefined): NodeId | undefined {
  const action = moment?.step?.action;
  if (!action) return undefined;
  return 'node' in action ? action.node : action.type === 'deliver' ? action.to : undefined;
}

interface WordsProps {
  readonly lines: readonly { readonly text: string; readonly kind: string }[];
  readonly side: SceneNode['side'];
  readonly radius: number;
}

function Words({ lines, side, radius }: WordsProps) {
  const anchor = side === 'right' ? 'start' : side === 'left' ? 'end' : 'middle';
  const x = side === 'right' ? radius + 4 : side === 'left' ? -radius - 4 : 0;
  const first =
    side === 'below'
      ? radius + 12
      : side === 'above'
        ? -radius - 5 - (lines.length - 1) * 12
        : 4 - (lines.length - 1) * 6;
  return (
    <g>
      {lines.map(({ text, kind }, index) => (
        <text key={kind} class={kind} text-anchor={anchor} x={x} y={first + index * 12}>
          {text}
        </text>
      ))}
    </g>
  );
}
