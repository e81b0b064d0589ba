import type { Property, Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import type { ConformOptions } from './conformed.js';
import { type InFlightNow, JournalViews } from './cuts.js';
import type { JournalReader } from './journal-reader.js';
import { Links, type Sent } from './links.js';
import { RunJournals } from './node-journals.js';
import { Findings, sortedJournals } from './sorted-journals.js';

/** The run that journals tell, and what was found about it. */
export class ComparedRun extends Findings {
  readonly properties: readonly Property[];
  readonly views: JournalViews;
  readonly links: Links;
  readonly nodes: RunJournals;
  /** In flight in the present order. */
  readonly inFlight = new Set<Sent>();
  /** How many steps were repeated. */
  steps = 0;

  constructor(
    readonly protocol: Protocol,
    readonly topology: Topology,
    readers: readonly JournalReader[],
    readonly options: ConformOptions,
  ) {
    super();
    this.properties = options.properties ?? protocol.properties;
    this.views = new JournalViews(protocol);
    this.links = new Links(protocol.channels.duplication);
    this.nodes = new RunJournals(sortedJournals(protocol, topology, readers, this));
  }

  /** Whether its safety rests on time, which journals do not tell. */
  get isTimed(): boolean {
    const { time = 'untimed' } = this.protocol.channels;
    return time !== 'untimed';
  }

  /** The most consistent cuts to look at. */
  get mostCuts(): number {
    return this.isTimed ? 0 : (this.options.cuts ?? 200_000);
  }

  /** Whether messages that have not arrived may be lost. */
  get isUncertain(): boolean {
    const { loss, duplication } = this.protocol.channels;
    return loss || duplication || !this.isComplete || this.links.doubled > 0;
  }

  get flying(): InFlightNow {
    const messages = [...this.inFlight];
    return { messages, isUncertain: this.isUncertain && messages.length > 0 };
  }

  violated({ name }: Property, where: string): void {
    const cure = 'Explore it: conclave check finds such runs.';
    this.complain('property', `'${name}' does not hold ${where}`, cure);
  }
}
