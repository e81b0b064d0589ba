import { loadProtocol } from '@conclave/algorithms/load';
import { groupBy } from '../../base/group-by.js';
import { rowText } from '../../playground/row-text.js';
import { say } from '../../texts/say.js';
import { catalogueRows } from '../catalogue/data.js';
import { Button } from '../parts/button.js';
import { PickFile } from '../parts/pick-file.js';
import { attempt } from '../studio.js';
import type { DeskProps } from './desk.js';

/** What to begin with: a new protocol, one of the catalogue, or a file. */
export function Start({ desk }: DeskProps) {
  const begin = (name: string) =>
    attempt(async () =>
      desk.replace(name === '' ? desk.part.template : rowText(await loadProtocol(name))),
    );
  return (
    <>
      {desk.exercise.value ? (
        <Button onClick={() => desk.replace(desk.beginning())}>{say('Start again')}</Button>
      ) : (
        <select
          aria-label={say('Start from …')}
          value="none"
          onChange={({ currentTarget }) => {
            void begin(currentTarget.value);
            currentTarget.value = 'none';
          }}
        >
          <option value="none" disabled>
            {say('Start from …')}
          </option>
          <option value="">{say('a new protocol, as conclave init writes it')}</option>
          {[...groupBy(catalogueRows(), ({ group }) => group)].map(([group, rows]) => (
            <optgroup key={group} label={group}>
              {rows.map(({ id, name, title }) => (
                <option key={id} value={name}>
                  {id} {title}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      )}
      <PickFile label={say('Open file …')} onPick={(text) => desk.replace(text)} />
    </>
  );
}
