/** What is written for other tools, read again, says what the machine says. */
import { reactions } from '@conclave/core/internal/chart';
import { catalogue } from '@conclave/tools/catalogue';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, type AnyStateNode, and, createMachine, not, stateIn } from 'xstate';
import { configJson, scxml } from './formats.js';

const machines = catalogue.flatMap(({ id, make }) =>
  Object.entries(make().roles).map(([role, { machine }]) => ({ name: `${id} ${role}`, machine })),
);

const statesOf = (node: AnyStateNode): readonly AnyStateNode[] => [
  node,
  ...Object.values(node.states).flatMap(statesOf),
];

/** By state: what it is, and what it reacts to. */
const saidOf = ({ root }: AnyStateMachine) =>
  statesOf(root).map((node) => ({
    ...{ path: node.path, type: node.type, tags: [...node.tags] },
    first: node.type === 'compound' ? node.initial.target.map(({ path }) => path) : [],
    reactions: reactions(node).map(({ targets, ...reaction }) => ({
      ...reaction,
      targets: targets.map(({ path }) => path),
    })),
  }));

/** An element of XML without texts. */
interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
}

/** A reader of its own; it knows no more of XML than is needed here. */
function readXml(text: string): Element {
  const top: Element = { name: '', attributes: {}, children: [] };
  const open = [top];
  for (const [, closed, name = '', rest = '', alone] of text
    .replace(/<!--.*?-->|<\?.*?\?>/gs, '')
    .matchAll(/<(\/?)([\w-]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/g)) {
    if (closed) {
      expect(open.pop()?.name).toBe(name);
      continue;
    }
    const attributes = [...rest.matchAll(/([\w:-]+)="([^"]*)"/g)].map(([, key, value]) => [
      key,
      value,
    ]);
    const element = { name, attributes: Object.fromEntries(attributes), children: [] };
    open.at(-1)?.children.push(element);
    if (!alone) open.push(element);
  }
  expect(open).toEqual([top]);
  return top.children[0] ?? top;
}

const elementsIn = (element: Element): readonly Element[] => [
  element,
  ...element.children.flatMap(elementsIn),
];

it.each(machines)('a config as JSON $name: XState reads the same statechart', ({ machine }) => {
  expect(saidOf(createMachine(JSON.parse(configJson(machine))))).toEqual(saidOf(machine));
});

describe('SCXML', () => {
  it.each(machines)('$name: each state and transition is there', ({ machine }) => {
    const all = elementsIn(readXml(scxml(machine)));
    const ids = new Set(all.flatMap(({ attributes: { id } }) => id ?? []));
    const states = statesOf(machine.root);
    for (const { path } of states.slice(1)) expect(ids).toContain(path.join('.'));
    for (const { attributes } of all)
      for (const target of [attributes.target, attributes.initial].join(' ').trim().split(/\s+/))
        if (target !== '') expect(ids).toContain(target);
    for (const node of states) {
      const element = all.find(
        ({ attributes: { id } }) => id === (node.path.join('.') || node.key),
      );
      const here = element?.children.filter(({ name }) => name === 'transition') ?? [];
      expect(here).toHaveLength(reactions(node).length);
    }
  });

  it('has combined guards, parameters, timers, initial actions and history', () => {
    const machine = createMachine({
      id: 'all',
      initial: 'first',
      states: {
        first: {
          tags: 'waiting',
          entry: { type: 'open', params: { wide: true } },
          after: { 500: 'second', patience: { target: 'first', reenter: true } },
          on: {
            go: { guard: and(['ready', not(stateIn({ second: 'a' }))]), target: 'second.h' },
            'stay-here': { target: 'first', actions: 'note' },
          },
        },
        second: {
          initial: { target: 'a', actions: 'begin' },
          on: { back: '.a' },
          onDone: 'first',
          states: {
            a: { on: { end: 'z' } },
            h: { type: 'history', history: 'deep' },
            z: { type: 'final' },
          },
        },
      },
    });
    expect(scxml(machine)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript" name="all" initial="first">
  <state id="first">
    <!-- tags: waiting -->
    <onentry>
      <script>open({&quot;wide&quot;:true});</script>
      <send id="xstate.after.500.all.first" event="xstate.after.500.all.first" delay="500ms"/>
      <send id="xstate.after.patience.all.first" event="xstate.after.patience.all.first" delayexpr="patience() + 'ms'"/>
    </onentry>
    <onexit>
      <cancel sendid="xstate.after.500.all.first"/>
      <cancel sendid="xstate.after.patience.all.first"/>
    </onexit>
    <transition event="go" cond="(ready() &amp;&amp; !In('second.a'))" target="second.h"/>
    <transition event="stay-here">
      <script>note();</script>
    </transition>
    <transition event="xstate.after.500.all.first" target="second"/>
    <transition event="xstate.after.patience.all.first" target="first"/>
  </state>
  <state id="second">
    <initial>
      <transition target="second.a">
        <script>begin();</script>
      </transition>
    </initial>
    <transition event="back" target="second.a" type="internal"/>
    <transition event="done.state.second" target="first"/>
    <state id="second.a">
      <transition event="end" target="second.z"/>
    </state>
    <history id="second.h" type="deep">
      <transition target="second.a"/>
    </history>
    <final id="second.z"/>
  </state>
</scxml>
`);
  });
});
