import { type Signal, signal } from '@preact/signals';
import { say, type Text } from '../texts/say.js';
import { Actions } from './actions.js';
import { Chart } from './chart.js';
import { Counterexample, Exercise, Predict } from './exercise.js';
import { History } from './history.js';
import { Keyboard } from './keys.js';
import { Network } from './network/network.js';
import { enlarged, Quarters, Tabs } from './parts/panel.js';
import { Play } from './play.js';
import type { Panel } from './presentation.js';
import { News, Properties, PropertiesLabel } from './properties.js';
import { SetupForm } from './setup.js';
import { SpaceTime } from './space-time/space-time.js';
import type { SessionProps } from './studio.js';
import { TraceText } from './trace.js';

const pictures: readonly Panel[] = ['network', 'chart', 'space-time', 'trace'];
const lists: readonly Panel[] = ['actions', 'properties', 'tried'];
const picture = signal<Panel>('network');
const list = signal<Panel>('actions');

/** One world in all its views: side by side, or one picture and one list. */
export function World({ session }: SessionProps) {
  const places = (ids: readonly Panel[]) =>
    ids.map((id) => <Place key={id} id={id} session={session} />);
  return (
    <main
      class={`world stack ${compact.value ? 'compact' : 'wide'} ${enlarged.value === undefined ? '' : 'one-only'}`}
    >
      <div class="strip flow">
        <SetupForm session={session} />
        <Play session={session} />
      </div>
      <Counterexample session={session} />
      <Exercise session={session} />
      <Predict key={session.id} session={session} />
      <Keyboard session={session} />
      <News session={session} />
      {compact.value ? (
        <div class="views">
          <Column
            label={say('Views of this world')}
            ids={pictures}
            chosen={picture}
            session={session}
          />
          <Column label={say('Lists')} ids={lists} chosen={list} session={session} />
        </div>
      ) : (
        <Quarters
          name="world"
          parts={places(pictures)}
          side={<div class="side stack">{places(lists)}</div>}
        />
      )}
    </main>
  );
}

interface ColumnProps extends SessionProps {
  readonly label: string;
  readonly ids: readonly Panel[];
  readonly chosen: Signal<Panel>;
}

function Column({ label, ids, chosen, session }: ColumnProps) {
  const tabs = ids.map((id) => ({
    id,
    label: id === 'properties' ? <PropertiesLabel session={session} /> : say(labels[id]),
  }));
  return (
    <div class="column stack">
      <Tabs label={label} tabs={tabs} chosen={chosen} />
      <Place id={chosen.value} session={session} />
    </div>
  );
}

const views = {
  network: Network,
  chart: Chart,
  'space-time': SpaceTime,
  trace: TraceText,
  actions: Actions,
  properties: Properties,
  tried: History,
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

const query = '(max-width: 1023px), (max-height: 599px)';

/** Whether the window is too small for all views, such as a phone: then tabs choose. */
const compact = signal(matchMedia(query).matches);

matchMedia(query).addEventListener('change', ({ matches }) => {
  compact.value = matches;
});
