import { type ReadonlySignal, type Signal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Finding } from '../../model/conclusion.js';
import {
  type Category,
  type ColourBy,
  categoriesOf,
  regionsOf,
} from '../../model/graph-colours.js';
import { leadsBack, markPath } from '../../model/graph-paths.js';
import { looksOf } from '../../model/looks.js';
import { type RunInGraph, runInGraph } from '../../model/run-in-graph.js';
import type { Session } from '../../model/session.js';
import { pathTo, type StateGraph, usualWorlds, worldsOf } from '../../model/state-graph.js';
import { layoutOf } from '../../model/state-graph-layout.js';
import { Button } from '../parts/button.js';
import { attempt, view } from '../studio.js';
import { askingOf } from './checks.js';
import { GraphPicture } from './graph-picture.js';
import { WorldDetails, worldWords } from './graph-world.js';
import { grouped } from './numbers.js';
import './state-graph.css';

/** Every world of a small system, and the actions between them. */
export function StateGraphView({ session }: { readonly session: Session }) {
  const { setup } = session.system;
  const asking = useMemo(() => askingOf('graph', setup), [session]);
  useEffect(() => {
    if (!asking.outcome.peek() && !asking.running.peek()) asking.start({});
  }, [asking]);
  const { value: outcome } = asking.outcome;
  const { value: progress } = asking.progress;
  if (asking.running.value || !outcome)
    return (
      <div class="state-graph-empty">
        <p role="status">
          Looking at every world{progress && `: ${grouped(progress.states)} so far`} …
        </p>
        <Button onClick={() => asking.stop()}>Stop</Button>
      </div>
    );
  if (outcome.kind === 'answered' && outcome.result.complete)
    return (
      <Explorable key={outcome.result.worlds.length} session={session} graph={outcome.result} />
    );
  return (
    <div class="state-graph-empty">
      <p>
        {outcome.kind === 'stopped'
          ? 'Stopped: the graph is not known.'
          : outcome.kind === 'failed'
            ? outcome.error.message
            : `This system has more than ${grouped(usualWorlds)} worlds: no picture of all of them can be read, and one of a part would mislead. Choose a smaller network or budget.`}
      </p>
      {outcome.kind !== 'answered' && <Button onClick={() => asking.start({})}>Try again</Button>}
    </div>
  );
}

function Explorable({ session, graph }: { readonly session: Session; readonly graph: StateGraph }) {
  const { system } = session;
  const looks = useMemo(() => looksOf(system), [system]);
  const layout = useMemo(() => layoutOf(graph), [graph]);
  const check = useMemo(() => askingOf('check', system.setup), [session]);
  const by = useSignal<ColourBy>(firstColours(graph));
  const shownRun = useSignal<string | undefined>(undefined);
  const hovered = useSignal<number | undefined>(undefined);
  const categories = useComputed(() => categoriesOf(graph, by.value, looks));
  const path = useComputed(() =>
    worldsOf(
      graph,
      session.path.value.flatMap(({ step }) => (step ? [step.number] : [])),
    ),
  );
  const present = useComputed(() => path.value[session.now.value.depth]);
  const cursor = useSignal(present.peek() ?? 0);
  const findings = useComputed(() => {
    const { value: outcome } = check.outcome;
    return outcome?.kind === 'answered'
      ? outcome.result.properties.filter(({ steps }) => steps)
      : [];
  });
  const run = useComputed((): RunInGraph & { readonly isBad: boolean } => {
    const finding = findings.value.find((one) => keyOf(one) === shownRun.value);
    if (finding) return { ...runInGraph(graph, finding), isBad: finding.verdict === 'violated' };
    const first = session.loop.value?.depth;
    const steps = session.path.value.flatMap(({ step }) => (step ? [step.number] : []));
    const shown = first === undefined ? steps.slice(0, session.now.value.depth) : steps;
    return {
      ...runInGraph(graph, {
        steps: shown,
        ...(first === undefined ? {} : { loopsFromStep: first }),
      }),
      isBad: false,
    };
  });
  const go = (world: number, opens: boolean) =>
    attempt(() => {
      const place = path.peek().indexOf(world);
      const moment = session.path.peek()[place];
      if (moment) session.goTo(moment);
      else session.show(pathTo(graph, world));
      if (opens) view.value = 'world';
    });
  const shown = useComputed(() => hovered.value ?? cursor.value);
  const described = graph.worlds[cursor.value];
  return (
    <div class="state-graph">
      <div class="graph-tools">
        <ColourChoice graph={graph} by={by} />
        <label>
          Mark{' '}
          <select
            value={shownRun.value ?? ''}
            onChange={({ currentTarget }) => {
              shownRun.value = currentTarget.value || undefined;
            }}
          >
            <option value="">your run</option>
            {findings.value.map((finding) => (
              <option key={keyOf(finding)} value={keyOf(finding)}>
                {finding.verdict}: {finding.name}
              </option>
            ))}
          </select>
        </label>
        <p>
          {grouped(graph.worlds.length)} worlds, {grouped(graph.edges.length)} transitions
        </p>
      </div>
      <GraphPicture
        graph={graph}
        layout={layout}
        categories={categories}
        run={run}
        present={present}
        cursor={cursor}
        hovered={hovered}
        description={described ? worldWords(graph, cursor.value, described) : ''}
        onGo={(world, opens) => void go(world, opens)}
      />
      <WorldDetails
        graph={graph}
        looks={looks}
        id={shown.value}
        isPresent={shown.value === present.value}
        onSelect={(world) => {
          hovered.value = undefined;
          cursor.value = world;
        }}
        onGo={(world, opens) => void go(world, opens)}
      />
      <Legend categories={categories.value} graph={graph} run={run} />
    </div>
  );
}

