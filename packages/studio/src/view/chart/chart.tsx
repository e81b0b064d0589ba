import { transitionsOf } from '@conclave/core/exploration';
import { type Json, roleOf, stateText } from '@conclave/core/protocol';
import { useComputed, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { looksOf } from '../../model/looks.js';
import type { Moment } from '../../model/run.js';
import type { Session } from '../../model/session.js';
import { Button } from '../parts/button.js';
import { Panel } from '../parts/panel.js';
import { drawingOf } from './drawing.js';
import './chart.css';

/** Drawn smaller than this, the text cannot be read. */
const legible = 0.8;

/** The statechart of the chosen node: its states now, the transitions of its last step, its context and timers. */
export function Chart({ session }: { readonly session: Session }) {
  const { protocol, topology } = session.system;
  const { value: node } = session.node;
  const { machine, name } = roleOf(protocol, node, topology);
  const holder = useRef<HTMLDivElement>(null);
  const zoom = useSignal(0);
  const last = useComputed(() => lastStepOf(session.now.value, session.node.value));
  const now = session.now.value.world.nodes[node];
  const before = last.value?.step?.from.world.nodes[node];

  useLayoutEffect(() => {
    if (holder.current) holder.current.innerHTML = drawingOf(machine, `${protocol.title}: ${name}`); // its texts are escaped
  }, [machine]);

  useLayoutEffect(() => {
    const drawing = holder.current?.querySelector('svg');
    if (!holder.current || !drawing) return;
    const { width, height } = drawing.viewBox.baseVal;
    const panel = holder.current.parentElement ?? holder.current;
    const fit = Math.min(panel.clientWidth / width, panel.clientHeight / height, 1.25);
    const scale = zoom.value === 0 ? Math.max(fit, legible) : zoom.value;
    drawing.setAttribute('width', String(Math.round(width * scale)));
    drawing.setAttribute('height', String(Math.round(height * scale)));
  }, [machine, zoom.value]);

  useLayoutEffect(() => {
    const drawing = holder.current?.querySelector('svg');
    if (!drawing || !now) return;
    const active = new Set(pathsOf(now.value));
    const earlier = new Set(before ? pathsOf(before.value) : []);
    const step = last.value?.step;
    const taken = new Set(step && before ? transitionsOf(protocol, topology, node, before, step.action) : []);
    const look = looksOf(session.system).state(stateText(now.value));
    drawing.style.setProperty('--lit', look === 'initial' ? 'var(--accent)' : `var(--${look})`);
    for (const box of drawing.querySelectorAll<SVGElement>('[data-state]')) {
      const { state = '' } = box.dataset;
      box.classList.toggle('now', active.has(state));
      box.classList.toggle('earlier', earlier.has(state) && !active.has(state));
    }
    for (const part of drawing.querySelectorAll<SVGElement>('[data-keys]'))
      part.classList.toggle(
        'taken',
        (part.dataset.keys ?? '').split('\n').some((key) => taken.has(key)),
      );
    if (holder.current) bringIntoView(holder.current, [...drawing.querySelectorAll('.state.now:not(.outer)')].at(0));
  }, [machine, now, before, zoom.value]);

  const zoomBy = (factor: number) => {
    const drawing = holder.current?.querySelector('svg');
    if (drawing) zoom.value = Math.min(Math.max((drawing.width.baseVal.value / drawing.viewBox.baseVal.width) * factor, 0.2), 3);
  };
  const crashed = session.now.value.world.crashed.includes(node);
  return (
    <Panel
      title="Statechart"
      class="chart"
      note={`${node}: ${crashed ? 'crashed' : now ? stateText(now.value) : ''}`}
      actions={
        <>
          <Button kind="quiet" title="Statechart: smaller" onClick={() => zoomBy(0.8)}>
            −
          </Button>
          <Button kind="quiet" title="Statechart: larger" onClick={() => zoomBy(1.25)}>
            +
          </Button>
        </>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls takes the focus, so that the arrow keys can scroll it */}
      <section class="drawing" aria-label={`Statechart of ${name}`} tabIndex={0} ref={holder} />
      {now && (
        <table>
          <caption>Context of {node}</caption>
          <tbody>
            {Object.entries(now.context).map(([field, value]) => (
              <tr key={field} class={before && !same(before.context[field], value) ? 'changed' : ''}>
                <th scope="row">{field}</th>
                <td>{JSON.stringify(value)}</td>
              </tr>
            ))}
            {now.timers.map(({ id, delay }) => (
              <tr key={id}>
                <th scope="row">timer</th>
                <td>
                  {id.replace(/^xstate\.after\./, '')}, {delay} ms
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

/** Scrolls as little as is needed to show a part of the drawing. */
function bringIntoView(holder: HTMLElement, part: Element | undefined): void {
  if (!part) return;
  const [shown, wanted] = [holder.getBoundingClientRect(), part.getBoundingClientRect()];
  if (wanted.left < shown.left || wanted.right > shown.right) holder.scrollLeft += wanted.left - shown.left - 24;
  if (wanted.top < shown.top || wanted.bottom > shown.bottom) holder.scrollTop += wanted.top - shown.top - 24;
}

const same = (a: Json | undefined, b: Json): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The last moment, up to this one, whose step the node took. */
function lastStepOf(moment: Moment, node: string): Moment | undefined {
  for (let at: Moment | undefined = moment; at?.step; at = at.step.from) {
    const { action } = at.step;
    if (action.type === 'deliver' ? action.to === node : 'node' in action && action.node === node) return at;
  }
  return undefined;
}

type Value = string | { readonly [key: string]: Value | undefined };

/** The paths of all states, nested ones too, of a state value. */
function pathsOf(value: Value, around = ''): readonly string[] {
  const inner = typeof value === 'string' ? [[value, {}] as const] : Object.entries(value);
  return inner.flatMap(([key, deeper = {}]) => {
    const path = around === '' ? key : `${around}.${key}`;
    return [path, ...pathsOf(deeper, path)];
  });
}
