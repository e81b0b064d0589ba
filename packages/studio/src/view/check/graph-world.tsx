import { useMemo } from 'preact/hooks';
import type { Looks } from '../../model/looks.js';
import { isViolatedBy, outgoingOf, type StateGraph } from '../../model/state-graph.js';
import { say } from '../../texts/say.js';
import { Button } from '../parts/button.js';

/** A world in words, in one line. */
export function worldWords({ nodes, worlds }: StateGraph, id: number): string {
  const world = worlds[id];
  if (!world) return '';
  const { depth, states, inFlight, crashed, actions } = world;
  const parts = nodes.map(
    (node, index) => `${node} ${crashed.includes(node) ? say('crashed') : states[index]}`,
  );
  const messages = inFlight.length === 0 ? say('no message on the way') : inFlight.join(', ');
  const end = actions === 0 ? say('; nothing more can happen') : '';
  return say('World {number}, depth {depth}: {nodes}; {messages}{end}.', {
    number: id + 1,
    depth,
    nodes: parts.join(', '),
    messages,
    end,
  });
}

interface WorldProps {
  readonly graph: StateGraph;
  readonly looks: Looks;
  readonly id: number;
  readonly isPresent: boolean;
  readonly onSelect: (world: number) => void;
  readonly onGo: (world: number, opens: boolean) => void;
}

/** What one world of the graph is, and where its actions lead. */
export function WorldDetails({ graph, looks, id, isPresent, onSelect, onGo }: WorldProps) {
  const outgoing = useMemo(() => outgoingOf(graph), [graph]);
  const world = graph.worlds[id];
  if (!world) return null;
  const { depth, states, crashed, cut, inFlight, faults, actions } = world;
  return (
    <section class="graph-details small" aria-label={say('The world')}>
      <h3>
        {say('World {number}', { number: id + 1 })} <small>{say('depth {depth}', { depth })}</small>
      </h3>
      <div class="flow">
        <Button onClick={() => onGo(id, false)} disabled={isPresent}>
          {isPresent ? say('You are here') : say('Go there')}
        </Button>
        <Button onClick={() => onGo(id, true)}>{say('See it')}</Button>
      </div>
      <dl>
        {graph.nodes.map((node, index) => {
          const hasCrashed = crashed.includes(node);
          const state = states[index] ?? '';
          const colour = hasCrashed ? 'ink' : looks.state(state);
          return (
            <div key={node}>
              <dt>{node}</dt>
              <dd>
                <span class="graph-chip" style={{ background: `var(--${colour})` }} />
                {hasCrashed ? say('crashed') : state}
              </dd>
            </div>
          );
        })}
      </dl>
      {cut.length > 0 && <p>{say('Cut off: {nodes}', { nodes: cut.join(', ') })}</p>}
      <h4>{say('On the way')}</h4>
      {inFlight.length === 0 ? (
        <p>{say('No message')}</p>
      ) : (
        <ul>
          {inFlight.map((text, index) => (
            <li key={`${index} ${text}`}>{text}</li>
          ))}
        </ul>
      )}
      <Properties graph={graph} world={world} />
      <h4>{actions === 0 ? say('Nothing more can happen') : say('What can happen')}</h4>
      <ul>
        {outgoing[id]?.map(({ number, text, to }) => (
          <li key={number}>
            <Button kind="quiet" onClick={() => onSelect(to)}>
              {text}
              <small>
                {to === id ? say('stays here') : say('world {number}', { number: to + 1 })}
              </small>
            </Button>
          </li>
        ))}
        {faults.map(({ number, text, reason }) => (
          <li key={number} class="alarm" title={reason}>
            {say('{text}: fails', { text })}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The properties that a world violates, and those that it reaches. */
function Properties({ graph, world }: { graph: StateGraph; world: StateGraph['worlds'][number] }) {
  const bad = graph.properties.filter((_, index) => isViolatedBy(graph, world, index));
  const reached = graph.properties.filter(
    ({ kind }, index) => kind === 'sometimes' && world.values[index],
  );
  return (
    <>
      {(bad.length > 0 || reached.length > 0) && <h4>{say('Properties')}</h4>}
      <ul>
        {bad.map(({ name }) => (
          <li key={name} class="alarm">
            {say('violated: {name}', { name })}
          </li>
        ))}
        {reached.map(({ name }) => (
          <li key={name}>{say('reached: {name}', { name })}</li>
        ))}
      </ul>
    </>
  );
}
