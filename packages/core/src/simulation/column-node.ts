import type { StateValue } from 'xstate';
import type { PlainState } from '../protocol/compiled/compile.js';
import type { Json, NodeId } from '../protocol/node.js';
import type { NodeView } from '../protocol/property.js';

/** The columns, by place of the node. */
interface Columns {
  idOf(node: number): NodeId;
  roleOf(node: number): { readonly name: string };
  at(node: number): PlainState;
  tagsOf(node: number): ReadonlySet<string>;
  isCrashed(node: number): boolean;
  historyOf(node: number): Json | undefined;
}

/** A node of the columns as properties and workloads see it: it shows the node as it is now. */
export class ColumnNode implements NodeView {
  constructor(
    private readonly states: Columns,
    private readonly place: number,
  ) {}

  get id(): NodeId {
    return this.states.idOf(this.place);
  }

  get role(): string {
    return this.states.roleOf(this.place).name;
  }

  get value(): StateValue {
    return this.states.at(this.place).configuration.value;
  }

  get context(): Readonly<Record<string, unknown>> {
    return this.states.at(this.place).context;
  }

  get tags(): ReadonlySet<string> {
    return this.states.tagsOf(this.place);
  }

  get crashed(): boolean {
    return this.states.isCrashed(this.place);
  }

  get history(): Json | undefined {
    return this.states.historyOf(this.place);
  }
}
