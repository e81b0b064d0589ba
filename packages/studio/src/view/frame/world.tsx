import { type Signal, signal } from '@preact/signals';
import { Actions } from '../actions/actions.js';
import { Keyboard } from '../actions/keys.js';
import { Chart } from '../chart/chart.js';
import { Network } from '../network/network.js';
import { enlarged } from '../parts/panel.js';
import { Tabs } from '../parts/tabs.js';
import { Play } from '../play/play.js';
import { PropertiesLabel, PropertyNews } from '../properties/news.js';
import { Properties } from '../properties/properties.js';
import { SetupForm } from '../setup/setup.js';
import { SpaceTime } from '../space-time/space-time.js';
import type { SessionProps } from '../studio.js';
import { TraceText } from '../trace/trace.js';
import { Tried } from '../tried/tried.js';
import { compact } from './compact.js';

const views = {
  network: { label: 'Network', View: Network },
  chart: { label: 'Statechart', View: Chart },
  'space-time': { label: 'Space-time', View: SpaceTime },
  trace: { label: 'Trace', View: TraceText },
  actions: { label: 'Can happen', View: Actions },
  properties: { label: 'Properties', View: Properties },
  tried: { label: 'Tried', View: Tried },
} as const;

type Id = keyof typeof views;

const pictures: readonly Id[] = ['network', 'chart', 'space-time', 'trace'];
const lists: readonly Id[] = ['actions', 'properties', 'tried'];
const picture = signal<Id>('network');
const list = signal<Id>('actions');

/**
 * One world in all its views: beside each other where there is room, otherwise one picture and one
 * list.
 */
export function World({ session }: SessionProps) {
  const places = (ids: readonly Id[]) =>
    ids.map((id) => <Place key={id} id={id} session={session} />);
  return (
    <main
      class={`world stack ${compact.value ? 'compact' : 'wide'} ${enlarged.value === undefined ? '' : 'one-only'}`}
    >
      <div class="strip flow">
        <SetupForm session={session} />
        <Play session={session} />
      </div>
      <Keyboard session={session} />
      <PropertyNews session={session} />
      {compact.value ? (
        <div class="views">
          <Column label="Views of this world" ids={pictures} chosen={picture} session={session} />
          <Column label="Lists" ids={lists} chosen={list} session={session} />
        </div>
      ) : (
        <div class="views">
          {places(pictures)}
          <div class="side stack">{places(lists)}</div>
        </div>
      )}
    </main>
  );
}

interface ColumnProps extends SessionProps {
  readonly label: string;
  readonly ids: readonly Id[];
  readonly chosen: Signal<Id>;
}

function Column({ label, ids, chosen, session }: ColumnProps) {
  const tabs = ids.map((id) => ({
    id,
    label: id === 'properties' ? <PropertiesLabel session={session} /> : views[id].label,
  }));
  return (
    <div class="column stack">
      <Tabs label={label} tabs={tabs} chosen={chosen} />
      <Place id={chosen.value} session={session} />
    </div>
  );
}

function Place({ id, session }: SessionProps & { readonly id: Id }) {
  const { View } = views[id];
  return (
    <div class={`place place-${id}`}>
      <View session={session} />
    </div>
  );
}
