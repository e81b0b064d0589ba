/** An election whose leader has the lease in one row of a store that the program has already: A21. */
import { checkOptions, schemas } from '@conclave/core/internal';
import {
  BehaviorSubject,
  concat,
  distinctUntilKeyChanged,
  endWith,
  filter,
  ignoreElements,
  Observable,
  of,
  switchMap,
  takeUntil,
} from 'rxjs';
import { LeaseElection } from '../election/lease-election.js';
import type { Election, Leader } from '../election/shared-election.js';
import { lockOf } from '../lock/lock.js';
import type { Timers } from '../waits.js';
import { clientOfRow, type RowOptions, rowEntries } from './store-lock.js';

export type StoreElectionOptions = RowOptions;

const storeElectionOptions = schemas.optionsOf<StoreElectionOptions>(rowEntries);

type Holder = Pick<Leader, 'id' | 'term'>;

const noneAfter = (milliseconds: number, clock: Timers): Observable<undefined> =>
  new Observable((subscriber) => {
    const timer = clock.setTimeout(() => {
      subscriber.next(undefined);
      subscriber.complete();
    }, milliseconds);
    return () => clock.clearTimeout(timer);
  });

/** @throws {ConclaveError} `bad-input` for options that it does not have. */
export function storeElection(options: StoreElectionOptions): Election {
  checkOptions('election', storeElectionOptions, options);
  const { lease = 10_000, clock = globalThis, onError } = options;
  const { protocol, site } = clientOfRow(options);
  const lock = lockOf(protocol, { ...site, ...(onError && { onError }) });
  const { row$ } = site.transport;
  const end$ = row$.pipe(ignoreElements(), endWith(true));
  /** The holder that a version of the row names, for a lease from when it was seen first. */
  const leader$ = new BehaviorSubject<Holder | undefined>(undefined);
  row$
    .pipe(
      filter((row) => row !== undefined),
      distinctUntilKeyChanged('version'),
      switchMap(({ holder: id, epoch: term }) =>
        id === '' ? of(undefined) : concat(of({ id, term }), noneAfter(lease, clock)),
      ),
      takeUntil(end$),
    )
    .subscribe(leader$);
  return new LeaseElection(lock, clock, {
    leader: () => (leader$.value?.id === lock.id ? undefined : leader$.value),
    change$: leader$,
    isPreferredWaiting: () => false,
    stable: () => ({}),
    cure: 'Wait longer, or look at the store.',
  });
}
