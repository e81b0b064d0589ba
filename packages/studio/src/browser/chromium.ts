/** The Chromium of this machine: for the tests of the page, its measurements and its pictures. */
import { spawnSync } from 'node:child_process';
import { type Browser, chromium } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** The first of the known browsers that this machine has. */
export const chromiumPath: string | undefined = names
  .map((name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim())
  .find(Boolean);

export const noChromium = `No Chromium on this machine (${names.join(', ')}). Install it: apt-get install chromium`;

export function launchChromium(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error(noChromium);
  return chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
}
