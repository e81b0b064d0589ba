import { signal, useComputed } from '@preact/signals';
import { impossible } from '../../model/impossible.js';
import type { Allowance, Impossible } from '../../model/possible.js';
import type { Session } from '../../model/session.js';
import { Button } from '../parts/button.js';
import { allow, attempt } from '../studio.js';
import { isAt } from './groups.js';
import { offeredBy } from './offered.js';

/** Stays as it is when the budget changes. */
const isOpen = signal(false);

/** How many of a group are named. */
const named = 4;

/** What cannot happen, grouped by why. */
export function Cannot({ session }: { readonly session: Session }) {
  return (
    <details
      class="cannot"
      open={isOpen.value}
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary>What cannot happen, and why</summary>
      {isOpen.value && <Reasons session={session} />}
    </details>
  );
}

function Reasons({ session }: { readonly session: Session }) {
  const offered = offeredBy(session);
  const groups = useComputed(() => {
    const { value: node } = session.node;
    const all = impossible(session.run, session.now.value).filter(isSurprising);
    return groupedByReason(
      offered.isOfNode.value ? all.filter(({ target }) => isAt(target, node)) : all,
    );
  }).value;
  return (
    <ul>
      {groups.map(({ why, texts, allow: more }) => (
        <li key={`${why} ${more?.text}`}>
          <p>{why}</p>
          <p class="texts">
            {texts.slice(0, named).join('; ')}
            {texts.length > named && `; and ${texts.length - named} more`}
          </p>
          {more && (
            <>
              {more.beyond && <p class="beyond">{more.beyond}</p>}
              <Button onClick={() => attempt(() => allow(more.budget))}>{more.text}</Button>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Everybody expects that only what crashed restarts, and only what is split heals. */
const isSurprising = ({ kind, why }: Impossible): boolean =>
  !(
    (kind === 'restart' && why.endsWith('has not crashed.')) ||
    (kind === 'heal' && why.includes('not split'))
  );

interface ReasonGroup {
  readonly why: string;
  readonly texts: readonly string[];
  readonly allow?: Allowance;
}

function groupedByReason(all: readonly Impossible[]): readonly ReasonGroup[] {
  const groups = new Map<string, ReasonGroup>();
  for (const { why, text, allow: more } of all) {
    const key = JSON.stringify([why, more?.budget]);
    groups.set(key, {
      why,
      texts: [...(groups.get(key)?.texts ?? []), text],
      ...(more && { allow: more }),
    });
  }
  return [...groups.values()].toSorted(
    (one, other) => Number(other.allow !== undefined) - Number(one.allow !== undefined),
  );
}
