/** The verdicts of a check, what they conclude and cover, and the way to their runs. */
import type { NodeId } from '@conclave/core/protocol';
import { batch } from '@preact/signals';
import { type ComponentChildren, Fragment } from 'preact';
import { duration, numeral } from '../../base/numbers.js';
import type { Setup } from '../../link/link.js';
import {
  type Checked,
  conclusionOf,
  type Finding,
  growthText,
  lengthText,
  runText,
  type Conclusion as Said,
  toneOf,
  verdictTexts,
  worstFirst,
} from '../../model/conclusion.js';
import { badges, kindText } from '../../model/properties.js';
import { actorOf } from '../../model/rules.js';
import { failingAction, type Session } from '../../model/session.js';
import { langOf, say, sayAny } from '../../texts/say.js';
import { Badge, Button, Icon, Translated, toneIcons } from '../parts/controls.js';
import { attempt, openSystem, refute, session, view } from '../studio.js';

/** What a check found: the conclusion, each property, what was assumed and looked at. */
export function Verdicts({ setup, checked }: { readonly setup: Setup; readonly checked: Checked }) {
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
            <Translated text={name} />
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
      ? say('{name}: show the counterexample, from its first step on', { name: sayAny(name) })
      : say('{name}: show the example, from its first step on', { name: sayAny(name) });
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
        states: numeral(states),
        transitions: numeral(transitions),
        depth,
        width: numeral(width),
      },
    ),
    [say('Time')]: say('{seconds}, {states} worlds/s', {
      seconds: duration(seconds),
      states: numeral(Math.round(states / Math.max(seconds, 0.001))),
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
    <dl class="check-notes pad small">
      {Object.entries(notes).map(([title, text]) => (
        <Fragment key={title}>
          <dt class="faint">{title}</dt>
          <dd>{text}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

function stepsText({ steps: { distinct, confirmed, uncompiled = {} } }: Checked): string {
  const some =
    confirmed === 0 ? say('none') : say('{confirmed} of them', { confirmed: numeral(confirmed) });
  return [
    say('{distinct} distinct local steps, {some} confirmed by XState', {
      distinct: numeral(distinct),
      some: confirmed === distinct ? say('all') : some,
    }),
    ...Object.entries(uncompiled).map(([role, why]) =>
      say('{role} is not compiled, which is slower: its machine {why}', { role, why }),
    ),
  ].join('; ');
}

const limitsText = ({ states, memory, seconds }: Checked['input']['limits']): string =>
  [
    memory !== undefined && say('{memory} MB for worlds and edges', { memory: numeral(memory) }),
    states !== undefined && say('{states} worlds', { states: numeral(states) }),
    seconds !== undefined && duration(seconds),
  ]
    .filter(Boolean)
    .join(', ');

interface VerdictRowProps {
  readonly finding: Pick<Finding, 'name' | 'kind' | 'verdict'>;
  /** Its counterexample or example, as text. */
  readonly run: { readonly length: string; readonly text: string } | undefined;
  readonly isOpen?: boolean;
  /** The run as a picture, below its text. */
  readonly picture?: (title: string) => ComponentChildren;
  readonly action: ComponentChildren;
  /** What is to be said of the verdict. */
  readonly children?: ComponentChildren;
}

/** A property, its verdict, and the run that shows it. */
export function VerdictRow({ finding, run, isOpen = false, ...props }: VerdictRowProps) {
  const { name, kind, verdict } = finding;
  const tone = toneOf(verdict);
  const { length = '' } = run ?? {};
  const title =
    tone === 'false'
      ? say('Counterexample, {length}', { length })
      : say('Example, {length}', { length });
  return (
    <li class="verdict">
      <Badge tone={tone} title={say(verdictTexts[verdict])}>
        {say(verdict)}
      </Badge>
      <div>
        <Translated title={kindText({ kind })} text={name} />
        {props.children}
        {run && (
          <details class="note" open={isOpen}>
            <summary>{title}</summary>
            <pre lang={langOf()}>{run.text}</pre>
            {props.picture?.(title)}
          </details>
        )}
      </div>
      {run && <div class="verdict-actions flow small">{props.action}</div>}
    </li>
  );
}

interface ConclusionProps extends Said {
  /** Of what is read aloud at once. */
  readonly role?: 'alert';
  /** Below its text. */
  readonly children?: ComponentChildren;
  readonly action?: ComponentChildren;
}

/** What a check, or a judge, says as a whole. */
export const Conclusion = ({ tone, title, text, role, children, action }: ConclusionProps) => (
  <div class={`conclusion pad ${tone}`} role={role}>
    <Icon name={toneIcons[tone]} />
    <div>
      <h3 class="large">{title}</h3>
      {text && <p>{text}</p>}
      {children}
    </div>
    {action}
  </div>
);

const takenTexts = {
  all: '{role}: {taken} of {transitions} transitions taken',
  some: '{role}: {taken} of {transitions} transitions taken so far',
} as const;

function Coverage({ checked: { coverage, complete } }: { readonly checked: Checked }) {
  if (!coverage) return null;
  return (
    <section class="coverage stack small" aria-label={say('Coverage')}>
      {coverage.map(({ role, transitions, taken, missed, guards, unentered, undelivered }) => (
        <div key={role}>
          <h4>{say(complete ? takenTexts.all : takenTexts.some, { role, taken, transitions })}</h4>
          <List
            isOpen
            title={say('Never taken')}
            items={missed.map(
              (text) =>
                `${text}${guards.neverTrue.includes(text) ? say(' (guard never true)') : ''}`,
            )}
          />
          <List title={say('Guard never false')} items={guards.neverFalse} />
          <List title={say('Never entered')} items={unentered} />
          <List title={say('Never delivered')} items={undelivered} />
        </div>
      ))}
    </section>
  );
}

interface ListProps {
  readonly title: string;
  readonly items: readonly string[];
  readonly isOpen?: boolean;
}

function List({ title, items, isOpen = false }: ListProps) {
  if (items.length === 0) return null;
  return (
    <details open={isOpen}>
      <summary>
        {title} ({items.length})
      </summary>
      <ul>
        {items.map((item) => (
          <li key={item}>
            <code lang={langOf()}>{item}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The fault, with which a run ends, is in its trace, or said. */
type Found = Pick<Finding, 'name' | 'verdict' | 'steps' | 'loopsFromStep' | 'trace'> & {
  readonly fault?: string;
};

/** Shows the run of a finding from its beginning, and the node that is to blame at its end. */
export function openRun(setup: Setup, finding: Found): Promise<void> {
  return attempt(async () => {
    if (session.peek()?.system.setup !== setup) await openSystem(setup, 'check');
    const shown = session.peek();
    const {
      steps = [],
      loopsFromStep: loopsFrom,
      fault = finding.trace?.header.get('fault'),
    } = finding;
    if (!shown) return;
    batch(() => {
      const { worlds } = shown.system;
      const failing =
        fault === undefined ? -1 : failingAction(worlds, steps, ({ message }) => message === fault);
      const run = failing < 0 ? steps : [...steps, failing];
      shown.show(run, loopsFrom === undefined ? {} : { loopsFrom });
      shown.node.value = guiltyNode(shown, finding.name) ?? shown.node.value;
      shown.goTo(shown.run.start);
      refute(shown, finding.verdict === 'violated' ? finding.name : undefined);
      view.value = 'world';
    });
  });
}

/** The node that a property blames where the run ends, or the one that acted last there. */
function guiltyNode(shown: Session, property: string): NodeId | undefined {
  const [blamed] = badges(shown).value.find(({ name }) => name === property)?.nodes ?? [];
  const { step } = shown.tip.value;
  return blamed ?? (step && actorOf(step));
}
