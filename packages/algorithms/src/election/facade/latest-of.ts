import type { Observable } from 'rxjs';

/** The values of `source`, for a reader that gets the latest one when it is ready for it. Ends with `source`, or when the signal aborts. */
export async function* latestOf<T>(source: Observable<T>, signal?: AbortSignal): AsyncGenerator<T> {
  let unread: { readonly value: T } | undefined;
  let ended = false;
  let wake = () => {};
  const end = () => {
    ended = true;
    wake();
  };
  const next = (value: T) => {
    unread = { value };
    wake();
  };
  const subscription = source.subscribe({ next, complete: end });
  signal?.addEventListener('abort', end);
  try {
    while (!ended && !signal?.aborted) {
      if (unread) {
        const { value } = unread;
        unread = undefined;
        yield value;
      } else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    subscription.unsubscribe();
    signal?.removeEventListener('abort', end);
  }
}
