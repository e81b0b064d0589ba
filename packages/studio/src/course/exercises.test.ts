import { proof } from '@conclave/tools/sample';
import { expect, it } from 'vitest';
import { linkText, parseLink } from '../link/link.js';
import { check } from '../model/conclusion.js';
import { attemptAt, badges } from '../model/properties.js';
import { Session } from '../model/session.js';
import { labs } from './exercises.js';

const all = labs.flatMap(({ exercises }) => exercises);

it('there are eight labs with three exercises each, all different, and each is a link', () => {
  expect(labs.map(({ exercises }) => exercises.length)).toEqual([3, 3, 3, 3, 3, 3, 3, 3]);
  expect(new Set(all.map(({ link }) => linkText(link))).size).toBe(24);
  for (const { link } of all) expect(parseLink(linkText(link))).toEqual(link);
});

proof.each(all.map(({ link }) => [`${link.setup.protocol}: ${linkText(link)}`, link] as const))(
  '%s has a solution, and not one of a few steps only by chance',
  async (_, link) => {
    const session = await Session.open(link);
    const { property, within } = link.goal;
    const { properties } = check(session.system, { limits: { states: 300_000 } }, () => {});
    const found = properties.find(({ name }) => name === property);
    expect(found?.verdict).toBe('violated');
    const length = found?.steps?.length ?? 0;
    expect(within - length).toBeGreaterThanOrEqual(1);
    expect(within - length).toBeLessThanOrEqual(2);
    // the page judges as the explorer does
    expect(attemptAt(link.goal, badges(session).value, 0)).toEqual({ kind: 'open', left: within });
    session.show(found?.steps ?? []);
    expect(attemptAt(link.goal, badges(session).value, session.now.value.depth)).toEqual({
      kind: 'solved',
      steps: length,
    });
  },
);
