import type { Given } from '../../model/given.js';
import { addModule } from '../../model/own.js';
import { attempt } from '../studio.js';
import { evaluate } from './evaluate.js';
import { receive } from './receive.js';

/** Takes what this page was written with: its modules at once; a link or trace by the result, unless the address says something else. */
export function takeGiven(): () => void {
  const element = document.querySelector('#given');
  const { modules = [], link, trace }: Given = element?.textContent ? JSON.parse(element.textContent) : {};
  for (const module of modules) void attempt(() => addModule(module, 'The module of this page', evaluate));
  const isFresh = location.hash.length < 2;
  if (isFresh && link !== undefined) history.replaceState(undefined, '', `#${link}`);
  return () => {
    if (isFresh && trace) void attempt(() => receive(trace.text, trace.name));
  };
}
