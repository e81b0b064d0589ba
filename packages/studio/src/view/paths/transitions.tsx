import type { Paths } from '@conclave/core/exploration';
import type { Choice } from './choice.js';

interface TransitionsProps {
  readonly found: Paths;
  readonly choice: Choice;
}

/**
 * The transitions of the statecharts: how many paths take each, and which no path takes. A click
 * chooses the paths of one.
 */
export function Transitions({ found, choice }: TransitionsProps) {
  const all = found.transitions.map((transition, position) => ({ ...transition, position }));
  const roles = [...new Set(all.map(({ role }) => role))];
  const taken = all.filter(({ paths }) => paths > 0).length;
  return (
    <section class="paths-transitions" aria-label="Transitions">
      <header>
        <h3>Transitions</h3>
        <p>
          {taken} of {all.length} are taken
        </p>
      </header>
      {roles.map((role) => (
        <div key={role}>
          {roles.length > 1 && <h4>{role}</h4>}
          <ul>
            {all
              .filter((transition) => transition.role === role)
              .map(({ text, paths, isPossible, position }) => (
                <li key={position}>
                  <button
                    type="button"
                    class={paths === 0 ? 'untaken' : ''}
                    aria-pressed={choice.transition.value === position}
                    disabled={paths === 0}
                    onClick={() => choice.toggle(position)}
                    title={paths > 0 ? 'Only the paths that take it' : undefined}
                  >
                    <span>{text}</span>
                    <small>
                      {paths > 0 ? paths.toLocaleString('en-US') : untakenText(found, isPossible)}
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
    return complete ? 'on no path; some step takes it' : 'on none of these; some step takes it';
  return complete && fault === undefined
    ? 'no step in this system takes it'
    : 'no step that was found takes it';
}
