import { say } from '../../texts/say.js';
import { assign } from '../parts/assign.js';
import { Button } from '../parts/button.js';
import { Panel } from '../parts/panel.js';
import type { SessionProps } from '../studio.js';
import './actions.css';
import { Cannot } from './cannot.js';
import { List } from './list.js';
import { offeredBy } from './offered.js';

/** What can happen now, to be chosen. */
export const Actions = ({ session }: SessionProps) => (
  <Panel
    title={say('What can happen')}
    class="actions"
    canEnlarge={false}
    actions={<Filters session={session} />}
  >
    <List session={session} />
    <Cannot session={session} />
  </Panel>
);

function Filters({ session }: SessionProps) {
  const { isOfNode, grouping } = offeredBy(session);
  const { value: node } = session.node;
  const isByNode = grouping.value === 'node';
  return (
    <div class="filters flow">
      <Button
        pressed={isOfNode.value}
        title={say('Only what happens at the chosen node, {node}', { node })}
        onClick={assign(isOfNode, !isOfNode.value)}
      >
        {say('Only {node}', { node })}
      </Button>
      <Button
        pressed={isByNode}
        title={say('Grouped by the node at which it happens')}
        onClick={assign(grouping, isByNode ? 'kind' : 'node')}
      >
        {say('By node')}
      </Button>
    </div>
  );
}
