import { useComputed } from '@preact/signals';
import type { Session } from '../../model/session.js';
import { Button } from '../parts/button.js';
import { Icon } from '../parts/icon.js';
import { Panel } from '../parts/panel.js';
import { sessionKey } from '../session-key.js';
import './actions.css';
import { keysShown } from './act.js';
import { Cannot } from './cannot.js';
import { List } from './list.js';
import { offeredBy } from './offered.js';

/** What can happen now, to be chosen; and the way back and forward. */
export function Actions({ session }: { readonly session: Session }) {
  const key = sessionKey(session);
  return (
    <Panel title="What can happen" class="actions" canEnlarge={false} actions={<Steps key={key} session={session} />}>
      <Filters key={key} session={session} />
      <List key={key} session={session} />
      <Cannot key={key} session={session} />
    </Panel>
  );
}

const KeysButton = () => (
  <Button
    kind="quiet"
    title="Keys"
    onClick={() => {
      keysShown.value = true;
    }}
  >
    <kbd>?</kbd>
  </Button>
);

function Steps({ session }: { readonly session: Session }) {
  const { now, path, loop, run } = session;
  const depth = useComputed(() => now.value.depth).value;
  const length = useComputed(() => path.value.length - 1).value;
  const isLooping = useComputed(() => loop.value !== undefined).value;
  return (
    <fieldset class="steps" aria-label="Steps">
      <Button kind="quiet" title="To the start (Home)" disabled={depth === 0} onClick={() => session.goTo(run.start)}>
        <EndIcon path="M12 3 7 8l5 5M4 3v10" />
      </Button>
      <Button kind="quiet" title="One step back (←)" disabled={depth === 0} onClick={() => session.back()}>
        <Icon name="back" />
      </Button>
      <output title="Steps taken, of those on this branch">{`${depth} / ${length}`}</output>
      <Button kind="quiet" title="One step forward (→)" disabled={depth === length && !isLooping} onClick={() => session.forward()}>
        <Icon name="forward" />
      </Button>
      <Button
        kind="quiet"
        title="To the end of this branch (End)"
        disabled={depth === length}
        onClick={() => session.goTo(path.value.at(-1) ?? run.start)}
      >
        <EndIcon path="M4 3l5 5-5 5M12 3v10" />
      </Button>
    </fieldset>
  );
}

const EndIcon = ({ path }: { readonly path: string }) => (
  <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d={path} />
  </svg>
);

function Filters({ session }: { readonly session: Session }) {
  const { isOfNode, grouping } = offeredBy(session);
  const node = useComputed(() => session.node.value).value;
  return (
    <div class="filters">
      <Button
        pressed={isOfNode.value}
        title={`Only what happens at the chosen node, ${node}`}
        onClick={() => {
          isOfNode.value = !isOfNode.value;
        }}
      >
        {`Only ${node}`}
      </Button>
      <Button
        pressed={grouping.value === 'node'}
        title="Grouped by the node at which it happens"
        onClick={() => {
          grouping.value = grouping.value === 'node' ? 'kind' : 'node';
        }}
      >
        By node
      </Button>
      <KeysButton />
    </div>
  );
}
