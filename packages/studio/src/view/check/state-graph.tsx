/** The state graph of a system: its picture, its legend, and the world that is chosen. */
import { type Signal, useComputed, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { numeral } from '../../base/numbers.js';
import type { Finding } from '../../model/conclusion.js';
import { type Looks, looksOf } from '../../model/looks.js';
import {
  isViolatedBy,
  type MarkedRun,
  outgoingOf,
  pathTo,
  runInGraph,
  type StateGraph,
  usualWorlds,
  worldsOf,
} from '../../model/state-graph.js';
import {
  type Category,
  type ColourBy,
  categoriesOf,
  regionsOf,
} from '../../model/state-graph-categories.js';
import { layoutOf, leadsBack, markPath } from '../../model/state-graph-layout.js';
import { language, say } from '../../texts/say.js';
import type { Outcome } from '../../worker/job.js';
import { JobButton, jobsOf } from '../jobs.js';
import { Button, Select } from '../parts/controls.js';
import { attempt, type SessionProps, view } from '../studio.js';
import { GraphPicture } from './graph-picture.js';

/** Every world of a small system, and the actions between them. */
export function StateGraphView({ session }: SessionProps) {
  const { graph: job } = jobsOf(session.system.setup);
  const lang = language();
  useEffect(() => {
    const isSaid = job.lang === lang; // its edges are texts
    if (!job.running.peek() && !(job.outcome.peek() && isSaid)) job.start({});
  }, [job, lang]);
  const { value: outcome } = job.outcome;
  const { value: progress } = job.progress;
  const graph =
    outcome?.kind === 'answered' && outcome.result.complete ? outcome.result : undefined;
  if (graph) return <Explorable key={graph.worlds.length} session={session} graph={graph} />;
  return (
    <div class="state-graph-empty card flow pad">
      {outcome ? (
        <p>{whyNone(outcome)}</p>
      ) : (
        <p role="status">
          {progress
            ? say('Looking at every world: {states} so far …', { states: numeral(progress.states) })
            : say('Looking at every world …')}
        </p>
      )}
      <JobButton
        job={job}
        input={() => ({})}
        start={outcome && outcome.kind !== 'answered' ? say('Try again') : undefined}
      />
    </div>
  );
}

function whyNone(outcome: Outcome<StateGraph>): string {
  if (outcome.kind === 'stopped') return say('Stopped: the graph is not known.');
  if (outcome.kind === 'failed') return outcome.error.message;
  return say(
    'This system has more than {usualWorlds} worlds: no picture of all of them can be read, and one of a part would mislead. Choose a smaller network or budget.',
    { usualWorlds: numeral(usualWorlds) },
  );
}

interface ExplorableProps extends SessionProps {
  readonly graph: StateGraph;
}

/** The run of the session in the graph, and the run that the picture marks: that one or a finding. */
function useRuns({ session, graph }: ExplorableProps) {
  const { check } = jobsOf(session.system.setup);
  const marked = useSignal<string | undefined>(undefined);
  const steps = useComputed(() =>
    session.path.value.flatMap(({ step }) => (step ? [step.number] : [])),
  );
  const path = useComputed(() => worldsOf(graph, steps.value));
  const present = useComputed(() => path.value[session.now.value.depth]);
  const findings = useComputed(() => {
    const { value: outcome } = check.outcome;
    return outcome?.kind === 'answered'
      ? outcome.result.properties.filter(({ steps }) => steps)
      : [];
  });
  const run = useComputed((): MarkedRun => {
    const finding = findings.value.find((one) => keyOf(one) === marked.value);
    if (finding) return { ...runInGraph(graph, finding), isBad: finding.verdict === 'violated' };
    const first = session.loop.value?.depth;
    const shown =
      first === undefined
        ? { steps: steps.value.slice(0, session.now.value.depth) }
        : { steps: steps.value, loopsFromStep: first };
    return { ...runInGraph(graph, shown), isBad: false };
  });
  return { path, present, findings, marked, run };
}

function Explorable({ session, graph }: ExplorableProps) {
  const looks = looksOf(session.system.protocol);
  const layout = layoutOf(graph);
  const { path, present, findings, marked, run } = useRuns({ session, graph });
  const by = useSignal(useMemo(() => firstColours(graph), [graph]));
  const hovered = useSignal<number | undefined>(undefined);
  const cursor = useSignal(present.peek() ?? 0);
  const categories = useComputed(() => categoriesOf(graph, by.value, looks));
  const onGo = (world: number, opens: boolean) =>
    void attempt(() => {
      const moment = session.path.peek()[path.peek().indexOf(world)];
      if (moment) session.goTo(moment);
      else session.show(pathTo(graph, world));
      if (opens) view.value = 'world';
    });
  const onSelect = (world: number) => {
    hovered.value = undefined;
    cursor.value = world;
  };
  const shown = hovered.value ?? cursor.value;
  const runs = findings.value.map(
    (one) => [keyOf(one), `${say(one.verdict)}: ${one.name}`] as const,
  );
  return (
    <div class="state-graph card">
      <div class="graph-tools flow wraps small">
        <ColourChoice graph={graph} by={by} />
        <span>
          <label for="graph-mark">{say('Mark')}</label>{' '}
          <Select
            id="graph-mark"
            value={marked.value}
            options={[[undefined, say('your run')], ...runs]}
            onChoose={(key) => {
              marked.value = key;
            }}
          />
        </span>
        <p class="faint end">
          {say('{worlds} worlds, {transitions} transitions', {
            worlds: numeral(graph.worlds.length),
            transitions: numeral(graph.edges.length),
          })}
        </p>
      </div>
      <GraphPicture
        {...{ graph, layout, categories, run, present, cursor, hovered, onGo }}
        description={worldWords(graph, cursor.value)}
      />
      <WorldDetails
        {...{ graph, looks, onSelect, onGo }}
        id={shown}
        isPresent={shown === present.value}
      />
      <Legend categories={categories.value} graph={graph} run={run.value} />
    </div>
  );
}

const keyOf = ({ kind, name }: Finding): string => `${kind} ${name}`;

interface ColourChoiceProps {
  readonly graph: StateGraph;
  readonly by: Signal<ColourBy>;
}

function ColourChoice({ graph, by }: ColourChoiceProps) {
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
function firstColours(graph: StateGraph): ColourBy {
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

interface LegendProps {
  readonly categories: readonly Category[];
  readonly graph: StateGraph;
  readonly run: MarkedRun;
}

type Sign = readonly [text: string, sign: ComponentChildren, name?: string];

/** What the colours, shapes and lines of a state graph mean. */
function Legend({ categories, graph, run: { approach, loop, isBad } }: LegendProps) {
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
    approach.length > 1 && [say('the marked run'), <path d="M2 10H22" />, run],
    loop.length > 1 && [say('repeated forever'), <path class="loop" d="M2 10H22" />, run],
  ];
  return (
    <ul class="graph-legend flow wraps small" aria-label={say('Legend')}>
      {categories.map(({ text, colour, shape, worlds }) => (
        <li key={text} class="flow">
          <svg viewBox="-10 -10 20 20" height="16" aria-hidden="true">
            <path
              class="graph-marks"
              style={{ fill: `var(--${colour})` }}
              d={markPath(shape, 0, 0, 6.5)}
            />
          </svg>
          {text} <small>{numeral(worlds.length)}</small>
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

function worldWords({ nodes, worlds }: StateGraph, id: number): string {
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
function WorldDetails({ graph, looks, id, isPresent, onSelect, onGo }: WorldProps) {
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
