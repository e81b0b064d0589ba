import { ConclaveError } from '@conclave/core/protocol';
import type { Given } from '../../model/given.js';
import { addModule } from '../../model/own.js';
import { say } from '../../texts/say.js';
import { setPublicAddress } from '../address.js';
import { pageData } from '../catalogue/data.js';
import { attempt, problem } from '../studio.js';
import { evaluate } from './evaluate.js';
import { receive } from './receive.js';

/**
 * Takes the modules that this page was written with. Its link is what the address says, unless that
 * says something else already.
 *
 * @returns what opens its trace, or shows why a module cannot be used; to be called when the page
 * follows its address.
 */
export function takeGiven(): () => void {
  const { modules = [], link, trace, address } = pageData<Given>('given') ?? {};
  setPublicAddress(address);
  const [failure] = modules.flatMap(failureOf);
  const isFresh = location.hash.length < 2 && !failure;
  if (isFresh && link !== undefined) history.replaceState(undefined, '', `#${link}`);
  return () => {
    if (failure) problem.value = failure;
    else if (isFresh && trace) void attempt(() => receive(trace.text, trace.name));
  };
}

function failureOf(module: string): readonly ConclaveError[] {
  try {
    addModule(module, say('The module of this page'), evaluate);
    return [];
  } catch (error) {
    if (error instanceof ConclaveError) return [error];
    throw error;
  }
}
