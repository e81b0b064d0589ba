import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { grouped } from '../../base/numbers.js';
import type { Category } from '../../model/graph-colours.js';
import { leadsBack, markPath } from '../../model/graph-paths.js';
import type { MarkedRun } from '../../model/run-in-graph.js';
import type { StateGraph } from '../../model/state-graph.js';
import { say } from '../../texts/say.js';

interface LegendProps {
  readonly categories: readonly Category[];
  readonly graph: StateGraph;
  readonly run: MarkedRun;
}

type Sign = readonly [text: string, sign: ComponentChildren, name?: string];

/** What the colours, shapes and lines of a state graph mean. */
export function Legend({ categories, graph, run: { way, loop, isBad } }: LegendProps) {
  const hasBack = useMemo(() => graph.edges.some((edge) => leadsBack(graph, edge)), [graph]);
  const hasEnds = graph.worlds.some(({ actions }) => actions === 0);
  const hasFaults = graph.worlds.some(({ faults }) => faults.length > 0);
  const run = `graph-way ${isBad ? 'bad' : ''}`;
  const points: readonly (Sign | false)[] = [
    hasEnds && [say('nothing more can happen'), <circle class="graph-quiescent" r="8" />],
    hasFaults && [say('an action fails'), <path class="graph-faults" d="M-5 -5L5 5M5 -5L-5 5" />],
    [say('you are here'), <circle class="graph-ring present" r="8" />],
  ];
  const lines: readonly (Sign | false)[] = [
    hasBack && [say('leads back'), <path class="graph-edges back" d="M2 14Q12 2 22 14" />],
    way.length > 1 && [say('the marked run'), <path d="M2 10H22" />, run],
    loop.length > 1 && [say('repeated forever'), <path class="loop" d="M2 10H22" />, run],
  ];
  return (
    <ul class="graph-legend small" aria-label={say('Legend')}>
      {categories.map(({ text, colour, shape, worlds }) => (
        <li key={text} class="flow">
          <svg viewBox="-10 -10 20 20" height="16" aria-hidden="true">
            <path
              class="graph-marks"
              style={{ fill: `var(--${colour})` }}
              d={markPath(shape, 0, 0, 6.5)}
            />
          </svg>
          {text} <small>{grouped(worlds.length)}</small>
        </li>
      ))}
      {points.map((sign) => sign && <Entry key={sign[0]} box="-10 -10 20 20" sign={sign} />)}
      {lines.map((sign) => sign && <Entry key={sign[0]} box="0 0 24 20" sign={sign} />)}
      <li class="flow faint">{say('Depth grows from left to right.')}</li>
    </ul>
  );
}

interface EntryProps {
  readonly sign: Sign;
  /** What its picture shows: as high as a line. */
  readonly box: string;
}

const Entry = ({ sign: [text, sign, name = ''], box }: EntryProps) => (
  <li class={`flow ${name}`}>
    <svg viewBox={box} height="16" aria-hidden="true">
      {sign}
    </svg>
    {text}
  </li>
);
