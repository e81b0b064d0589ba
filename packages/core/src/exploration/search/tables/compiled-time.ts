import { ConclaveError } from '../../../base/error.js';
import type { Clockwork } from '../../worlds/clockwork.js';
import type { Action } from '../../worlds/world.js';
import { worldText } from '../../worlds/world-text.js';
import type { Kernel } from '../kernel/kernel.js';
import type { SystemTime } from '../traversal/system.js';
import type { ConfigurationTable } from './configuration-table.js';
import type { ContentTable } from './contents.js';
import type { Encoding } from './encoding.js';
import type { Environment } from './environment.js';
import type { DataInterner } from './interner.js';
import type { ParcelTable } from './parcels.js';

/** What the time of a compiled system is computed from. */
interface Timed {
  readonly configurations: readonly ConfigurationTable[];
  readonly contents: ContentTable;
  readonly parcels: ParcelTable;
  readonly encoding: Encoding;
  readonly kernel: Kernel;
  readonly environments: DataInterner<Environment>;
  actionOf(action: number): Action;
  readonly width: number;
}

/** Exact time on numbers. */
export class CompiledTime implements SystemTime {
  constructor(
    private readonly system: Timed,
    private readonly clockwork: Clockwork,
    readonly tick: number,
  ) {}

  /**
   * 0 if no time can pass in a configuration of `node`, else 1 + the configuration one tick later.
   */
  nodeLater(node: number, number: number): number {
    const places = this.system.configurations[node] as ConfigurationTable;
    const { clock, ...rest } = places.item(number);
    const later = clock && this.clockwork.nodeLater(clock);
    return later
      ? 1 + places.with(places.stateOf(number), places.rest({ ...rest, clock: later }))
      : 0;
  }

  /** 0 if no time can pass with this content of a channel, else 1 + the content one tick later. */
  contentLater(number: number): number {
    const { contents, parcels } = this.system;
    const list = contents.list(number);
    const later = this.clockwork.channelLater(
      list.map((parcel) => parcels.due(parcel) ?? { least: 0, most: 0 }),
    );
    return later
      ? 1 + contents.of(later.map((due, index) => parcels.at(list[index] as number, due)))
      : 0;
  }

  runs(vector: Int32Array): boolean {
    const { choosing } = this.system.environments.item(vector[this.system.width - 1] as number);
    return choosing.length > 0 || this.system.kernel.runs(vector); // a choice is answered at once
  }

  isCrash(action: number): boolean {
    return this.system.actionOf(action).type === 'crash';
  }

  stopped(vector: Int32Array): ConclaveError {
    const where = worldText(this.system.encoding.decode(vector));
    return new ConclaveError(
      'bad-protocol',
      `Time stops: in ${where} something has to happen at this moment, and either nothing can, or it happens again and again`,
      'Perhaps a stay is limited that nothing ends in time, or messages that take no time are sent forever.',
    );
  }
}
