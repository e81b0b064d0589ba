import type { Paths } from '@conclave/core/internal/exploration';
import { groupBy } from '../../base/group-by.js';
import { grouped } from '../../base/numbers.js';
import { say } from '../../texts/say.js';
import type { Choice } from './choice.js';

export interface TransitionsProps {
  readonly found: Paths;
  readonly choice: Choice;
}

/**
 * The transitions of the statecharts: how many paths take each, and which no path takes. A click
 * chooses the paths of one.
 */
export function Transitions({ found, choice }: TransitionsProps) {
  const all = found.transitions.map((transition, position) => ({ ...transition, position }));
  const roles = groupBy(all, ({ role }) => role);
  const taken = all.filter(({ paths }) => paths > 0).length;
  return (
    <section class="paths-transitions card" aria-label={say('Transitions')}>
      <header class="flow">
        <h3>{say('Transitions')}</h3>
        <p class="note numbers">{say('{taken} of {all} are taken', { taken, all: all.length })}</p>
      </header>
      {[...roles].map(([role, transitions]) => (
        <div key={role}>
          {roles.size > 1 && <h4 class="note">{role}</h4>}
          <ul>
            {transitions.map(({ text, paths, isPossible, position }) => (
              <li key={position}>
                <button
                  type="button"
                  class="bare small"
                  aria-pressed={choice.transition.value === position}
                  disabled={paths === 0}
                  onClick={() => choice.toggle(position)}
                  title={paths > 0 ? say('Only the paths that take it') : undefined}
                >
                  <span>{text}</span>
                  <small class="numbers">
                    {paths > 0 ? grouped(paths) : untakenText(found, isPossible)}
                  </small>
                </button>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

/** Why no path takes a transition. */
function untakenText({ complete, fault }: Paths, isPossible: boolean): string {
  if (isPossible)
    return complete
      ? say('on no path; some step takes it')
      : say('on none of these; some step takes it');
  return complete && fault === undefined
    ? say('no step in this system takes it')
    : say('no step that was found takes it');
}
