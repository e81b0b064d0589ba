import { counted } from '../../base/numbers.js';
import type { Goal } from '../../link/link.js';
import { type Attempted, attempted } from '../../model/attempted.js';
import { badges } from '../../model/properties.js';
import { noteAt } from '../present/notes.js';
import { goal, notes, type SessionProps } from '../studio.js';
import './exercise.css';

/** What is to be violated, and whether it is. */
export function Exercise({ session }: SessionProps) {
  const { value: asked } = goal;
  if (!asked) return null;
  const state = attempted(asked, badges(session).value, session.now.value.depth);
  return (
    <section class={`exercise card flow wraps ${state.kind}`} aria-label="Exercise">
      <p>
        {noteAt(notes.value, session.now.value.depth)} Violate <strong>{asked.property}</strong>{' '}
        {`in at most ${counted(asked.within, 'step')}.`}
      </p>
      <p role="status">{wordsOf(state, asked)}</p>
    </section>
  );
}

function wordsOf(state: Attempted, { within }: Goal): string {
  switch (state.kind) {
    case 'solved':
      return `Solved, in ${counted(state.steps, 'step')}.`;
    case 'too long':
      return `It is violated, after ${counted(state.steps, 'step')}: find a shorter way.`;
    case 'open':
      return state.left > 0
        ? `${counted(state.left, 'step')} left.`
        : `No step of the ${within} is left: go back, and try another way.`;
    case 'unknown':
      return 'The protocol has no such property: was the link made for another version?';
  }
}
