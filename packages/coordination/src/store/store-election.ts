/** An election whose leader has the lease in one row of a store that the program has already: A21. */
import { checkOptions, schemas } from '@conclave/core/internal';
import { map, merge, Subject } from 'rxjs';
import { LeaseElection } from '../election/lease-election.js';
import type { Election, Leader } from '../election/shared-election.js';
import { lockOf } from '../lock/lock.js';
import { clientOfRow, type RowOptions, rowEntries } from './store-lock.js';

export type StoreElectionOptions = RowOptions;

const storeElectionOptions = schemas.optionsOf<StoreElectionOptions>(rowEntries);

/** @throws {ConclaveError} `bad-input` for options that it does not have. */
export function storeElection(options: StoreElectionOptions): Election {
  checkOptions('election', storeElectionOptions, options);
  const { lease = 10_000, clock = globalThis, onError } = options;
  const { protocol, site } = clientOfRow(options);
  const lock = lockOf(protocol, { ...site, ...(onError && { onError }) });
  /** The row of a version is its holder's for a lease from when that version was seen first. */
  let leader: Pick<Leader, 'id' | 'term'> | undefined;
  let version = -1;
  const silent$ = new Subject<void>();
  let silence: unknown;
  const change$ = merge(
    silent$,
    site.transport.row$.pipe(
      map((row) => {
        if (!row || row.version === version) return;
        version = row.version;
        clock.clearTimeout(silence);
        leader = row.holder === '' ? undefined : { id: row.holder, term: row.epoch };
        if (!leader) return;
        silence = clock.setTimeout(() => {
          leader = undefined;
          silent$.next();
        }, lease);
      }),
    ),
  );
  site.transport.row$.subscribe({
    complete: () => {
      clock.clearTimeout(silence);
      silent$.complete();
    },
  });
  return new LeaseElection(lock, clock, {
    leader: () => (leader?.id === lock.id ? undefined : leader),
    change$,
    isPreferredWaiting: () => false,
    stable: () => ({}),
    cure: 'Wait longer, or look at the store.',
  });
}
