import { isViolated, type Tracker } from '../../judge/tracker.js';
import type { NodeId } from '../../protocol/node.js';
import type { NodeStep, SystemView } from '../../protocol/property.js';

/** What happens in one moment of a run, as trackers are told; read as far as they look at it. */
export interface Moment {
  /** Whether it is the beginning: all nodes have started. */
  readonly isFirst: boolean;
  readonly view: SystemView;
  /** The type of the command that a node gets. */
  readonly command: string | undefined;
  /** The types of the messages that the step has sent; at the beginning, that the starts have. */
  readonly sent: readonly string[];
  /** The step as properties see it; undefined where no machine reacts. */
  readonly step: NodeStep | undefined;
  /** The node that the step is of. */
  readonly actor: NodeId | undefined;
}

/** Tells a property that is not decided what happens; whether that violates it. */
export function tellMoment(tracker: Tracker, moment: Moment): boolean {
  const { command, actor } = moment;
  if (command !== undefined) tracker.command?.(command);
  if (tracker.message) for (const type of moment.sent) tracker.message(type, actor);
  const shown = tracker.step && moment.step;
  if (shown) tracker.step?.(shown);
  tracker.system?.(moment.view);
  if (moment.isFirst) tracker.begin?.(moment.view);
  else if (tracker.node && actor !== undefined) tracker.node(moment.view.node(actor));
  return isViolated(tracker);
}
