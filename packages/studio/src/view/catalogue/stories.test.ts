import { stateText } from '@conclave/core/internal/protocol';
import { expect, it } from 'vitest';
import { linkText, parseLink } from '../../link/link.js';
import { Session } from '../../model/session.js';
import { type Story, stories } from './lecture.js';

/** What the run of a story ends with. */
async function ending({ link }: Story) {
  const session = await Session.open(link);
  const { world } = session.tip.value;
  return {
    left: session.run.actions(session.tip.value).length,
    states: Object.values(world.nodes).map(({ value }) => stateText(value)),
    tags: Object.values(world.nodes).map(({ tags }) => tags),
  };
}

it('each is a link, whose notes are on steps that it has', () => {
  for (const { link } of stories) {
    expect(parseLink(linkText(link))).toEqual(link);
    for (const step of Object.keys(link.notes ?? {}))
      expect(Number(step)).toBeLessThanOrEqual(link.steps.length);
  }
});

it('they end as they say', async () => {
  const [waiting, leaders, ring, ...others] = await Promise.all(stories.map(ending));
  expect(others).toEqual([]);
  expect(waiting?.left).toBe(0);
  expect(waiting?.tags.every((tags) => tags.includes('waiting'))).toBe(true);
  expect(leaders?.tags.filter((tags) => tags.includes('leader')).length).toBe(2);
  expect([ring?.left, ring?.states]).toEqual([
    0,
    ['follower', 'follower', 'follower', 'leader.known'],
  ]);
});
