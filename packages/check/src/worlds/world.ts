/**
 * The vocabulary of the explorer: worlds, and the actions that lead from one to the next. What an
 * action does is in worlds.ts.
 */
import type { faults } from '@conclave/core/internal';
import type {
  Command,
  FaultCounts,
  Json,
  LocalState,
  Message,
  NodeId,
  Step,
} from '@conclave/core/protocol';

/**
 * A global state: nodes, channels, clocks, faults and the rest of the budget, as one immutable
 * plain value.
 */
export interface World {
  readonly nodes: Readonly<Record<NodeId, LocalState>>;
  /** By `from→to`: the messages in flight, oldest first; empty channels are left out. */
  readonly channels: Readonly<Record<string, readonly Message[]>>;
  readonly crashed: readonly NodeId[];
  /**
   * The nodes that are cut off from the first node, in the order of the topology; empty without a
   * split.
   */
  readonly cut: readonly NodeId[];
  /** Open choices: they are answered before any other action. */
  readonly choosing: readonly {
    readonly node: NodeId;
    readonly options: readonly Json[];
    /** Of a random draw. */
    readonly weights?: readonly number[];
  }[];
  /** The rest of the budget. */
  readonly remaining: FaultCounts & {
    /**
     * By node: how many optional commands are left, of each type or of each command that the budget
     * lists.
     */
    readonly commands: Readonly<Record<NodeId, readonly number[]>>;
    /**
     * By node: the obligatory commands that need not be given again so far, since their condition
     * has been true without a break from when they were given.
     */
    readonly fulfilled: Readonly<Record<NodeId, readonly string[]>>;
  };
  /**
   * Before the first action, if nodes may crash: those that send or choose at their start, and may
   * still crash in the middle of it.
   */
  readonly starting?: readonly NodeId[];
  /**
   * In exact time only. They are relative to now: worlds that differ only in the absolute time are
   * one.
   */
  readonly clocks?: {
    /** By channel: after how many ticks its messages arrive, in their order. */
    readonly dues: Readonly<
      Record<string, readonly { readonly least: number; readonly most: number }[]>
    >;
    readonly nodes: Readonly<
      Record<
        NodeId,
        {
          /**
           * The ticks after which its armed timers fire at the latest, in the order of the timers.
           */
          readonly timers: readonly number[];
          /**
           * By limited stay: the ticks that it has lasted, counted as far as they matter; −1
           * outside of it.
           */
          readonly stays: readonly number[];
        }
      >
    >;
  };
}

/** What a step makes its host do. */
export type HostEffect = Step['effects'][number];

export type Timer = LocalState['timers'][number];

/** The options of a choice, without its node. */
export type Choice = Omit<World['choosing'][number], 'node'>;

/** One step of a world. */
export type Action =
  | { readonly type: 'command'; readonly node: NodeId; readonly command: Command }
  | {
      readonly type: 'deliver';
      readonly from: NodeId;
      readonly to: NodeId;
      readonly message: Message;
      /** In exact time: when the message would arrive. */
      readonly due?: { readonly least: number; readonly most: number };
    }
  | { readonly type: 'timeout'; readonly node: NodeId; readonly timer: string }
  | { readonly type: 'choose'; readonly node: NodeId; readonly value: Json }
  | { readonly type: 'restart'; readonly node: NodeId }
  | {
      readonly type: faults.ChannelFault;
      readonly from: NodeId;
      readonly to: NodeId;
      readonly message: Message;
      readonly due?: { readonly least: number; readonly most: number };
      /** Of a drop: the position of a message that a crashed node has not sent any more. */
      readonly unsent?: number;
    }
  | {
      readonly type: 'crash';
      readonly node: NodeId;
      readonly during?: undefined;
      readonly lost?: undefined;
    }
  /**
   * A crash in the middle of a step: the node has taken `during`, and the sends at these positions
   * have not left it any more.
   */
  | {
      readonly type: 'crash';
      readonly node: NodeId;
      /** `start`: of the start of the node, before anything else happens. */
      readonly during:
        | Extract<
            Action,
            { readonly type: 'command' | 'deliver' | 'timeout' | 'choose' | 'restart' }
          >
        | { readonly type: 'start' };
      readonly lost: readonly number[];
    }
  /** The network splits in two: `side`, and the rest with the first node. */
  | { readonly type: 'split'; readonly side: readonly NodeId[] }
  | { readonly type: 'heal' }
  /** In exact time: one tick passes. */
  | { readonly type: 'tick' };

/** An action by which a node takes a step. */
export type StepAction = Exclude<CrashInside['during'], { readonly type: 'start' }>;

export type CrashInside = Extract<Action, { readonly type: 'crash'; readonly during: object }>;

/**
 * What an action did: the world after it, and the effects of the acting node. A send that a crash
 * has lost is none of them.
 */
export interface Outcome {
  readonly world: World;
  readonly effects: readonly HostEffect[];
}

/** Whether a node takes a step by an action. */
export const isStep = (action: Action | CrashInside['during']): action is StepAction =>
  action.type === 'command' ||
  action.type === 'deliver' ||
  action.type === 'timeout' ||
  action.type === 'choose' ||
  action.type === 'restart';

/** The node that takes a step. */
export const actorOf = (action: StepAction): NodeId =>
  action.type === 'deliver' ? action.to : action.node;

/** The step that a node takes by an action, also where it crashes in the middle of it. */
export function stepOf(action: Action): StepAction | undefined {
  if (isStep(action)) return action;
  return action.type === 'crash' && action.during && isStep(action.during)
    ? action.during
    : undefined;
}
