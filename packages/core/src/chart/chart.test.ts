import { assertRuns } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { and, createMachine, not, or, setup, stateIn } from 'xstate';
import { chart } from './mermaid.js';

const drawn = (config: Parameters<typeof createMachine>[0]) => chart(createMachine(config));

describe('chart', () => {
  it('draws a lock like a paper: guards, actions, tags, events handled in place', () => {
    const text = drawn({
      id: 'lock',
      initial: 'released',
      states: {
        released: {
          on: {
            acquire: { target: 'wanted', actions: ['stamp', 'requestAll'] },
            request: { actions: ['witness', 'reply'] },
            reply: {},
          },
        },
        wanted: {
          tags: 'waiting',
          always: { guard: 'allReplied', target: 'held' },
          on: {
            request: [
              { guard: 'oursIsOlder', actions: ['witness', 'defer'] },
              { actions: ['witness', 'reply'] },
            ],
            reply: { actions: 'crossOff' },
          },
        },
        held: {
          tags: 'critical',
          on: {
            request: { actions: ['witness', 'defer'] },
            release: { target: 'released', actions: 'replyDeferred' },
          },
        },
      },
    });
    expect(text).toMatchInlineSnapshot(`
      "stateDiagram-v2
        [*] --> released
        state "released" as released
        released : request / witness, reply
        released : ignores reply
        released --> wanted : acquire / stamp, requestAll
        state "wanted" as wanted
        wanted : «waiting»
        wanted : request [oursIsOlder] / witness, defer
        wanted : request [else] / witness, reply
        wanted : reply / crossOff
        wanted --> held : always [allReplied]
        state "held" as held
        held : «critical»
        held : request / witness, defer
        held --> released : release / replyDeferred
      "
    `);
  });

  it('draws a folded region as one box with its text, and the other regions in full', () => {
    const inner = {
      initial: 'open',
      states: { open: { on: { flush: 'closed' } }, closed: {} },
    } as const;
    const machine = createMachine({
      id: 'node',
      type: 'parallel',
      states: { role: inner, group: inner },
    });
    expect(chart(machine, { group: 'C5: membership' })).toMatchInlineSnapshot(`
      "stateDiagram-v2
        state "node" as node {
          state "role" as role {
            [*] --> role_open
            state "open" as role_open
            role_open --> role_closed : flush
            state "closed" as role_closed
          }
          --
          state "group" as group
          group : C5#58; membership
        }
      "
    `);
    expect(() => chart(machine, { lock: 'C5' })).toThrow(
      "Machine 'node' has no region 'lock' to fold. It has role, group.",
    );
    expect(() =>
      chart(createMachine({ id: 'plain', initial: 'role', states: { role: {} } }), { role: 'C5' }),
    ).toThrow('It has no regions.');
  });

  it('nests states, and writes into a note what an arrow cannot show', () => {
    const text = drawn({
      id: 'node',
      initial: 'down',
      states: {
        down: { on: { start: 'up', resume: 'up.last', 'resume-all': 'up.all' } },
        up: {
          description: 'Serves requests.\nKeeps the log.',
          initial: 'idle',
          tags: ['live', 'serving'],
          entry: 'open',
          exit: ['flush', 'close'],
          on: {
            stop: { target: 'down', actions: 'save', description: 'an order' },
            reset: { target: '.idle', reenter: true },
            again: { target: 'up', reenter: true },
            ping: { actions: 'pong' },
            '*': {},
          },
          onDone: 'down',
          states: {
            idle: {
              on: {
                work: { target: 'busy' },
                over: '#node.up',
                tick: { target: 'idle', actions: 'count' },
              },
            },
            busy: { on: { leave: '#node.down', finish: 'ended' } },
            ended: { type: 'final' },
            last: { type: 'history', target: 'busy' },
            all: { type: 'history', history: 'deep' },
          },
        },
      },
    });
    expect(text).toMatchInlineSnapshot(`
      "stateDiagram-v2
        [*] --> down
        state "down" as down
        down --> up : start
        down --> up_last : resume
        down --> up_all : resume-all
        state "up" as up {
          [*] --> up_idle
          state "idle" as up_idle
          up_idle : over → up
          up_idle : tick / count → up.idle
          up_idle --> up_busy : work
          state "busy" as up_busy
          up_busy --> up_ended : finish
          state "ended" as up_ended
          up_ended --> [*]
          state "last (H)" as up_last
          up_last --> up_busy : default
          state "all (H#42;)" as up_all
        }
        note right of up
          Serves requests.
          Keeps the log.
          «live» «serving»
          entry / open
          exit / flush, close
          reset → up.idle (reenter)
          ping / pong
          ignores #42;
        end note
        up_busy --> down : leave
        up --> down : stop / save — an order
        up --> up : again
        up --> down : when done
      "
    `);
  });

  it('separates parallel regions, and writes transitions across their border as text', () => {
    const text = drawn({
      id: 'site',
      type: 'parallel',
      states: {
        client: {
          initial: 'idle',
          states: { idle: { on: { go: 'busy', jump: '#site.voter.gone' } }, busy: {} },
        },
        voter: {
          initial: 'free',
          on: { vote: { actions: 'count' } },
          states: { free: { on: { go: 'gone' } }, gone: {} },
        },
        watch: { on: { go: { actions: 'note' } } },
      },
    });
    expect(text).toMatchInlineSnapshot(`
      "stateDiagram-v2
        state "site" as site {
          state "client" as client {
            [*] --> client_idle
            state "idle" as client_idle
            client_idle : jump → voter.gone
            client_idle --> client_busy : go
            state "busy" as client_busy
          }
          --
          state "voter" as voter {
            [*] --> voter_free
            state "free" as voter_free
            voter_free --> voter_gone : go
            state "gone" as voter_gone
          }
          note right of voter
            vote / count
          end note
          --
          state "watch" as watch
          watch : go / note
        }
      "
    `);
  });

  it('shows the order of alternatives, and combines guards in words', () => {
    const machine = setup({
      guards: {
        a: () => true,
        b: () => true,
        c: () => true,
        atLeast: (_, params: { votes: number }) => params.votes > 0,
      },
    }).createMachine({
      initial: 'x',
      states: {
        x: {
          on: {
            go: [
              { guard: and(['a', not('b')]), target: 'y' },
              { guard: not(or(['a', and(['b', 'c'])])), target: 'y' },
              { guard: stateIn({ x: 'deep' }), target: 'y' },
              { guard: { type: 'atLeast', params: { votes: 2 } }, target: 'y' },
              { guard: { type: 'atLeast', params: () => ({ votes: 3 }) }, target: 'y' },
              { guard: () => true, actions: () => {} },
              {},
            ],
          },
        },
        y: {},
      },
    });
    expect(chart(machine)).toMatchInlineSnapshot(`
      "stateDiagram-v2
        [*] --> x
        state "x" as x
        x : go [else if (inline)] / (inline)
        x : ignores go [else]
        x --> y : go [a and not b]
        x --> y : go [else if not (a or (b and c))]
        x --> y : go [else if in x.deep]
        x --> y : go [else if atLeast(votes = 2)]
        x --> y : go [else if atLeast(inline)]
        state "y" as y
      "
    `);
  });

  it('names actions with their parameters, and those of the initial state', () => {
    const text = drawn({
      initial: { target: 'x', actions: 'prepare' },
      states: { x: { entry: { type: 'log', params: { level: 1, to: 'disk' } }, exit: () => {} } },
    });
    expect(text).toMatchInlineSnapshot(`
      "stateDiagram-v2
        [*] --> x : / prepare
        state "x" as x
        x : entry / log(level = 1, to = #34;disk#34;)
        x : exit / (inline)
      "
    `);
  });

  it('draws timers by their delay, without internal events of XState', () => {
    const text = drawn({
      initial: 'x',
      states: {
        x: {
          entry: 'ask',
          after: { 500: 'y', timeout: [{ guard: 'late', target: 'y' }, { actions: 'ask' }] },
        },
        y: {},
      },
    });
    expect(text).toMatchInlineSnapshot(`
      "stateDiagram-v2
        [*] --> x
        state "x" as x
        x : entry / ask
        x : after timeout [else] / ask
        x --> y : after 500 ms
        x --> y : after timeout [late]
        state "y" as y
      "
    `);
  });

  it('folds the ignored events of a state into one line, with the reasons', () => {
    const text = drawn({
      initial: 'x',
      states: {
        x: {
          on: {
            reply: { description: 'an old one' },
            go: [{ guard: 'ready', actions: 'run' }, {}],
            'vote.*': {},
          },
        },
      },
    });
    expect(text).toMatchInlineSnapshot(`
      "stateDiagram-v2
        [*] --> x
        state "x" as x
        x : go [ready] / run
        x : ignores reply (an old one), go [else], vote.#42;
      "
    `);
  });

  it('draws a box around a machine with transitions of its own, and draws a machine without states', () => {
    expect(
      drawn({ id: 'relay', initial: 'x', on: { stop: '.y' }, states: { x: {}, y: {} } }),
    ).toMatchInlineSnapshot(`
      "stateDiagram-v2
        state "relay" as relay {
          [*] --> x
          state "x" as x
          state "y" as y
        }
        note right of relay
          stop → y
        end note
      "
    `);
    expect(drawn({ id: 'relay', on: { pass: { actions: 'forward' } } })).toMatchInlineSnapshot(`
      "stateDiagram-v2
        state "relay" as relay
        relay : pass / forward
      "
    `);
  });
});

