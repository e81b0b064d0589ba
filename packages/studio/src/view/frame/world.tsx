import { type Signal, signal } from '@preact/signals';
import type { Panel } from '../../link/link.js';
import { say } from '../../texts/say.js';
import { Keyboard } from '../actions/keys.js';
import { Exercise } from '../exercise/exercise.js';
import { Predict } from '../exercise/predict.js';
import { enlarged } from '../parts/panel.js';
import { Tabs } from '../parts/tabs.js';
import { Play } from '../play/play.js';
import { PropertiesLabel, PropertyNews } from '../properties/news.js';
import { SetupForm } from '../setup/setup.js';
import type { SessionProps } from '../studio.js';
import { compact } from './compact.js';
import { labels, Place } from './places.js';

const pictures: readonly Panel[] = ['network', 'chart', 'space-time', 'trace'];
const lists: readonly Panel[] = ['actions', 'properties', 'tried'];
const picture = signal<Panel>('network');
const list = signal<Panel>('actions');

/**
 * One world in all its views: beside each other where there is room, otherwise one picture and one
 * list.
 */
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
      <Exercise session={session} />
      <Predict key={session.id} session={session} />
      <Keyboard session={session} />
      <PropertyNews session={session} />
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
