import { useComputed } from '@preact/signals';
import type { Session } from '../../model/session.js';
import { Button } from '../parts/button.js';
import { Panel } from '../parts/panel.js';
import './actions.css';
import { keysShown } from './act.js';
import { Cannot } from './cannot.js';
import { List } from './list.js';
import { offeredBy } from './offered.js';

/** What can happen now, to be chosen. */
export function Actions({ session }: { readonly session: Session }) {
  return (
    <Panel
      title="What can happen"
      class="actions"
      canEnlarge={false}
      actions={<Filters session={session} />}
    >
      <List session={session} />
      <Cannot session={session} />
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