function ColourChoice({
  graph,
  by,
}: {
  readonly graph: StateGraph;
  readonly by: Signal<ColourBy>;
}) {
  const nodes = useMemo(
    () =>
      graph.nodes.flatMap((node, index) => {
        const regions = regionsOf(graph, index).map(
          (region): Choice => [{ kind: 'node', index, region }, `node ${node}: ${region}`],
        );
        return [
          ...regions,
          [
            { kind: 'node', index },
            regions.length > 0 ? `node ${node}: all regions` : `node ${node}`,
          ] as Choice,
        ];
      }),
    [graph],
  );
  const properties = graph.properties.map(
    ({ name }, index): Choice => [{ kind: 'property', index }, name],
  );
  const all = [...nodes, ...properties];
  const options = (choices: readonly Choice[]) =>
    choices.map(([one, text]) => (
      <option key={colourText(one)} value={colourText(one)}>
        {text}
      </option>
    ));
  return (
    <label>
      Colour by{' '}
      <select
        value={colourText(by.value)}
        onChange={({ currentTarget }) => {
          const chosen = all.find(([one]) => colourText(one) === currentTarget.value);
          if (chosen) [by.value] = chosen;
        }}
      >
        <optgroup label="State of">{options(nodes)}</optgroup>
        <optgroup label="Property">{options(properties)}</optgroup>
      </select>
    </label>
  );
}

type Choice = readonly [by: ColourBy, text: string];

const colourText = (by: ColourBy): string =>
  `${by.kind} ${by.index} ${by.kind === 'node' ? (by.region ?? '') : ''}`;

const keyOf = ({ kind, name }: Finding): string => `${kind} ${name}`;

/** The first property that some world violates; otherwise the node with the most states. */
function firstColours({ properties, worlds, nodes }: StateGraph): ColourBy {
  const violated = properties.findIndex(
    ({ kind }, index) =>
      kind !== 'sometimes' && worlds.some(({ values }) => values[index] !== (kind === 'always')),
  );
  if (violated >= 0) return { kind: 'property', index: violated };
  const counts = nodes.map((_, index) => new Set(worlds.map(({ states }) => states[index])).size);
  const index = counts.indexOf(Math.max(...counts));
  const [region] = regionsOf({ worlds }, index);
  return { kind: 'node', index, ...(region !== undefined && { region }) };
}

interface LegendProps {
  readonly categories: readonly Category[];
  readonly graph: StateGraph;
  readonly run: ReadonlySignal<RunInGraph & { readonly isBad: boolean }>;
}

function Legend({ categories, graph, run }: LegendProps) {
  const hasBack = useMemo(() => graph.edges.some((edge) => leadsBack(graph, edge)), [graph]);
  const { way, loop, isBad } = run.value;
  const hasFaults = graph.worlds.some(({ faults }) => faults.length > 0);
  const hasEnds = graph.worlds.some(({ actions }) => actions === 0);
  return (
    <ul class="graph-legend" aria-label="Legend">
      {categories.map(({ text, colour, shape, worlds }) => (
        <li key={text}>
          <svg viewBox="-10 -10 20 20" width="16" height="16" aria-hidden="true">
            <path
              class="graph-marks"
              style={{ fill: `var(--${colour})` }}
              d={markPath(shape, 0, 0, 6.5)}
            />
          </svg>
          {text} <small>{grouped(worlds.length)}</small>
        </li>
      ))}
      {hasEnds && (
        <li>
          <svg viewBox="-10 -10 20 20" width="16" height="16" aria-hidden="true">
            <circle class="graph-quiescent" r="8" />
          </svg>
          nothing more can happen
        </li>
      )}
      {hasFaults && (
        <li>
          <svg viewBox="-10 -10 20 20" width="16" height="16" aria-hidden="true">
            <path class="graph-faults" d="M-5 -5L5 5M5 -5L-5 5" />
          </svg>
          an action fails
        </li>
      )}
      <li>
        <svg viewBox="-10 -10 20 20" width="16" height="16" aria-hidden="true">
          <circle class="graph-ring present" r="8" />
        </svg>
        you are here
      </li>
      {hasBack && (
        <li>
          <svg viewBox="0 0 24 20" width="24" height="16" aria-hidden="true">
            <path class="graph-edges back" d="M2 14Q12 2 22 14" />
          </svg>
          leads back
        </li>
      )}
      {way.length > 1 && (
        <li class={`graph-way ${isBad ? 'bad' : ''}`}>
          <svg viewBox="0 0 24 20" width="24" height="16" aria-hidden="true">
            <path d="M2 10H22" />
          </svg>
          the marked run
        </li>
      )}
      {loop.length > 1 && (
        <li class={`graph-way ${isBad ? 'bad' : ''}`}>
          <svg viewBox="0 0 24 20" width="24" height="16" aria-hidden="true">
            <path class="loop" d="M2 10H22" />
          </svg>
          repeated forever
        </li>
      )}
      <li class="graph-direction">Depth grows from left to right.</li>
    </ul>
  );
}
