/** The page of checks: options, progress, and what happens if an assumption is broken. */
import { computed, signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { duration, numeral } from '../../base/numbers.js';
import {
  type CheckInput,
  type CheckProgress,
  conclusionOf,
  usualMemory,
} from '../../model/conclusion.js';
import { type WhatIf, whatIfs } from '../../model/possible.js';
import { say, sayAny, sayLabels, type Text } from '../../texts/say.js';
import type { Job } from '../../worker/job.js';
import { JobButton, JobHead, jobsOf } from '../jobs.js';
import { Badge, Button, SelectField, Translated } from '../parts/controls.js';
import { Popover } from '../parts/floating.js';
import { Tabs } from '../parts/panel.js';
import type { SessionProps } from '../studio.js';
import { StateGraphView } from './state-graph.js';
import { openRun, Verdicts } from './verdicts.js';

const tabs = [
  { id: 'verdicts', label: 'Verdicts' },
  { id: 'graph', label: 'State graph' },
] as const;

const tab = signal<(typeof tabs)[number]['id']>('verdicts');

/** The explorer in the page: every interleaving of the session's system. */
export function Check({ session }: SessionProps) {
  const { check } = jobsOf(session.system.setup);
  return (
    <div class="check stack">
      <JobHead
        session={session}
        title={say('Every interleaving of')}
        job={check}
        input={() => checkInput.value}
        onStop={() => check.pause()}
        start={check.outcome.value ? say('Check again') : say('Check')}
      >
        <Tabs label={say('What to look at')} tabs={sayLabels(tabs)} chosen={tab} />
        <Options />
      </JobHead>
      {tab.value === 'graph' ? (
        <StateGraphView session={session} />
      ) : (
        <div class="check-columns">
          <section class="card" aria-label={say('Verdicts')}>
            <Result job={check} />
          </section>
          <WhatIfs session={session} />
        </div>
      )}
    </div>
  );
}

function Result({ job }: { readonly job: Job<'check'> }) {
  const { value: outcome } = job.outcome;
  if (job.running.value) return <Progress job={job} />;
  if (!outcome)
    return (
      <p class="check-hint pad faint">
        {say(
          'The explorer takes every action in every order, in this page, and judges each property. Press Check, or ask what happens if an assumption is broken.',
        )}
      </p>
    );
  if (outcome.kind === 'stopped') return <Stopped job={job} />;
  if (outcome.kind === 'failed') return <p class="check-hint pad alarm">{outcome.error.message}</p>;
  return <Verdicts setup={job.setup} checked={outcome.result} />;
}

interface Choice<T> {
  readonly label: Text;
  readonly hint?: Text;
  readonly options: readonly (readonly [value: T, text: Text])[];
}

const choices = {
  fairness: {
    label: 'Fairness',
    hint: 'Which infinite runs count.',
    options: [
      ['none', 'none: every infinite run'],
      ['weak', 'weak: what stays possible happens'],
      ['strong', 'strong: what is possible again and again happens'],
    ],
  },
  search: {
    label: 'Search',
    hint: 'Breadth-first finds shortest runs.',
    options: [
      ['breadth', 'breadth-first'],
      ['depth', 'depth-first'],
    ],
  },
  safety: {
    label: 'Properties',
    hint: 'Those of states alone take less memory.',
    options: [
      [false, 'all'],
      [true, 'of states only'],
    ],
  },
  seconds: {
    label: 'Time',
    hint: 'The verdicts found by then are kept.',
    options: [
      [10, '10 s'],
      [60, '1 min'],
      [600, '10 min'],
      [undefined, 'no limit'],
    ],
  },
  memory: {
    label: 'Memory',
    hint: 'For worlds and edges. A browser does not say how much a page may take: more may end the page.',
    options: [
      [250, '250 MB'],
      [usualMemory, '1 GB'],
      [3000, '3 GB'],
    ],
  },
  states: {
    label: 'Worlds',
    options: [
      [undefined, 'no limit'],
      [10_000, '10,000'],
      [100_000, '100,000'],
      [1_000_000, '1,000,000'],
    ],
  },
} as const satisfies Readonly<Record<string, Choice<unknown>>>;

type Values = { readonly [N in keyof typeof choices]: (typeof choices)[N]['options'][number][0] };

/** How checks are made from now on; the same for all protocols. */
const values = signal<Values>({
  ...{ fairness: 'weak', search: 'breadth', safety: false },
  ...{ seconds: 60, memory: usualMemory, states: undefined },
});

const checkInput = computed<CheckInput>(() => {
  const { seconds, memory, states, ...input } = values.value;
  const limits = { ...(seconds && { seconds }), memory, ...(states && { states }) };
  return { ...input, limits };
});

function Options() {
  const names = Object.keys(choices) as (keyof Values)[]; // its keys are those it is made of
  return (
    <Popover label={say('Options')} title={say('How to check')}>
      {() => (
        <div class="check-options">
          {names.map((name) => {
            const { label, hint, options }: Choice<Values[typeof name]> = choices[name];
            return (
              <SelectField
                key={name}
                label={say(label)}
                hint={hint && say(hint)}
                value={values.value[name]}
                options={options.map(([value, text]) => [value, say(text)] as const)}
                onChoose={(value) => {
                  values.value = { ...values.value, [name]: value };
                }}
              />
            );
          })}
        </div>
      )}
    </Popover>
  );
}

interface JobProps {
  readonly job: Job<'check'>;
}

/** How far a check is: said aloud at its beginning and end only. */
function Progress({ job }: JobProps) {
  const { value: progress } = job.progress;
  return (
    <>
      <div
        class="check-bar"
        role="progressbar"
        aria-label={say('Checking')}
        aria-valuetext={
          progress ? say('{states} worlds', { states: numeral(progress.states) }) : say('beginning')
        }
      />
      <p class="check-hint pad numbers">{progress ? progressText(progress) : say('Beginning …')}</p>
      <Decided job={job} />
    </>
  );
}

/** What was known when the user stopped a check, and a way to know more of the same worlds. */
function Stopped({ job }: JobProps) {
  const { value: progress } = job.progress;
  if (!progress)
    return <p class="check-hint pad faint">{say('Stopped at its beginning: nothing is known.')}</p>;
  const { states } = progress;
  return (
    <>
      <p class="check-hint pad faint">
        {say('Stopped after {progress}. All that is not listed is undecided.', {
          progress: progressText(progress),
        })}
      </p>
      <Decided job={job} />
      <p class="check-hint pad flow wraps">
        {job.paused.value && (
          <Button
            kind="primary"
            title={say('Goes on with the search where it was stopped')}
            onClick={() => job.goOn()}
          >
            {say('Go on')}
          </Button>
        )}
        <Button
          title={say(
            'Searches these worlds again, confirms their steps, and shows counterexamples and coverage',
          )}
          onClick={() => {
            const { limits, ...input } = checkInput.peek();
            job.start({ ...input, limits: { ...limits, states } });
          }}
        >
          {say('Judge the first {states} worlds', { states: numeral(states) })}
        </Button>
      </p>
    </>
  );
}

/** What the worlds that are found so far decide. */
function Decided({ job }: JobProps) {
  const { decided = [] } = job.progress.value ?? {};
  return (
    <ul>
      {decided.map(({ name, kind }) => (
        <li key={`${kind} ${name}`} class="verdict">
          <Badge tone={kind === 'sometimes' ? 'true' : 'false'}>
            {kind === 'sometimes' ? say('reached') : say('violated')}
          </Badge>
          <Translated text={name} />
        </li>
      ))}
    </ul>
  );
}

function progressText({ states, transitions, depth, seconds }: CheckProgress): string {
  const speed =
    seconds > 0.2
      ? say(', {states} worlds/s', { states: numeral(Math.round(states / seconds)) })
      : '';
  return say('{states} worlds, {transitions} transitions, depth {depth}, {seconds}{speed}', {
    states: numeral(states),
    transitions: numeral(transitions),
    depth,
    seconds: duration(seconds),
    speed,
  });
}

/** What an assumption is for: each change is checked, and its counterexample shown. */
function WhatIfs({ session }: SessionProps) {
  const rows = useMemo(() => whatIfs(session.system), [session]);
  return (
    <section class="what-ifs card" aria-labelledby="what-if">
      <h3 id="what-if">{say('What if …')}</h3>
      <ul class="lined">
        {rows.map((row) => (
          <Row key={row.text} session={session} whatIf={row} />
        ))}
      </ul>
    </section>
  );
}

interface RowProps extends SessionProps {
  readonly whatIf: WhatIf;
}

function Row({ session, whatIf: { text, change, breaks } }: RowProps) {
  const { setup, protocol } = session.system;
  const job = useMemo(
    () => jobsOf({ ...setup, budget: { ...setup.budget, ...change } }).check,
    [session, text],
  );
  const { value: outcome } = job.outcome;
  const { value: progress } = job.progress;
  const result = outcome?.kind === 'answered' ? outcome.result : undefined;
  const conclusion = result && conclusionOf(result);
  return (
    <li>
      <div class="what-if-head">
        <p>
          {`${text}?`}
          {breaks !== undefined && (
            <small>
              {say('{title} assumes that {breaks}.', { title: protocol.title, breaks })}
            </small>
          )}
        </p>
        <JobButton
          job={job}
          input={() => checkInput.value}
          start={outcome ? say('Again') : say('Check')}
          about={say('What if {text}', { text })}
        />
      </div>
      <div class="what-if-found small">
        {job.running.value && (
          <p>
            {progress
              ? say('{states} worlds …', { states: numeral(progress.states) })
              : say('Beginning …')}
          </p>
        )}
        {outcome?.kind === 'stopped' && <Stopped job={job} />}
        {outcome?.kind === 'failed' && <p>{outcome.error.message}</p>}
        {conclusion && (
          <p role="status">
            <Badge tone={conclusion.tone} title={conclusion.text}>
              {conclusion.title}
            </Badge>
          </p>
        )}
        {result?.properties
          .filter(({ verdict }) => verdict === 'violated')
          .map((finding) => (
            <Button
              key={finding.name}
              kind="quiet"
              title={say('Show how this is violated: {name}', { name: sayAny(finding.name) })}
              onClick={() => void openRun(job.setup, finding)}
            >
              <Translated text={finding.name} />
            </Button>
          ))}
      </div>
    </li>
  );
}
