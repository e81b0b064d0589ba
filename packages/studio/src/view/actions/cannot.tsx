import { signal, useComputed } from '@preact/signals';
import { groupBy } from '../../base/group-by.js';
import { impossible } from '../../model/impossible.js';
import type { Impossible } from '../../model/possible.js';
import { say } from '../../texts/say.js';
import { Button } from '../parts/button.js';
import { allow, attempt, type SessionProps } from '../studio.js';
import { isAt } from './groups.js';
import { offeredBy } from './offered.js';

/** Stays as it is when the budget changes. */
const isOpen = signal(false);

/** How many of a group are named. */
const most = 4;

/** What cannot happen, grouped by why. */
export const Cannot = ({ session }: SessionProps) => (
  <details
    class="cannot"
    open={isOpen.value}
    onToggle={({ currentTarget }) => {
      isOpen.value = currentTarget.open;
    }}
  >
    <summary class="note">{say('What cannot happen, and why')}</summary>
    {isOpen.value && <Reasons session={session} />}
  </details>
);

function Reasons({ session }: SessionProps) {
  const { isOfNode } = offeredBy(session);
  const groups = useComputed(() => {
    const { value: node } = session.node;
    const all = impossible(session.run, session.now.value).filter(isSurprising);
    return groupsOf(isOfNode.value ? all.filter(({ target }) => isAt(target, node)) : all);
  }).value;
  return (
    <ul>
      {groups.map(({ why, texts, more }) => (
        <li key={`${why} ${more?.text}`}>
          <p>{why}</p>
          <p class="note">
            {texts.slice(0, most).join('; ')}
            {texts.length > most && say('; and {more} more', { more: texts.length - most })}
          </p>
          {more && (
            <>
              {more.beyond && <p class="small beyond">{more.beyond}</p>}
              <Button onClick={() => attempt(() => allow(more.budget))}>{more.text}</Button>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Everybody expects that only what crashed restarts, and only what is split heals. */
const isSurprising = ({ action, why }: Impossible): boolean =>
  !(
    (action.type === 'restart' && why === say('{node} has not crashed.', { node: action.node })) ||
    (action.type === 'heal' && why === say('The network is not split.'))
  );

/** By their reasons; those that a larger budget allows come first. */
const groupsOf = (all: readonly Impossible[]) =>
  [...groupBy(all, ({ why, allow: more }) => JSON.stringify([why, more?.budget])).values()]
    .map((group) => ({
      why: group[0].why,
      texts: group.map(({ text }) => text),
      more: group.at(-1)?.allow,
    }))
    .toSorted((one, other) => Number(other.more !== undefined) - Number(one.more !== undefined));
