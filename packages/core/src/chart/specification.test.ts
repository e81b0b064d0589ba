import { describe, expect, it } from 'vitest';
import { createMachine, setup } from 'xstate';
import { defineProtocol } from '../protocol/define-protocol.js';
import { type Effect, type NodeId, type Received, send } from '../protocol/node.js';
import { always, leadsTo } from '../protocol/property.js';
import { Topology } from '../topology/topology.js';
import { specification } from './specification.js';

type Message =
  | { readonly type: 'ask'; readonly ts: number }
  | { readonly type: 'grant' }
  | { readonly type: 'give-back' };
type Command = { readonly type: 'acquire' } | { readonly type: 'release' };
interface Input {
  readonly self: NodeId;
}

const node = setup({
  types: {} as {
    input: Input;
    context: Input;
    events: Command | Received<Message>;
    emitted: Effect<Message>;
  },
});
const ask = node.emit(({ context }) => send(context.self, { type: 'ask', ts: 1 }));

const client = node.extend({ actions: { ask, giveBack: ask } }).createMachine({
  id: 'client',
  context: ({ input }) => ({ self: input.self }),
  initial: 'apart',
  states: {
    apart: { on: { acquire: { target: 'near', actions: 'ask' }, grant: {} } },
    near: {
      initial: 'wanted',
      on: { release: { target: 'apart', actions: 'giveBack' } },
      states: { wanted: { on: { grant: 'held' } }, held: { tags: 'critical' } },
    },
  },
});

const server = node
  .extend({ actions: { grant: ask }, guards: { first: () => true } })
  .createMachine({
    id: 'server',
    context: ({ input }) => ({ self: input.self }),
    initial: 'free',
    states: {
      free: { on: { ask: [{ guard: 'first', target: 'busy', actions: 'grant' }, {}], '*': {} } },
      busy: { on: { ask: {}, 'give-back': 'free' } },
    },
  });

const pair = new Topology(
  'pair',
  ['a', 'b'],
  [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'a' },
  ],
);
const topology = {
  name: 'star',
  refuses: () => undefined,
  example: () => pair,
  overlay: () => pair,
};

const central = defineProtocol<Message, Command>({
  id: 'Z1',
  name: 'central-lock',
  title: 'Central lock',
  problem: 'mutual exclusion',
  citation: 'A. Author, J. of Locks 1:1, 1980',
  options: { greedy: true, limit: 3 },
  topology,
  channels: { order: 'any', loss: false, duplication: true },
  roles: {
    client: { machine: client, input: (self) => ({ self }), stable: ['self'] },
    server: { machine: server, input: (self) => ({ self }) },
  },
  roleOf: (id) => (id === 'a' ? 'server' : 'client'),
  messages: {
    ask: { fields: ['ts'], meaning: 'I want it | soon' },
    grant: { meaning: 'you have it' },
    'give-back': { meaning: 'I am\n  done' },
  },
  commands: {
    acquire: { kind: 'optional', meaning: 'enter' },
    release: { kind: 'obligatory', meaning: 'leave', when: ({ tags }) => tags.has('critical') },
  },
  properties: [
    always('at most one client holds', (system) => system.count('critical') <= 1),
    leadsTo(
      'every waiting client holds',
      (one) => !one.tags.has('critical'),
      (one) => one.tags.has('critical'),
    ),
  ],
  cost: { per: 'entry', formula: '3', messages: () => ({ least: 3, most: 3 }) },
});

