import { linesText } from '@conclave/core/trace';
import type { Setup } from '../../link/setup.js';
import type { Checked } from '../../model/check.js';
import {
  conclusionOf,
  type Finding,
  growthText,
  lengthText,
  toneOf,
  verdictTexts,
} from '../../model/conclusion.js';
import { kindTexts } from '../../model/properties.js';
import { Badge } from '../parts/badge.js';
import { Button } from '../parts/button.js';
import { Icon } from '../parts/icon.js';
import { duration, grouped } from './numbers.js';
import { openRun } from './open-run.js';

const icons = { true: 'check', false: 'cross', undecided: 'undecided' } as const;

interface ResultProps {
  readonly setup: Setup;
  readonly checked: Checked;
}

/**
 * What a check found: the conclusion, each property, what it assumes, and how much was looked at.
 */
export function Verdicts({ setup, checked }: ResultProps) {
  const { tone, title, text } = conclusionOf(checked);
  const growth = growthText(checked);
  return (
    <>
      <div class={`conclusion ${tone}`}>
        <Icon name={icons[tone]} />
        <div>
          <h3>{title}</h3>
          <p>{text}</p>
          {growth !== undefined && <p>{growth}</p>}
        </div>
      </div>
      <ul class="verdicts">
        {worstFirst(checked.properties).map((finding) => (
          <Row key={`${finding.kind} ${finding.name}`} setup={setup} finding={finding} />
        ))}
        {checked.leftOut.map((name) => (
          <li key={name} class="verdict">
            <Badge>left out</Badge>
            <span class="verdict-name">{name}</span>
          </li>
        ))}
      </ul>
      <Notes checked={checked} />
      <Coverage checked={checked} />
    </>
  );
}

const worst = ['false', 'undecided', 'true'] as const;

const worstFirst = (findings: readonly Finding[]): readonly Finding[] =>
  findings.toSorted(
    (one, other) => worst.indexOf(toneOf(one.verdict)) - worst.indexOf(toneOf(other.verdict)),
  );

function Row({ setup, finding }: { readonly setup: Setup; readonly finding: Finding }) {
  const { name, kind, verdict, vacuous, remark, steps, trace, clocksApart } = finding;
  const tone = toneOf(verdict);
  const what = tone === 'false' ? 'Counterexample' : 'Example';
  return (
    <li class={`verdict ${tone}`}>
      <Badge tone={tone} title={verdictTexts[verdict]}>
        {verdict}
      </Badge>
      <div class="verdict-name">
        <span title={kindTexts[kind]}>{name}</span>
        {vacuous !== undefined && <p class="verdict-note">It never applies here: {vacuous}.</p>}
        {remark !== undefined && <p class="verdict-note">It could not fail here: {remark}.</p>}
        {clocksApart && (
          <p class="verdict-note">
            The timers of {clocksApart.join(', ')} drift apart here, as those of one clock cannot:
            perhaps no real run is like this.
          </p>
        )}
        {trace && steps && (
          <details>
            <summary>
              {what}, {lengthText(finding)}
            </summary>
            <pre>{runText(finding)}</pre>
          </details>
        )}
      </div>
      {trace && steps && (
        <div class="verdict-actions">
          <Button
            kind="quiet"
            title={`${name}: show the ${what.toLowerCase()} from its first step`}
            onClick={() => void openRun(setup, finding, 'start')}
          >
            From the start
          </Button>
          <Button
            title={`${name}: show the ${what.toLowerCase()}`}
            onClick={() => void openRun(setup, finding, 'end')}
          >
            Show
          </Button>
        </div>
      )}
    </li>
  );
}

/** The run as a trace, with a mark where it begins to repeat. */
function runText({ trace, loopsFrom }: Finding): string {
  if (!trace) return '';
  const { lines, header } = trace;
  const fault = header.get('fault');
  const end = fault === undefined ? '' : `${fault}\n`;
  if (lines.length === 0) return `The initial world.\n${end}`;
  if (loopsFrom === undefined) return linesText(lines) + end;
  const texts = linesText(lines).split('\n').slice(0, -1);
  const mark =
    loopsFrom === lines.length ? '— nothing more happens —' : '— from here on, repeated forever —';
  return [...texts.slice(0, loopsFrom), mark, ...texts.slice(loopsFrom)].join('\n');
}

