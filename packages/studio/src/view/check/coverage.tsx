import type { Checked } from '../../model/check.js';

/** Which parts of the statecharts were used. */
export function Coverage({ checked: { coverage, complete } }: { readonly checked: Checked }) {
  if (!coverage) return null;
  return (
    <section class="coverage stack small" aria-label="Coverage">
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
