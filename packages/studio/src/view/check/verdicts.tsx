import { Fragment } from 'preact';
import { duration, grouped } from '../../base/numbers.js';
import type { Setup } from '../../link/setup.js';
import type { Checked } from '../../model/check.js';
import {
  conclusionOf,
  type Finding,
  growthText,
  lengthText,
  runText,
  toneOf,
  worstFirst,
} from '../../model/conclusion.js';
import { say } from '../../texts/say.js';
import { Badge } from '../parts/badge.js';
import { Button } from '../parts/button.js';
import { Conclusion } from './conclusion.js';
import { Coverage } from './coverage.js';
import { openRun } from './open-run.js';
import { VerdictRow } from './verdict-row.js';

interface ResultProps {
  readonly setup: Setup;
  readonly checked: Checked;
}

/**
 * What a check found: the conclusion, each property, what it assumes, and how much was looked at.
 */
export function Verdicts({ setup, checked }: ResultProps) {
  const growth = growthText(checked);
  return (
    <>
      <Conclusion {...conclusionOf(checked)}>{growth !== undefined && <p>{growth}</p>}</Conclusion>
      <ul>
        {worstFirst(checked.properties).map((finding) => (
          <Row key={`${finding.kind} ${finding.name}`} setup={setup} finding={finding} />
        ))}
        {checked.leftOut.map((name) => (
          <li key={name} class="verdict">
            <Badge>{say('left out')}</Badge>
            <span>{name}</span>
          </li>
        ))}
      </ul>
      <Notes checked={checked} />
      <Coverage checked={checked} />
    </>
  );
}

function Row({ setup, finding }: { readonly setup: Setup; readonly finding: Finding }) {
  const { name, verdict, vacuous, remark, steps, trace, clocksApart } = finding;
  const run = trace && steps && { length: lengthText(finding), text: runText(finding) };
  const title =
    toneOf(verdict) === 'false'
      ? say('{name}: show the counterexample, from its first step on', { name })
      : say('{name}: show the example, from its first step on', { name });
  return (
    <VerdictRow
      {...{ finding, run }}
      action={
        <Button title={title} onClick={() => void openRun(setup, finding)}>
          {say('Show')}
        </Button>
      }
    >
      {vacuous !== undefined && (
        <p class="note">{say('It never applies here: {vacuous}.', { vacuous })}</p>
      )}
      {remark !== undefined && (
        <p class="note">{say('It could not fail here: {remark}.', { remark })}</p>
      )}
      {clocksApart && (
        <p class="note">
          {say(
            'The timers of {nodes} drift apart here, as those of one clock cannot: perhaps no real run is like this.',
            { nodes: clocksApart.join(', ') },
          )}
        </p>
      )}
    </VerdictRow>
  );
}

const fairnessTexts = {
  none: 'None: every infinite run counts.',
  weak: 'Weak: what stays possible eventually happens.',
  strong: 'Strong: what is possible again and again eventually happens.',
} as const;

/** What the verdicts rest on. */
function Notes({ checked }: { readonly checked: Checked }) {
  const { states, transitions, depth, width, seconds, assumptions, input } = checked;
  const { fairness, search, limits } = input;
  const notes = {
    [say('Found')]: say(
      '{states} worlds, {transitions} transitions, depth {depth}, width {width}',
      {
        states: grouped(states),
        transitions: grouped(transitions),
        depth,
        width: grouped(width),
      },
    ),
    [say('Time')]: say('{seconds}, {states} worlds/s', {
      seconds: duration(seconds),
      states: grouped(Math.round(states / Math.max(seconds, 0.001))),
    }),
    [say('Steps')]: stepsText(checked),
    [say('Assumed')]:
      assumptions.length === 0
        ? say('Nothing beyond the network and its budget.')
        : assumptions.map((what) => <p key={what}>{what}</p>),
    [say('Fairness')]: say(fairnessTexts[fairness]),
    ...(search === 'depth' && {
      [say('Search')]: say('depth-first: runs need not be shortest'),
    }),
    [say('Limits')]: limitsText(limits),
  };
  return (
    <dl class="check-notes small">
      {Object.entries(notes).map(([title, text]) => (
        <Fragment key={title}>
          <dt>{title}</dt>
          <dd>{text}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

function stepsText({ steps: { distinct, confirmed, uncompiled = {} } }: Checked): string {
  const some =
    confirmed === 0 ? say('none') : say('{confirmed} of them', { confirmed: grouped(confirmed) });
  return [
    say('{distinct} distinct local steps, {some} confirmed by XState', {
      distinct: grouped(distinct),
      some: confirmed === distinct ? say('all') : some,
    }),
    ...Object.entries(uncompiled).map(([role, why]) =>
      say('{role} is not compiled, which is slower: its machine {why}', { role, why }),
    ),
  ].join('; ');
}

const limitsText = ({ states, memory, seconds }: Checked['input']['limits']): string =>
  [
    ...(memory === undefined
      ? []
      : [say('{memory} MB for worlds and edges', { memory: grouped(memory) })]),
    ...(states === undefined ? [] : [say('{states} worlds', { states: grouped(states) })]),
    ...(seconds === undefined ? [] : [duration(seconds)]),
  ].join(', ');
