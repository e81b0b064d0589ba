import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { grouped } from '../../base/numbers.js';
import type { Finding } from '../../model/conclusion.js';
import { categoriesOf } from '../../model/graph-colours.js';
import { looksOf } from '../../model/looks.js';
import { type MarkedRun, runInGraph } from '../../model/run-in-graph.js';
import { pathTo, type StateGraph, usualWorlds, worldsOf } from '../../model/state-graph.js';
import { layoutOf } from '../../model/state-graph-layout.js';
import { language, say } from '../../texts/say.js';
import type { Outcome } from '../../worker/job.js';
import { JobButton } from '../jobs/head.js';
import { jobsOf } from '../jobs/jobs.js';
import { Select } from '../parts/field.js';
import { attempt, type SessionProps, view } from '../studio.js';
import { ColourChoice, firstColours } from './colour-choice.js';
import { GraphPicture } from './graph-picture.js';
import { WorldDetails, worldWords } from './graph-world.js';
import { Legend } from './legend.js';
import './state-graph.css';

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
    <div class="state-graph-empty card flow">
      {outcome ? (
        <p>{whyNone(outcome)}</p>
      ) : (
        <p role="status">
          {progress
            ? say('Looking at every world: {states} so far …', { states: grouped(progress.states) })
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
    { usualWorlds: grouped(usualWorlds) },
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
  const looks = looksOf(session.system);
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
        <p class="faint">
          {say('{worlds} worlds, {transitions} transitions', {
            worlds: grouped(graph.worlds.length),
            transitions: grouped(graph.edges.length),
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
