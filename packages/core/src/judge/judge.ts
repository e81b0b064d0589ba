import type { NodeStep, NodeView, Property, SystemView } from '../protocol/property.js';
import { isViolated, type Tracker } from './tracker.js';

type Hears<K extends keyof Tracker> = Tracker & Required<Pick<Tracker, K>>;

const hearing = <K extends keyof Tracker>(trackers: readonly Tracker[], what: K) =>
  trackers.filter((tracker): tracker is Hears<K> => tracker[what] !== undefined);

/**
 * Judges one run: tells the trackers what happens, and each time only those that look at it. For a
 * run that has many steps.
 */
export class Judge {
  readonly #beginning: readonly Hears<'begin'>[];
  readonly #ofCommands: readonly Hears<'command'>[];
  readonly #ofMessages: readonly Hears<'message'>[];
  readonly #ofSteps: readonly Hears<'step'>[];
  readonly #ofSystem: readonly Hears<'system'>[];
  readonly #ofNodes: readonly Hears<'node'>[];

  /** `onViolation` is called once for each property that is. */
  constructor(
    readonly trackers: readonly Tracker[],
    private readonly onViolation: (property: Property) => void,
  ) {
    this.#beginning = hearing(trackers, 'begin');
    this.#ofCommands = hearing(trackers, 'command');
    this.#ofMessages = hearing(trackers, 'message');
    this.#ofSteps = hearing(trackers, 'step');
    this.#ofSystem = hearing(trackers, 'system');
    this.#ofNodes = hearing(trackers, 'node');
  }

  /** Whether {@link stepped} tells anything. */
  get followsSteps(): boolean {
    return this.#ofSteps.length > 0;
  }

  /** Whether {@link look} tells anything. */
  get followsSystem(): boolean {
    return this.#ofSystem.length > 0;
  }

  /** Whether {@link changed} tells anything. */
  get followsNodes(): boolean {
    return this.#ofNodes.length > 0;
  }

  begin(system: SystemView): void {
    this.look(system);
    for (const tracker of this.#beginning) {
      tracker.begin(system);
      this.#note(tracker);
    }
  }

  commanded(type: string): void {
    for (const tracker of this.#ofCommands) tracker.command(type);
  }

  sent(type: string): void {
    for (const tracker of this.#ofMessages) tracker.message(type);
  }

  stepped(step: NodeStep): void {
    for (const tracker of this.#ofSteps) {
      if (tracker.decided) continue;
      tracker.step(step);
      this.#note(tracker);
    }
  }

  look(system: SystemView): void {
    for (const tracker of this.#ofSystem) {
      if (tracker.decided) continue;
      tracker.system(system);
      this.#note(tracker);
    }
  }

  changed(node: NodeView): void {
    for (const tracker of this.#ofNodes) {
      if (tracker.decided) continue;
      tracker.node(node);
      this.#note(tracker);
    }
  }

  #note(tracker: Tracker): void {
    if (isViolated(tracker)) this.onViolation(tracker.property);
  }
}
