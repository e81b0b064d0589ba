import type { Signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { type ColourBy, regionsOf } from '../../model/graph-colours.js';
import { isViolatedBy, type StateGraph } from '../../model/state-graph.js';
import { say } from '../../texts/say.js';

interface ColourChoiceProps {
  readonly graph: StateGraph;
  readonly by: Signal<ColourBy>;
}

/** What the worlds of a graph are coloured by. */
export function ColourChoice({ graph, by }: ColourChoiceProps) {
  const groups = useMemo(() => choicesOf(graph), [graph]);
  return (
    <label>
      {say('Colour by')}{' '}
      <select
        value={textOf(by.value)}
        onChange={({ currentTarget: { value } }) => {
          const chosen = groups.flatMap(([, choices]) => choices).find(([key]) => key === value);
          if (chosen) by.value = chosen[2];
        }}
      >
        {groups.map(([label, choices]) => (
          <optgroup key={label} label={label}>
            {choices.map(([key, text]) => (
              <option key={key} value={key}>
                {text}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </label>
  );
}

function choicesOf(graph: StateGraph) {
  const choice = (text: string, by: ColourBy) => [textOf(by), text, by] as const;
  const nodes = graph.nodes.flatMap((node, index) => {
    const regions = regionsOf(graph, index);
    return [
      ...regions.map((region) =>
        choice(say('node {node}: {region}', { node, region }), { kind: 'node', index, region }),
      ),
      choice(
        regions.length > 0
          ? say('node {node}: all regions', { node })
          : say('node {node}', { node }),
        { kind: 'node', index },
      ),
    ];
  });
  const properties = graph.properties.map(({ name }, index) =>
    choice(name, { kind: 'property', index }),
  );
  return [
    [say('State of'), nodes],
    [say('Property'), properties],
  ] as const;
}

const textOf = (by: ColourBy): string => JSON.stringify(by);

/** The first property that some world violates; otherwise the node with the most states. */
export function firstColours(graph: StateGraph): ColourBy {
  const { properties, worlds, nodes } = graph;
  const violated = properties.findIndex((_, index) =>
    worlds.some((world) => isViolatedBy(graph, world, index)),
  );
  if (violated >= 0) return { kind: 'property', index: violated };
  const counts = nodes.map((_, index) => new Set(worlds.map(({ states }) => states[index])).size);
  const index = counts.indexOf(Math.max(...counts));
  const [region] = regionsOf(graph, index);
  return { kind: 'node', index, ...(region !== undefined && { region }) };
}
