import { Invariant } from '../judge/invariant.js';
import { systemViewOf } from '../protocol/check-properties.js';
import type { InFlight, NodeView, Property, SystemView } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';

/** The messages in flight, and whether one of them may have been lost. */
export interface InFlightNow {
  readonly messages: readonly InFlight[];
  readonly isUncertain: boolean;
}

/** The systems that journals tell, as properties see them. */
export class JournalViews {
  /** By property: why it could not be judged everywhere. */
  readonly notes = new Map<Property, string>();
  /** Whether the property that is judged has looked at messages that may be lost. */
  sawUncertain = false;

  constructor(readonly protocol: Protocol) {}

  system(nodes: readonly NodeView[], inFlight: () => InFlightNow): SystemView {
    return systemViewOf(this.protocol, nodes, () => {
      const { messages, isUncertain } = inFlight();
      this.sawUncertain ||= isUncertain;
      return messages;
    });
  }

  /** The trackers of the properties of states. */
  invariants(properties: readonly Property[]): readonly Invariant[] {
    return properties.flatMap((property) =>
      property.kind === 'always' || property.kind === 'never'
        ? new CertainInvariant(property, this)
        : [],
    );
  }
}

/** Where it depends on messages that may be lost, it counts as holding. */
class CertainInvariant extends Invariant {
  constructor(
    property: Invariant['property'],
    private readonly views: JournalViews,
  ) {
    super(property);
  }

  override system(system: SystemView): void {
    const { views } = this;
    views.sawUncertain = false;
    super.system(system);
    if (!this.decided || !views.sawUncertain) return;
    this.decided = undefined;
    views.notes.set(
      this.property,
      'not judged where it counts messages in flight that may be lost',
    );
  }
}
