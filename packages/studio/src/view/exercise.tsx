import { signal, useSignal } from '@preact/signals';
import { counted } from '../base/numbers.js';
import type { Goal } from '../link/link.js';
import { predictionAt } from '../model/prediction.js';
import { type Attempt, attemptAt, badges, badgesAt } from '../model/properties.js';
import type { Moment, Session } from '../model/session.js';
import { say, sayAny } from '../texts/say.js';
import { Button, Translated } from './parts/controls.js';
import { assign } from './parts/dom.js';
import { noteAt } from './presentation.js';
import { forecast, goal, notes, refutedBy, type SessionProps, view } from './studio.js';

/** What is to be violated, and whether it is. */
export function Exercise({ session }: SessionProps) {
  const { value: asked } = goal;
  if (!asked) return null;
  const state = attemptAt(asked, badges(session).value, session.now.value.depth);
  return (
    <section class={`exercise card flow wraps ${state.kind}`} aria-label={say('Exercise')}>
      <p>
        {sayAny(noteAt(notes.value, session.now.value.depth) ?? '')} {say('Violate')}{' '}
        <Property name={asked.property} />{' '}
        {say('in at most {steps}.', { steps: counted(asked.within, 'step') })}
      </p>
      <p role="status">{wordsOf(state, asked)}</p>
      <Button
        pressed={predicts.value}
        title={say('Before each step: say what it does, and then see it')}
        onClick={assign(predicts, !predicts.value)}
      >
        {say('Predict')}
      </Button>
    </section>
  );
}

const Property = ({ name }: { readonly name: string }) => (
  <strong>
    <Translated text={name} />
  </strong>
);

/** Whether a reader of an exercise says before each step what it does. */
const predicts = signal(false);
/** The step that was chosen, and where: it is taken after the answer. */
const waiting = signal<{ readonly from: Moment; readonly number: number } | undefined>(undefined);

/** Takes a step, or asks first what it does. */
export function takeOrAsk(session: Session, number: number): void {
  const { value: from } = session.now;
  const isAsked = goal.value !== undefined && predicts.value;
  const isQuestion = isAsked && questionAt(session, from, number).kind === 'question';
  waiting.value = isQuestion ? { from, number } : undefined;
  if (!isQuestion) session.take(number);
}

const questionAt = (session: Session, from: Moment, number: number) =>
  predictionAt(session, [
    ...session.run.path(from).flatMap(({ step }) => (step ? [step.number] : [])),
    number,
  ]);

function wordsOf(state: Attempt, { within }: Goal): string {
  switch (state.kind) {
    case 'solved':
      return say('Solved, in {steps}.', { steps: counted(state.steps, 'step') });
    case 'too long':
      return say('It is violated, after {steps}: find a shorter way.', {
        steps: counted(state.steps, 'step'),
      });
    case 'open':
      return state.left > 0
        ? say('{steps} left.', { steps: counted(state.left, 'step') })
        : say('No step of the {within} is left: go back, and try another way.', { within });
    case 'unknown':
      return say('The protocol has no such property: was the link made for another version?');
  }
}

/** Of what the run is a counterexample, and from which step on. */
export function Counterexample({ session }: SessionProps) {
  const property = refutedBy(session);
  if (property === undefined) return null;
  const all = badgesAt(session)(session.tip.value);
  const since = all.find(({ name, value }) => name === property && value === 'false')?.since;
  return (
    <section class="exercise refuted card flow wraps" aria-label={say('Counterexample')}>
      <p>
        {say('Counterexample')}: <Property name={property} />{' '}
        {since && say('It is false since step {depth}.', { depth: since.depth })}
      </p>
      {since && (
        <Button onClick={() => session.goTo(since)}>
          {say('To step {depth}', { depth: since.depth })}
        </Button>
      )}
      <Button onClick={assign(view, 'check')}>{say('Back to the verdicts')}</Button>
    </section>
  );
}

/** What happens next? The reader says in which state a node is after the next step. */
export function Predict({ session }: SessionProps) {
  const said = useSignal<readonly boolean[]>([]);
  const last = useSignal('');
  const { value: chosen } = waiting;
  const isWaiting = chosen?.from === session.now.value;
  if (!forecast.value && !isWaiting && !(goal.value && predicts.value)) return null;
  const next = isWaiting
    ? questionAt(session, chosen.from, chosen.number)
    : forecast.value && predictionAt(session, forecast.value);
  const rights = said.value.filter(Boolean).length;
  const answer = (state: string) => {
    if (next?.kind !== 'question') return;
    const isRight = state === next.right;
    said.value = [...said.value, isRight];
    last.value = isRight
      ? say('Right.')
      : say("No: {node} is '{right}'.", { node: next.node, right: next.right });
    session.take(next.number);
  };
  return (
    <section class="exercise card flow wraps" aria-label={say('What happens next?')}>
      <p>
        {!next && say('Choose a step.')}
        {next?.kind === 'elsewhere' && say('This is another run: go back to where it began.')}
        {next?.kind === 'end' && say('The run ends here.')}
        {next?.kind === 'step' && say('Next: {what}.', { what: next.what })}
        {next?.kind === 'question' &&
          say('Next: {what}. In which state is {node} then?', { what: next.what, node: next.node })}
      </p>
      {next?.kind === 'question' && (
        <p class="flow wraps">
          {next.states.map((state) => (
            <Button key={state} onClick={() => answer(state)}>
              {state}
            </Button>
          ))}
        </p>
      )}
      {next?.kind === 'step' && (
        <Button onClick={() => session.take(next.number)}>{say('Show it')}</Button>
      )}
      <p role="status">
        {said.value.length > 0 &&
          say('{last} {rights} of {all} right.', {
            last: last.value,
            rights,
            all: said.value.length,
          })}
      </p>
    </section>
  );
}