/** What the verdicts rest on. */
function Notes({ checked }: { readonly checked: Checked }) {
  const { states, transitions, depth, width, seconds, steps, assumptions, input } = checked;
  const { fairness, reduce, search, limits } = input;
  const confirmed =
    steps.confirmed === steps.distinct
      ? 'all'
      : steps.confirmed === 0
        ? 'none'
        : `${grouped(steps.confirmed)} of them`;
  const uncompiled = Object.entries(steps.uncompiled ?? {});
  return (
    <dl class="check-notes">
      <dt>Found</dt>
      <dd>
        {grouped(states)} worlds, {grouped(transitions)} transitions, depth {depth}, width{' '}
        {grouped(width)}
      </dd>
      <dt>Time</dt>
      <dd>
        {duration(seconds)}, {grouped(Math.round(states / Math.max(seconds, 0.001)))} worlds/s
      </dd>
      <dt>Steps</dt>
      <dd>
        {grouped(steps.distinct)} distinct local steps, {confirmed} confirmed by XState
        {uncompiled.map(
          ([role, why]) => `; ${role} is not compiled, which is slower: its machine ${why}`,
        )}
      </dd>
      <dt>Assumed</dt>
      <dd>
        {assumptions.length === 0
          ? 'Nothing beyond the network and its budget.'
          : assumptions.map((what) => <p key={what}>{what}</p>)}
      </dd>
      <dt>Fairness</dt>
      <dd>{fairnessTexts[fairness]}</dd>
      {(reduce !== 'none' || search !== 'breadth') && (
        <>
          <dt>Search</dt>
          <dd>
            {search === 'depth' ? 'depth-first: runs need not be shortest' : 'breadth-first'}
            {reduce !== 'none' &&
              `; reduced by ${reduce === 'all' ? 'symmetry and order' : reduce}`}
          </dd>
        </>
      )}
      <dt>Limits</dt>
      <dd>{limitsText(limits)}</dd>
    </dl>
  );
}

const fairnessTexts = {
  none: 'None: every infinite run counts.',
  weak: 'Weak: what stays possible eventually happens.',
  strong: 'Strong: what is possible again and again eventually happens.',
} as const;

const limitsText = ({ states, memory, seconds }: Checked['input']['limits']): string =>
  [
    ...(memory === undefined ? [] : [`${grouped(memory)} MB for worlds and edges`]),
    ...(states === undefined ? [] : [`${grouped(states)} worlds`]),
    ...(seconds === undefined ? [] : [duration(seconds)]),
  ].join(', ');

/** Which parts of the statecharts were used. */
function Coverage({ checked: { coverage, complete } }: { readonly checked: Checked }) {
  if (!coverage) return null;
  return (
    <section class="coverage" aria-label="Coverage">
      {coverage.map(({ role, transitions, taken, missed, guards, unentered, undelivered }) => (
        <div key={role}>
          <h4>
            {role}: {taken} of {transitions} transitions taken{complete ? '' : ' so far'}
          </h4>
          <List
            title="Never taken"
            items={missed.map(
              (text) => `${text}${guards.neverTrue.includes(text) ? ' (guard never true)' : ''}`,
            )}
          />
          <List title="Guard never false" items={guards.neverFalse} />
          <List title="Never entered" items={unentered} />
          <List title="Never delivered" items={undelivered} />
        </div>
      ))}
    </section>
  );
}

function List({ title, items }: { readonly title: string; readonly items: readonly string[] }) {
  if (items.length === 0) return null;
  return (
    <details open={title === 'Never taken'}>
      <summary>
        {title} ({items.length})
      </summary>
      <ul>
        {items.map((item) => (
          <li key={item}>
            <code>{item}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}
