import { checkOptions, schemas } from '@conclave/core/internal';
import type { Observable } from 'rxjs';

type ReadOptions = { readonly signal?: AbortSignal };

const readOptions = schemas.optionsOf<ReadOptions>({ signal: schemas.optional(schemas.signal) });

/**
 * The values of `source` for one reader, from its first `next` on. Of those that come while the
 * reader is busy, it gets the `latest`, or `every` one. Ends when the signal aborts, or with
 * `source`; a reader that gets every value reads what is left before.
 *
 * @param call what the reader called
 * @throws {ConclaveError} `bad-input` for other options.
 */
export function valuesOf<T>(
  source: Observable<T>,
  which: 'latest' | 'every',
  call: string,
  options: ReadOptions = {},
): AsyncGenerator<T> {
  checkOptions(call, readOptions, options);
  return valuesUntil(source, which, options.signal);
}

async function* valuesUntil<T>(
  source: Observable<T>,
  which: 'latest' | 'every',
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  const unread: T[] = [];
  let ended = false;
  let wake = () => {};
  const end = () => {
    ended = true;
    if (which === 'latest' || signal?.aborted) unread.length = 0;
    wake();
  };
  const next = (value: T) => {
    if (which === 'latest') unread.length = 0;
    unread.push(value);
    wake();
  };
  const subscription = source.subscribe({ next, complete: end });
  if (signal?.aborted) end();
  signal?.addEventListener('abort', end);
  try {
    while (unread.length > 0 || !ended)
      if (unread.length > 0) yield* unread.splice(0, 1);
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
  } finally {
    subscription.unsubscribe();
    signal?.removeEventListener('abort', end);
  }
}