describe('specification', () => {
  it('shows facts, a chart for each role, messages, commands, properties and a run', () => {
    expect(
      specification(central, { trace: 'a  acquire  apart → near.wanted\n' }),
    ).toMatchInlineSnapshot(`
      "<details>
      <summary>Facts</summary>

      |  |  |
      |---|---|
      | id | Z1 |
      | name | \`central-lock\` |
      | problem | mutual exclusion |
      | source | A. Author, J. of Locks 1:1, 1980 |
      | network | star |
      | channels | any order, no loss, duplication allowed |
      | cost | 3 messages per entry |
      | options | \`greedy: true\`, \`limit: 3\` |
      | stable storage | \`client.self\` |

      </details>

      <details>
      <summary>Statechart</summary>

      ### client

      \`\`\`mermaid
      stateDiagram-v2
        [*] --> apart
        state "apart" as apart
        apart : ignores grant
        apart --> near : acquire / ask
        state "near" as near {
          [*] --> near_wanted
          state "wanted" as near_wanted
          near_wanted --> near_held : grant
          state "held" as near_held
          near_held : «critical»
        }
        near --> apart : release / giveBack
      \`\`\`

      ### server

      \`\`\`mermaid
      stateDiagram-v2
        [*] --> free
        state "free" as free
        free : ignores ask [else], #42;
        free --> busy : ask [first] / grant
        state "busy" as busy
        busy : ignores ask
        busy --> free : give-back
      \`\`\`

      </details>

      <details>
      <summary>Messages</summary>

      A message that the current state neither handles nor ignores is an error.

      | message | fields | meaning | handled in | ignored in |
      |---|---|---|---|---|
      | \`ask\` | \`ts\` | I want it \\| soon | server: \`free\` | server: \`busy\` |
      | \`grant\` |  | you have it | client: \`near.wanted\` | client: \`apart\`; server: \`free\` |
      | \`give-back\` |  | I am done | server: \`busy\` | server: \`free\` |

      </details>

      <details>
      <summary>Commands</summary>

      | command | kind | fields | meaning | handled in | ignored in |
      |---|---|---|---|---|---|
      | \`acquire\` | optional |  | enter | client: \`apart\` | server: \`free\` |
      | \`release\` | obligatory |  | leave | client: \`near.wanted\`, \`near.held\` | server: \`free\` |

      </details>

      <details>
      <summary>Properties</summary>

      - **always**: at most one client holds
      - **leads to**: every waiting client holds

      </details>

      <details>
      <summary>The run as text</summary>

      \`\`\`text
      a  acquire  apart → near.wanted
      \`\`\`

      </details>
      "
    `);
  });

  it('shows only the charts and messages that differ with other options', () => {
    const alone = specification(central);
    expect(specification(central, { variants: [[{ loud: true }, central]] })).toBe(alone);
    const asking = {
      ...central,
      messages: { ...central.messages, ask: { fields: ['ts'], meaning: 'loudly' } },
    };
    const charted = {
      ...central,
      roles: { ...central.roles, server: { machine: client, input: (self: NodeId) => ({ self }) } },
    };
    const more = (variant: typeof central) =>
      specification(central, { variants: [[{ loud: true, times: 2 }, variant]] }).slice(
        alone.length,
      );
    expect(more(asking)).toMatch(
      /^\n<details>\n<summary>With <code>loud: true<\/code>, <code>times: 2<\/code><\/summary>\n\n\| message /,
    );
    expect(more(asking)).toContain('| loudly |');
    expect(more(charted)).toContain('### client');
    expect(more(charted)).not.toMatch(/Facts|Commands|Properties/);
  });

  it('refers to the page of a part: its region is one box, its messages are left out', () => {
    const region = {
      initial: 'off',
      states: { off: { on: { 'lock-ask': 'on' } }, on: {} },
    } as const;
    const machine = createMachine({
      id: 'whole',
      type: 'parallel',
      states: { own: { initial: 'x', states: { x: { on: { ask: {} } } } }, lock: region },
    });
    const whole = {
      ...central,
      roles: { node: { machine, input: () => ({}) } },
      messages: { ask: { meaning: 'mine' }, 'lock-ask': { meaning: 'not mine' } },
      commands: {},
    };
    const page = specification(whole, {
      parts: { lock: { title: 'A1 Lock', href: '../lock/README.md' } },
    });
    expect(page).toContain('lock : A1 Lock\n');
    expect(page).not.toMatch(/lock_off|not mine/);
    expect(page).toContain('\n\nRegion `lock`: the machine of [A1 Lock](../lock/README.md).\n');
    expect(page).toContain('| `ask` |  | mine |');
    expect(page).toContain('\n\n`lock-…`: the messages of [A1 Lock](../lock/README.md).\n');
    expect(specification(whole)).toMatch(/lock_off[\s\S]*not mine/);
  });

  it('omits the name of a single role, and the parts that a protocol does not have', () => {
    const lone = defineProtocol<{ readonly type: 'pass' }, never>({
      name: 'relay',
      title: 'Relay',
      problem: 'relay',
      citation: 'none',
      topology,
      channels: { order: 'fifo', loss: true, duplication: false },
      roles: {
        node: {
          machine: createMachine({
            id: 'relay',
            initial: 'x',
            states: { x: { on: { '*': 'y' } }, y: { on: { pass: 'x' } } },
          }),
          input: (self) => ({ self }),
        },
      },
      messages: { pass: { meaning: 'pass it on' } },
      commands: {},
      properties: [],
    });
    expect(specification(lone)).toMatchInlineSnapshot(`
      "<details>
      <summary>Facts</summary>

      |  |  |
      |---|---|
      | name | \`relay\` |
      | problem | relay |
      | source | none |
      | network | star |
      | channels | FIFO, loss allowed, no duplication |

      </details>

      <details>
      <summary>Statechart</summary>

      \`\`\`mermaid
      stateDiagram-v2
        [*] --> x
        state "x" as x
        x --> y : #42;
        state "y" as y
        y --> x : pass
      \`\`\`

      </details>

      <details>
      <summary>Messages</summary>

      A message that the current state neither handles nor ignores is an error.

      | message | fields | meaning | handled in | ignored in |
      |---|---|---|---|---|
      | \`pass\` |  | pass it on | every state |  |

      </details>
      "
    `);
  });
});
