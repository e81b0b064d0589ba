import { catalogue } from '@conclave/tools/catalogue';
import { proof } from '@conclave/tools/sample';
import { beforeAll, describe, expect, it } from 'vitest';
import { pagesOf } from '../build/page.js';
import { predictionAt } from './prediction.js';
import { describedRules, reactionsByKey, rulesOf, ruleText, sentencesIn } from './rules.js';
import { Run, Session } from './session.js';
import { systemOf } from './system.js';
import { wordsOf } from './words.js';

/** By protocol: its page. */
let pages: ReturnType<typeof pagesOf>['pages'] = {};
beforeAll(() => {
  pages = pagesOf().pages;
});
const sentencesOf = (name: string) => sentencesIn(pages[name]?.html ?? '');

describe('the rules of a step', () => {
  it('are those of the page, by number and sentence', async () => {
    const system = await systemOf({
      protocol: 'ricart-agrawala',
      topology: 'complete:2',
      options: {},
      budget: {},
    });
    const run = new Run(system);
    const take = (moment: typeof run.start, words: string) => {
      const number = run
        .actions(moment)
        .findIndex((action) =>
          wordsOf({ ...system, worlds: system.worlds }, moment.world, action).startsWith(words),
        );
      return run.take(moment, number);
    };
    const sentences = sentencesOf('ricart-agrawala');
    const said = ({ step }: typeof run.start) =>
      step ? rulesOf(system, step, (number) => sentences.get(number)).map(ruleText) : [];
    const first = take(run.start, 'a acquires');
    expect(said(run.start)).toEqual([]);
    expect(said(first)).toEqual([
      'RA1: A node that wants to enter advances its clock, takes the reading as time stamp, and sends request(ts) to every other node.',
    ]);
    const deferred = take(take(first, 'b acquires'), 'deliver request(1) from b');
    expect(said(deferred).join()).toMatch(/^RA3: A node defers a request if it is held/);
  });

  it('are read from what a machine says of a transition', () => {
    const sentences = (number: string) => ({ LQ4: 'It stops.' })[number];
    expect(describedRules('', sentences)).toEqual([]);
    expect(describedRules('LQ4, LQ16', sentences)).toEqual([
      { number: 'LQ4', text: 'It stops.' },
      { number: 'LQ16', text: '' },
    ]);
    expect(describedRules('LQ4: it requests no longer', sentences)).toEqual([
      { number: 'LQ4', text: 'it requests no longer' },
    ]);
    expect(describedRules('It gives up: too late', sentences)).toEqual([
      { number: '', text: 'It gives up: too late' },
    ]);
  });

  it('are plain text', () => {
    const html =
      '<table><tr>\n<td>A1</td>\n<td>If <code>a &lt; b</code> &amp; so on.</td>\n</tr></table>';
    expect([...sentencesIn(html)]).toEqual([['A1', 'If a < b & so on.']]);
  });

  proof.each(catalogue.map((row) => [row.id, row] as const))(
    '%s: each number that its machines give is a rule of a page',
    (_, { name, make, charted }) => {
      const all = new Map(Object.keys(pages).flatMap((page) => [...sentencesOf(page)]));
      const own = sentencesOf(name);
      expect(own.size).toBeGreaterThan(0);
      for (const options of [{}, ...charted])
        for (const { machine } of Object.values(make(options).roles))
          for (const { description } of reactionsByKey(machine).values())
            for (const { number, text } of describedRules(
              description,
              (known) => own.get(known) ?? all.get(known),
            )) {
              expect(number, description).not.toBe('');
              expect(text, `${number} is no rule of any page`).not.toBe('');
            }
    },
  );
});

const open = (protocol: string, budget = {}) =>
  Session.open({ setup: { protocol, options: {}, budget }, view: 'world', steps: [] });

it('asks in which state a node is after the next step, until the run ends', async () => {
  const session = await open('A3');
  const run = [0, 0];
  const first = predictionAt(session, run);
  expect(first).toMatchObject({
    ...{ kind: 'question', what: 'a acquires', node: 'a', number: 0 },
    ...{ states: ['released', 'wanted', 'held'], right: 'wanted' },
  });
  expect(session.run.size).toBe(1); // nothing was tried
  session.take(0);
  expect(predictionAt(session, run)).toMatchObject({ kind: 'question', node: 'b' });
  session.take(0);
  expect(predictionAt(session, run)).toEqual({ kind: 'end' });
});

it('asks nothing where no node takes the step, and on another run', async () => {
  const session = await open('A3', { losses: 1 });
  session.take(0);
  const loss = session.run.actions(session.now.value).findIndex(({ type }) => type === 'drop');
  expect(predictionAt(session, [0, loss])).toMatchObject({ kind: 'step', number: loss });
  expect(predictionAt(session, [1, 0])).toEqual({ kind: 'elsewhere' });
});
