import { counted } from '../../base/numbers.js';
import type { Goal } from '../../link/link.js';
import { type Attempted, attempted } from '../../model/attempted.js';
import { badges } from '../../model/properties.js';
import { say, sayAny } from '../../texts/say.js';
import { noteAt } from '../present/notes.js';
import { goal, notes, type SessionProps } from '../studio.js';
import './exercise.css';

/** What is to be violated, and whether it is. */
export function Exercise({ session }: SessionProps) {
  const { value: asked } = goal;
  if (!asked) return null;
  const state = attempted(asked, badges(session).value, session.now.value.depth);
  return (
    <section class={`exercise card flow wraps ${state.kind}`} aria-label={say('Exercise')}>
      <p>
        {sayAny(noteAt(notes.value, session.now.value.depth) ?? '')} {say('Violate')}{' '}
        <strong>{asked.property}</strong>{' '}
        {say('in at most {steps}.', { steps: counted(asked.within, 'step') })}
      </p>
      <p role="status">{wordsOf(state, asked)}</p>
    </section>
  );
}

function wordsOf(state: Attempted, { within }: Goal): string {
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
