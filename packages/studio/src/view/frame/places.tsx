import type { Panel } from '../../link/link.js';
import type { Text } from '../../texts/say.js';
import { Actions } from '../actions/actions.js';
import { Chart } from '../chart/chart.js';
import { Network } from '../network/network.js';
import { Properties } from '../properties/properties.js';
import { SpaceTime } from '../space-time/space-time.js';
import type { SessionProps } from '../studio.js';
import { TraceText } from '../trace/trace.js';
import { Tried } from '../tried/tried.js';

const views = {
  network: Network,
  chart: Chart,
  'space-time': SpaceTime,
  trace: TraceText,
  actions: Actions,
  properties: Properties,
  tried: Tried,
} as const;

export const labels: Readonly<Record<Panel, Text>> = {
  network: 'Network',
  chart: 'Statechart',
  'space-time': 'Space-time',
  trace: 'Trace',
  actions: 'Can happen',
  properties: 'Properties',
  tried: 'Tried',
};

/** One part of the world, in the place that the page gives it. */
export function Place({ id, session }: SessionProps & { readonly id: Panel }) {
  const View = views[id];
  return (
    <div class={`place place-${id}`}>
      <View session={session} />
    </div>
  );
}
