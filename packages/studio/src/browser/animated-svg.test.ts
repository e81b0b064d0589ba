import { spaceTimeSvg } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { expect } from 'vitest';
import { Session } from '../model/session.js';
import { stories } from '../view/catalogue/lecture.js';
import { closeBrowser, describeInBrowser, openPage } from './browser.contract.js';

closeBrowser();

describeInBrowser(
  'a diagram that moves',
  () => {
    proof('does so in an image, and rests where its reader wants no motion', async () => {
      const [story] = stories;
      if (!story) throw new Error('There is no story');
      const session = await Session.open(story.link);
      const svg = spaceTimeSvg(session.run.trace(session.tip.value), { animated: true });
      const { page, complaints, picture } = await openPage('');
      /** How many of three pictures, one after the other, differ. */
      const differing = async () => {
        const shots: string[] = [];
        for (let shot = 0; shot < 3; shot++) {
          await page.waitForTimeout(400);
          shots.push((await page.screenshot()).toString('base64'));
        }
        return new Set(shots).size;
      };
      await page.emulateMedia({ reducedMotion: 'no-preference' });
      await page.evaluate(async (text) => {
        const image = new Image();
        image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
        document.body.replaceChildren(image);
        await image.decode(); // it is well-formed
      }, svg);
      expect(await differing()).toBe(3);
      await picture('animated');
      // what drives a browser does not tell its images
      await page.evaluate((text) => {
        document.body.innerHTML = text;
      }, svg);
      expect(await differing()).toBe(3);
      await page.emulateMedia({ reducedMotion: 'reduce' });
      expect(await differing()).toBe(1);
      expect(complaints).toEqual([]);
    });
  },
  false,
);
