import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Session } from '../../model/session.js';
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
import { TraceText } from '../trace/trace.js';
import { Tried } from '../tried/tried.js';
import { compact } from './compact.js';

const pictures = {
  network: { label: 'Network', view: Network },
  chart: { label: 'Statechart', view: Chart },
  'space-time': { label: 'Space-time', view: SpaceTime },
  trace: { label: 'Trace', view: TraceText },
} as const;

const lists = {
  actions: { label: 'Can happen', view: Actions },
  properties: { label: 'Properties', view: Properties },
  tried: { label: 'Tried', view: Tried },
} as const;

type Picture = keyof typeof pictures;
type List = keyof typeof lists;

const picture = signal<Picture>('network');
const list = signal<List>('actions');

const tabsOf = <T extends string>(views: Readonly<Record<T, { readonly label: string }>>) =>
  // its keys are those it is made of
  (Object.keys(views) as T[]).map((id) => ({ id, label: views[id].label }));

const pictureTabs = tabsOf(pictures);
const listTabs = tabsOf(lists);

/**
 * One world in all its views: beside each other where there is room, otherwise one picture and one
 * list.
 */
export function World({ session }: { readonly session: Session }) {
  return (
    <main
      class={`world ${compact.value ? 'compact' : 'wide'} ${enlarged.value === undefined ? '' : 'one-only'}`}
    >
      <div class="strip">
        <SetupForm session={session} />
        <Play session={session} />
      </div>
      <Keyboard session={session} />
      <PropertyNews session={session} />
      {compact.value ? <Compact session={session} /> : <Wide session={session} />}
    </main>
  );
}

function Wide({ session }: { readonly session: Session }) {
  return (
    <div class="views">
      {pictureTabs.map(({ id }) => (
        <Place key={id} name={id}>
          {draw(pictures[id].view, session)}
        </Place>
      ))}
      <div class="side">
        {listTabs.map(({ id }) => (
          <Place key={id} name={id}>
            {draw(lists[id].view, session)}
          </Place>
        ))}
      </div>
    </div>
  );
}

function Compact({ session }: { readonly session: Session }) {
  return (
    <div class="views">
      <div class="column">
        <Tabs
          label="Views of this world"
          tabs={pictureTabs}
          chosen={picture.value}
          onChoose={(id) => {
            picture.value = id;
          }}
        />
        <Place name={picture.value}>{draw(pictures[picture.value].view, session)}</Place>
      </div>
      <div class="column">
        <Tabs
          label="Lists"
          tabs={listTabs.map((tab) =>
            tab.id === 'properties'
              ? { ...tab, label: <PropertiesLabel session={session} /> }
              : tab,
          )}
          chosen={list.value}
          onChoose={(id) => {
            list.value = id;
          }}
        />
        <Place name={list.value}>{draw(lists[list.value].view, session)}</Place>
      </div>
    </div>
  );
}

const Place = ({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ComponentChildren;
}) => <div class={`place place-${name}`}>{children}</div>;

const draw = (
  View: (props: { readonly session: Session }) => ComponentChildren,
  session: Session,
) => <View session={session} />;
