import { useSignal } from '@preact/signals';
import { predictionAt } from '../../model/prediction.js';
import { say } from '../../texts/say.js';
import { Button } from '../parts/button.js';
import { predicted, type SessionProps } from '../studio.js';
import './exercise.css';

/** What happens next? The reader says in which state a node is after the next step. */
export function Predict({ session }: SessionProps) {
  const said = useSignal<readonly boolean[]>([]);
  const last = useSignal('');
  const { value: run } = predicted;
  if (!run) return null;
  const next = predictionAt(session, run);
  const rights = said.value.filter(Boolean).length;
  const answer = (state: string) => {
    if (next.kind !== 'question') return;
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
        {next.kind === 'elsewhere' && say('This is another run: go back to where it began.')}
        {next.kind === 'end' && say('The run ends here.')}
        {next.kind === 'step' && say('Next: {what}.', { what: next.what })}
        {next.kind === 'question' &&
          say('Next: {what}. In which state is {node} then?', { what: next.what, node: next.node })}
      </p>
      {next.kind === 'question' && (
        <p class="flow wraps">
          {next.states.map((state) => (
            <Button key={state} onClick={() => answer(state)}>
              {state}
            </Button>
          ))}
        </p>
      )}
      {next.kind === 'step' && (
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