describe('the text of a chart', () => {
  it('gives each state a unique name that Mermaid accepts', () => {
    const text = drawn({
      id: 'root',
      initial: 'a-b',
      states: {
        'a-b': { on: { n: 'a_b' } },
        a_b: { on: { n: 'a.b' } },
        a: { initial: 'b', states: { b: {}, start: {} } },
        Note: {},
        'été 1': {},
      },
    });
    expect(text.match(/(?<=" as )\S+/g)).toEqual([
      'a_b',
      'a_b_2',
      'a',
      'a_b_3',
      'a_start_',
      'Note_',
      'été_1',
    ]);
    expect(text).toContain('  a_b_2 --> a_b_3 : n\n');
  });

  it('escapes text that Mermaid would interpret', () => {
    const text = drawn({
      initial: 'x',
      states: {
        x: {
          description: 'direction LR; a "b" <i>\nend note',
          on: { 'a:b': { actions: '#1' }, '%%c': { target: 'y', actions: '_*`$&\\' } },
        },
        y: {},
      },
    });
    expect(text).toMatchInlineSnapshot(`
      "stateDiagram-v2
        [*] --> x
        state "x" as x
        x : a#58;b / #35;1
        note right of x
          direction#32;LR#59; a #34;b#34; #60;i#62;
          end#32;note
        end note
        x --> y : #37;#37;c / #95;#42;#96;#36;#38;#92;
        state "y" as y
      "
    `);
  });

  it('is well formed for all names of states, events and actions', () => {
    const word = fc
      .string({ minLength: 1, maxLength: 12, unit: 'binary' })
      .filter((text) => !/[.#]/.test(text) && text !== '__proto__');
    assertRuns(
      fc.property(
        fc.uniqueArray(word, { minLength: 2, maxLength: 4 }),
        word,
        word,
        (states, event, text) => {
          const [first = '', second = ''] = states;
          const leaf = {
            description: text,
            tags: text,
            on: {
              [event]: { target: `#${second}`, actions: text, guard: text },
              [`${event}!`]: {},
            },
          };
          const lines = drawn({
            id: 'node',
            initial: first,
            states: Object.fromEntries(states.map((key) => [key, { ...leaf, id: key }])),
          })
            .trimEnd()
            .split('\n');
          expect(lines.shift()).toBe('stateDiagram-v2');
          const id = '[\\p{L}\\p{N}_]+';
          const label = '([^:;<>"%*_`$\\\\&#\\n\\r]|#\\d+;)*';
          const form = new RegExp(
            `^ +(state "${label}" as ${id}|\\[\\*\\] --> ${id}|${id} --> ${id} : ${label}|${id} : ${label}|note right of ${id}|  ${label}|end note)$`,
            'u',
          );
          for (const line of lines) expect(line).toMatch(form);
          expect(new Set(lines.flatMap((line) => / as (\S+)$/.exec(line)?.[1] ?? [])).size).toBe(
            states.length,
          );
        },
      ),
      20,
      200,
      1,
    );
  });
});
