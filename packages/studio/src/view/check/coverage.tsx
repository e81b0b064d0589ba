import type { Checked } from '../../model/check.js';
import { say } from '../../texts/say.js';

/** Which parts of the statecharts were used. */
export function Coverage({ checked: { coverage, complete } }: { readonly checked: Checked }) {
  if (!coverage) return null;
  return (
    <section class="coverage stack small" aria-label={say('Coverage')}>
      {coverage.map(({ role, transitions, taken, missed, guards, unentered, undelivered }) => (
        <div key={role}>
          <h4>
            {complete
              ? say('{role}: {taken} of {transitions} transitions taken', {
                  role,
                  taken,
                  transitions,
                })
              : say('{role}: {taken} of {transitions} transitions taken so far', {
                  role,
                  taken,
                  transitions,
                })}
          </h4>
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
            <code>{item}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}
