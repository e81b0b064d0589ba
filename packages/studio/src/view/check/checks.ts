import { effect } from '@preact/signals';
import { linkText } from '../../link/link.js';
import type { Setup } from '../../link/setup.js';
import { ownProtocol } from '../../model/own.js';
import { Asking } from '../../worker/asking.js';
import type { TaskName } from '../../worker/tasks.js';
import { session } from '../studio.js';

/**
 * What was asked about one setup; kept, so that a user who follows a counterexample finds it again.
 */
interface Kept {
  readonly check: Asking<'check'>;
  readonly graph: Asking<'graph'>;
  readonly paths: Asking<'paths'>;
  /** Of a user's own protocol: its module, which may be replaced by another of the same name. */
  readonly source: string | undefined;
}

/** Older answers are forgotten: traces and graphs take memory. */
const mostKept = 24;

const kept = new Map<string, Kept>();

const keyOf = (setup: Setup): string => linkText({ setup, view: 'world', steps: [] });

function keptOf(setup: Setup): Kept {
  const key = keyOf(setup);
  const source = ownProtocol(setup.protocol)?.source;
  const known = kept.get(key);
  kept.delete(key);
  const found =
    known && known.source === source
      ? known
      : {
          check: new Asking('check', setup),
          graph: new Asking('graph', setup),
          paths: new Asking('paths', setup),
          source,
        };
  if (known !== found) stop(known);
  kept.set(key, found); // the last one is the newest
  for (const [oldest, one] of kept) {
    if (kept.size <= mostKept) break;
    stop(one);
    kept.delete(oldest);
  }
  return found;
}

const stop = (asked: Kept | undefined): void => {
  asked?.check.stop();
  asked?.graph.stop();
  asked?.paths.stop();
};

/** The question about a setup that the page has asked, or may ask: one for each setup. */
export const askingOf = <T extends TaskName & keyof Kept>(task: T, setup: Setup): Kept[T] =>
  keptOf(setup)[task];

let last: string | undefined;

/** A session that is closed needs no answers: its workers end. */
effect(() => {
  const setup = session.value?.system.setup;
  const key = setup && keyOf(setup);
  if (key === last) return;
  last = key;
  for (const [other, one] of kept) if (other !== key) stop(one);
});
