import { ConclaveError } from '../../base/error.js';
import { answerOf } from '../../protocol/answer.js';
import { systemViewOf, viewOfNode } from '../../protocol/check-properties.js';
import type { Json, Message, NodeId } from '../../protocol/node.js';
import type { InFlight, NodeView, PropertyOf, SystemView } from '../../protocol/property.js';
import type { Protocol } from '../../protocol/protocol.js';
import type { LocalState } from '../../protocol/step.js';
import { outside } from './data.js';
import { subsets } from './family.js';
import type { Part } from './part.js';
import { memoized } from './parts.js';
import { textOf } from './text.js';
import { Unprovable } from './unprovable.js';

/** A property of states. */
export type StateProperty = PropertyOf<'always'> | PropertyOf<'never'>;

/** A node, and what it has sent. */
export interface SeenNode {
  readonly node: NodeView;
  readonly sent: readonly InFlight[];
}

/** What views do not have. */
export interface Unseen {
  /** The paths of numbers. */
  readonly forgotten: ReadonlySet<string>;
  /** The types of messages, since any number of them may be on its way. */
  readonly piling: ReadonlySet<string>;
}

/** Judges a property on nodes of which numbers and messages may be missing. */
export class PropertyJudge {
  #unseen: string | undefined;
  readonly #alone = new Map<string, boolean>();

  constructor(
    private readonly protocol: Protocol,
    readonly property: StateProperty,
    private readonly unseen: Unseen,
  ) {}

  /** @throws {Unprovable} where the property reads what views do not have. */
  holdsFor(seen: readonly SeenNode[]): boolean {
    return this.#holdsWith(
      seen.map(({ node }) => node),
      seen.flatMap(({ sent }) => sent),
    );
  }

  /**
   * Undefined where it asks the nodes of a crowd what they do not know: no node has data about one
   * that is only as another one.
   */
  holdsForCrowd(seen: readonly SeenNode[]): boolean | undefined {
    try {
      return this.holdsFor(seen);
    } catch (error) {
      if (error instanceof Unprovable) return undefined;
      throw error;
    }
  }

  /** Whether nodes fulfil it, or `k` of them do not, all with the fixed ones. */
  isDecidedBy(k: number, nodes: readonly SeenNode[], fixed: readonly SeenNode[] = []): boolean {
    if (this.holdsForCrowd([...fixed, ...nodes]) !== false) return true;
    return subsets(nodes.length, k).some((mask) => {
      const few = nodes.filter((_, index) => (mask >> index) & 1);
      return this.holdsForCrowd([...fixed, ...few]) === false;
    });
  }

  /** How many of a node and messages fulfil it alone. */
  among(role: string, state: LocalState, messages: readonly Message[]): number {
    const ofNode = memoized(this.#alone, `${role} ${textOf(state)}`, () =>
      this.holdsFor([this.seenNode({ role, state, out: {} }, '')]),
    );
    const ofMessage = (message: Message) =>
      memoized(this.#alone, textOf(message), () =>
        this.#holdsWith([], [this.inFlight('', '', message)]),
      );
    return [ofNode, ...messages.map(ofMessage)].filter(Boolean).length;
  }

  /** The same, of nodes and messages. */
  #holdsWith(nodes: readonly NodeView[], sent: readonly InFlight[]): boolean {
    const system = systemViewOf(this.protocol, nodes, () => sent);
    const seen = {
      ...system,
      inFlight: (type?: string) => {
        const piling = [...this.unseen.piling];
        const messages = system.inFlight(type);
        return piling.some((each) => type === undefined || type === each)
          ? this.#unseenAs(messages, `how many messages '${piling}' are on their way`)
          : messages;
      },
    };
    Object.defineProperty(seen, 'live', {
      get: () => this.#unseenAs(nodes.length, 'how many nodes there are, which no view shows'),
    });
    const { property } = this;
    this.#unseen = undefined;
    const answer = this.#answer(seen);
    // also where the property itself has caught what the field has thrown
    if (this.#unseen !== undefined) throw new Unprovable(this.#unseen);
    return property.kind === 'always' ? answer : !answer;
  }

  #answer(seen: SystemView): boolean {
    try {
      return answerOf(this.property, this.property.holds, seen);
    } catch (error) {
      if (!(error instanceof ConclaveError)) throw error;
      throw new Unprovable(`it cannot be judged on a view: ${error.message}`);
    }
  }

  /** A node with this part. */
  seenNode({ role, state, out }: Part, id: NodeId): SeenNode {
    const seen = { ...state, context: this.#guarded(state.context, role) };
    const sent = Object.entries(out).flatMap(([to, messages]) =>
      to === outside ? [] : messages.map((message) => this.inFlight(id, to, message)),
    );
    return { node: viewOfNode(this.protocol, id, role, seen, undefined), sent };
  }

  protected inFlight(from: NodeId, to: NodeId, message: Message): InFlight {
    const fields = message as unknown as LocalState['context']; // it is a record
    return { from, to, message: this.#guarded(fields, message.type) as never };
  }

  #unseenAs<T>(value: T, what: string): T {
    this.#unseen = `it reads ${what}`;
    return value;
  }

  /** A record that notes when a field with forgotten numbers is read. */
  #guarded(fields: LocalState['context'], path: string): LocalState['context'] {
    const guarded: Record<string, Json> = {};
    for (const [key, value] of Object.entries(fields)) {
      const at = `${path}.${key}`;
      const isForgotten = [...this.unseen.forgotten].some(
        (known) =>
          known === at ||
          known.startsWith(`${at}.`) ||
          known.startsWith(`${at}[`) ||
          // the key may be the name of a node
          (known.startsWith(`${path}.*`) && /number|object/.test(typeof value)),
      );
      if (!isForgotten) guarded[key] = value;
      else
        Object.defineProperty(guarded, key, {
          enumerable: true,
          get: () => this.#unseenAs(0, `'${key}', a number that views forget`),
        });
    }
    return guarded;
  }
}

/** Why views of `k` nodes do not decide a property. */
export const tooWide = (k: number): string =>
  `it fails in worlds of which each ${k} nodes look right: it speaks of more than ${k} nodes; try --views ${k + 1}`;
export const neverFails =
  'it fails in no world at all that was tried, so that nothing shows how many nodes it speaks of';
